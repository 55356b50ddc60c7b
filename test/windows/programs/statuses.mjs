// Each way in which ETW refuses an event, and one that is too large.
import { defineEventSource, event, threadActivityId } from 'tracewright';
import { enable, failNext } from '../recorder/recorder.mjs';

const log = defineEventSource('Tracewright-Statuses', { Blob: event({ bytes: 'binary' }) });
enable(log.guid);
for (const status of [6, 8, 87, 234, 534, 1450]) {
  failNext('write', status);
  log.Blob({ bytes: new Uint8Array(1) });
}
log.Blob({ bytes: new Uint8Array(65_000) });
log.Blob({ bytes: new Uint8Array(65_500) });
log.Blob({ bytes: new Uint8Array(70_000) });

failNext('register', 8);
const refused = defineEventSource('Tracewright-Refused', { Tick: event() });

const [first, second] = ['00000011-0000-0000-0000-0000be999d59', '00112233-4455-6677-8899-aabbccddeeff'];
threadActivityId.set(first);
const ids = {
  get: threadActivityId.get(),
  getAndSet: threadActivityId.getAndSet(second),
  createAndSet: threadActivityId.createAndSet(),
  created: threadActivityId.create() !== threadActivityId.get(),
};
console.log(
  JSON.stringify({ stats: log.stats(), problems: log.status.problems, refused: refused.status, ids }),
);
