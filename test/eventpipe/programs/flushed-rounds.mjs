/**
 * A session that writes many rounds, with a collection of the young generation after each. Prints the bytes of buffers
 * that it leaves behind: those that only a collection of all memory would release.
 */
import { defineEventSource, event, startSession } from '../../../dist/index.js';

const ROUNDS = 60;
/** Together more than what a session collects before it writes. */
const EVENTS = 3000;

const log = defineEventSource('Flushed-Rounds', { Ping: event({ text: 'string' }) });
const session = startSession({ providers: 'Flushed-Rounds', output: process.argv[2] });
const text = 'x'.repeat(50);
const before = process.memoryUsage().arrayBuffers;
for (let round = 0; round < ROUNDS; round++) {
  const { bytes } = session.result;
  for (let n = 0; n < EVENTS; n++) log.Ping({ text });
  while (session.result.bytes === bytes) await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc({ type: 'minor' });
}
const { arrayBuffers } = process.memoryUsage();
await session.close();
process.stdout.write(JSON.stringify(arrayBuffers - before));
