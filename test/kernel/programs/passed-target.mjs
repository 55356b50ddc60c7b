// A program to record through a descriptor passed to it: `passed-target.mjs FOLDER SESSIONS COUNT`. Opens its
// diagnostic port, waits until this many sessions request its events, then writes COUNT activities, reports them in
// FOLDER, and ends.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, EventListener, event, Level } from 'tracewright';
import { enableDiagnostics } from 'tracewright/diagnostics';

const [folder, sessions, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const log = defineEventSource('Passed-Service', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ size: 'uint64' }),
  Tick: event({ number: 'uint32', text: 'string', share: 'double' }, { keywords: 0x2n }),
  Detail: event({ number: 'uint32' }, { level: Level.Verbose, keywords: 0x4n }),
});
const other = defineEventSource('Other.Service', { Tick: event({ isLast: 'bool' }, { keywords: 0x2n }) });

const written = [];
const listener = new EventListener({
  onEventWritten: ({ provider, name, id, level, keywords, activityId, relatedActivityId, payload }) =>
    written.push({ provider, name, id, level, keywords, activityId, relatedActivityId, payload }),
});
listener.enableEvents(log, Level.Verbose);
listener.enableEvents(other, Level.Verbose);

/** Of the commands, the first ones are the listener's. */
let isReady = false;
let asked = 0;
log.onCommand(({ kind }) => {
  if (isReady && kind === 'enable') asked++;
});
// The first moment at which an event can be written for a session.
other.onCommand(({ kind }) => {
  if (isReady && kind === 'enable') other.Tick({ isLast: false });
});

const port = enableDiagnostics();
await port.ready;
isReady = true;
writeFileSync(`${folder}/ready`, port.problem ?? '');
while (asked < sessions) await sleep(5);

for (let number = 0; number < count; number++) {
  await log.activity(
    'Request',
    { url: `/${number}` },
    { stop: () => ({ size: BigInt(number) }) },
    async () => {
      log.Tick({ number, text: `tick ${number} \u{1F980}`, share: number / count });
      await null;
      log.Detail({ number });
    },
  );
  other.Tick({ isLast: number === count - 1 });
  if (number % 100 === 0) await sleep(10);
}
listener.close();
const json = (_, value) => (typeof value === 'bigint' ? `${value}` : value);
writeFileSync(`${folder}/written.json`, JSON.stringify({ pid: process.pid, written }, json));
