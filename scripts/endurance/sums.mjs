/** The sums of a session: everything written is in its trace, or counted as missing by it and by the session. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTrace } from '../../dist/trace/index.js';
import { begunIn, returnedIn } from './events.mjs';

const MIB = 1 << 20;

export const folder = mkdtempSync(join(tmpdir(), 'tracewright-endurance-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export function options() {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  return { seconds: Number(values.seconds), seed };
}

/** @returns the problems, in sentences */
export async function wrongSums(path, result, allCounts) {
  const wrong = [];
  const trace = await openTrace(new Uint8Array(readFileSync(path)));
  let events = 0;
  for await (const batch of trace.batches()) events += batch.length;
  rmSync(path);
  if (trace.problem !== undefined) wrong.push(`The trace is damaged: ${trace.problem}`);
  if (result.problem !== undefined) wrong.push(`The session ended: ${result.problem}`);
  if (events !== result.events) wrong.push(`The trace has ${events} events, the session ${result.events}.`);
  if (trace.lostEvents !== result.dropped) {
    wrong.push(`The trace misses ${trace.lostEvents} events, the session ${result.dropped}.`);
  }
  if (allCounts === undefined) return wrong;
  let begun = 0;
  let returned = 0;
  for (const counts of allCounts) {
    begun += begunIn(counts);
    returned += returnedIn(counts);
  }
  const accounted = result.events + result.dropped;
  if (accounted < returned || accounted > begun) {
    wrong.push(`${accounted} events are accounted for, of ${returned} that were written and ${begun} begun.`);
  }
  return wrong;
}

/** The memory every few rounds; it has grown if the last quarter needs much more than the second one. */
export class Memory {
  #samples = [];

  async sample() {
    globalThis.gc?.();
    await new Promise(setImmediate);
    this.#samples.push(process.memoryUsage().rss / MIB);
  }

  get growthMB() {
    const quarter = Math.floor(this.#samples.length / 4);
    const most = (from) => Math.max(...this.#samples.slice(from * quarter, (from + 1) * quarter));
    return quarter === 0 ? 0 : Math.round(most(3) - most(1));
  }

  get mostMB() {
    return Math.round(Math.max(...this.#samples));
  }
}

export function report(name, { seconds, seed }, what, memory, wrong) {
  for (const sentence of wrong.slice(0, 20)) console.log(sentence);
  const grown = `memory ${memory.mostMB} MB at most, ${memory.growthMB} MB grown`;
  console.log(`${name}, ${seconds} s, seed ${seed}: ${what}, ${grown}: ${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
