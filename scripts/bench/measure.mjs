// Times one loop in this process. See docs/performance.md for the method.

/**
 * How a loop is timed.
 * - `clock`: 'cpu', the process's CPU time, which other processes do not affect; or 'wall', for guests, whose CPU time
 *   is an estimate
 * - `roundMs`: the minimum duration of a round
 * - `rounds`: how many count
 * @typedef {{ clock: 'cpu' | 'wall', roundMs: number, rounds: number }} Timing
 */

/** Sums the loops' results, so that no compiler can omit their work. */
let sink = 0;

/** Microseconds. */
const clocks = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  wall: () => Number(process.hrtime.bigint()) / 1000,
};

/** The minimum number of warm-up rounds: V8 compiles in the background, and recompiles a loop that is entered again. */
const WARM_UP_ROUNDS = 10;

/**
 * @param {(iterations: number) => number | Promise<number>} loop
 * @param {Timing} timing
 * @returns {Promise<{ rounds: number[], sink: number }>} nanoseconds per iteration, for each round
 */
export async function measure(loop, { clock, roundMs, rounds }) {
  const now = clocks[clock];
  const round = async (iterations) => {
    const start = now();
    sink += await loop(iterations);
    return now() - start;
  };
  let iterations = 1000;
  while ((await round(iterations)) < roundMs * 1000) iterations *= 2;
  for (let count = 0; count < WARM_UP_ROUNDS; count++) await round(iterations);
  // The first rounds ran slow code: measure once more with the fast one
  while ((await round(iterations)) < roundMs * 1000) iterations *= 2;
  const told = [];
  for (let count = 0; count < rounds; count++) told.push(((await round(iterations)) * 1000) / iterations);
  return { rounds: told, sink };
}
