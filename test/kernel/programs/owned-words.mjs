// Follows the tracer's switches, with garbage collections in between: the memory of the words must not move.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineEventSource, event } from 'tracewright';
import { loadAddon } from '../../../dist/platform/addon.js';
import * as tracefs from './tracefs.mjs';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const log = defineEventSource('OwnedWords', { Tick: event({ number: 'uint32' }) });
let followed = 0;
for (let round = 0; round < 20; round++) {
  const on = round % 2 === 0;
  gc();
  tracefs.setRecorded('OwnedWords_L4K0', on);
  await tracefs.until(() => log.Tick.enabled === on, `switch ${round} to arrive`);
  followed++;
  log.Tick({ number: round });
}
const lines = tracefs.recordedLines().length;
console.log(
  JSON.stringify({ words: loadAddon().words().length, followed, written: log.stats().written, lines }),
);
