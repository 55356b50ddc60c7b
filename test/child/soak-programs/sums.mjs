/** The sums of a session: everything written is in its trace, or counted as missing by it and by the session. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrace } from '../../../dist/trace/index.js';
import { begunIn, returnedIn } from './events.mjs';

const MIB = 1 << 20;

export const folder = mkdtempSync(join(tmpdir(), 'tracewright-endurance-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

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
