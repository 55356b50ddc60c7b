/** A histogram of durations. The bars' widths grow with the durations. */

export interface Bucket {
  /** The bounds are in nanoseconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const MAX_BUCKETS = 48;
/** Round steps per decade, finest first. */
const STEPS = [
  [1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2],
  [1, 1.5, 2.2, 3.3, 4.7, 6.8],
  [1, 2, 5],
  [1, 3],
  [1],
] as const;

export function histogram(durations: Float64Array): Bucket[] {
  const least = Math.max(
    1,
    durations.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  );
  const most = durations.reduce((a, b) => Math.max(a, b), 1);
  if (durations.length === 0) return [];
  const edges = STEPS.map((steps) => edgesOf(steps, least, most));
  const chosen = edges.find((candidate) => candidate.length <= MAX_BUCKETS + 1) ?? (edges.at(-1) as number[]);
  // Only 0 is shorter than the first edge.
  const first = durations.some((duration) => duration < (chosen[0] as number)) ? [0, ...chosen] : chosen;
  const counts = new Uint32Array(first.length);
  for (const duration of durations) {
    const at = placeOf(first, duration);
    counts[at] = (counts[at] as number) + 1;
  }
  return first.slice(0, -1).map((from, index) => ({
    from,
    to: first[index + 1] as number,
    count: counts[index] as number,
  }));
}

/** Returns the steps from the last that is at most `least` to the first that is greater than `most`. */
function edgesOf(steps: readonly number[], least: number, most: number): number[] {
  const edges: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); ; power *= 10) {
    for (const step of steps) {
      const edge = step * power;
      if (edge <= least) edges.length = 0;
      edges.push(edge);
      if (edge > most) return edges;
    }
  }
}

function placeOf(edges: readonly number[], duration: number): number {
  let low = 0;
  let high = edges.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] as number) <= duration) low = middle;
    else high = middle;
  }
  return low;
}
