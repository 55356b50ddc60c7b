// The requests of sessions, as the source receives them on its own thread; and .NET's way to request activity ids.
import { setTimeout as sleep } from 'node:timers/promises';
import { currentActivityId, defineEventSource, event } from 'tracewright';
import { captureState, disable, enable } from '../recorder/recorder.mjs';

const TPL_EVENT_SOURCE = '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5';
const log = defineEventSource('Tracewright-Commands', {
  WorkStart: event(),
  WorkStop: event({ success: 'bool' }),
  Note: event(),
});
const other = defineEventSource('Tracewright-Commands-Other', { Note: event() });
const heard = [];
log.onCommand(({ filter, anyKeyword, allKeyword, ...command }) => {
  const enabled = log.Note.enabled;
  heard.push({
    ...command,
    any: Number(anyKeyword),
    all: Number(allKeyword),
    filter: Buffer.from(filter).toString(),
    enabled,
  });
});
log.onCommand(() => {
  throw new Error('a handler that throws');
});
enable(TPL_EVENT_SOURCE, { level: 4, any: 0x80n });
enable(log.guid, { level: 4, any: 3n, all: 1n, filter: Buffer.from('key\0value\0') });
await sleep(20);
captureState(log.guid);
enable(other.guid);
await sleep(20);
const inside = log.activity('Work', {}, () => currentActivityId());
disable(log.guid);
await sleep(20);
console.log(JSON.stringify({ heard, inside }));
