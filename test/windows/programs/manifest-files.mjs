// A large manifest, in sessions with buffers of several sizes: on enable, at a new file, and for a second definition.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, Opcode } from 'tracewright';
import { captureState, disable, enable, mark, setBufferSize } from '../recorder/recorder.mjs';

const PROVIDER = 'Tracewright-Manifest-Files';
const KIB = 1024;
const name = (number) => `${'Long'.repeat(20)}${number}`;
const large = Object.fromEntries(
  Array.from({ length: 320 }, (_, number) => [name(number), event({ [name(number)]: 'int32' })]),
);
const log = defineEventSource(
  PROVIDER,
  { ...large, QueueDCStart: event({ length: 'int32' }, { opcode: Opcode.DataCollectionStart }) },
  { etwFormat: 'manifest' },
);
log.onStateRequest(() => log.QueueDCStart({ length: 7 }));
enable(log.guid);
await sleep(50);
mark('new file');
captureState(log.guid);
await sleep(50);
disable(log.guid);

for (const size of [64 * KIB, 4 * KIB, KIB]) {
  setBufferSize(size);
  mark(`buffers of ${size}`);
  enable(log.guid);
  await sleep(50);
  disable(log.guid);
}

setBufferSize(0);
mark('second definition');
enable(log.guid);
await sleep(50);
mark('defined');
const second = defineEventSource(
  PROVIDER,
  { Second: event({ text: 'string' }), [name(0)]: event({ other: 'string' }) },
  { etwFormat: 'manifest' },
);
mark('both asked');
captureState(log.guid);
await sleep(50);
mark('closed');
second.close();
mark('exit');
console.log(
  JSON.stringify({ stats: log.stats(), problems: [...log.status.problems, ...second.status.problems] }),
);
