// `etw-program.mjs [tracelogging|manifest]`: a program for etw-session.mjs to record, in the given format. Once its
// provider is enabled, it writes a few requests, and prints what a listener in the process received for each event: the
// expected contents of the recording, in the form of tracerpt-xml.mjs.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, Level, listen } from 'tracewright';

const provider = 'MyCompany-MyService';
const requests = 5;
const waitMilliseconds = 30_000;

const log = defineEventSource(
  provider,
  {
    RequestStart: event({ number: 'uint32', url: 'string' }),
    RequestStop: event({ success: 'bool' }),
    QueryStart: event({ text: 'string' }),
    QueryStop: event({ success: 'bool' }),
    Row: event({ number: 'int32', total: 'uint64' }, { level: Level.Verbose, keywords: 0x2n }),
  },
  { etwFormat: process.argv[2] === 'manifest' ? 'manifest' : 'tracelogging' },
);

const heard = [];
let failure;
const end = Date.now() + waitMilliseconds;
while (!(log.RequestStart.enabled && log.Row.enabled) && Date.now() < end) await sleep(10);
if (!(log.RequestStart.enabled && log.Row.enabled)) {
  failure = `No session has enabled ${provider} (${log.status.backend}: ${log.status.reason ?? 'no reason'}).`;
}

listen(log, (written) => {
  heard.push({
    providerGuid: log.guid,
    name: written.name,
    level: written.level,
    opcode: written.opcode,
    keywords: `0x${written.keywords.toString(16)}`,
    processId: process.pid,
    activityId: written.activityId,
    relatedActivityId: written.relatedActivityId,
    fields: Object.fromEntries(Object.entries(written.payload).map(([name, value]) => [name, `${value}`])),
  });
});

for (let number = 0; number < requests; number++) {
  await log.activity('Request', { number, url: `/users/${number}?a=<b>&c="d"` }, async () => {
    await log.activity('Query', { text: 'select 1' }, async () => {
      await sleep(1);
      log.Row({ number: -number, total: 2n ** 40n + BigInt(number) });
    });
  });
}
console.log(JSON.stringify({ failure, heard, stats: log.stats(), status: log.status }));
