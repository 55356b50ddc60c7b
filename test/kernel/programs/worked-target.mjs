// A program with a diagnostic port, for worked-tool.py: writes events and reports its state, as ordered through stdin.
import { createInterface } from 'node:readline';
import { defineEventSource, event } from 'tracewright';
import { enableDiagnostics } from 'tracewright/diagnostics';

const log = defineEventSource('Demo', {
  Req: event({ url: 'string', ms: 'int32' }, { keywords: 3n }),
  Note: event({ url: 'string', ms: 'int32' }, { keywords: 1n }),
  Denied: event({ number: 'uint32' }, { keywords: 3n }),
});
const activityId = '03020100-0504-0706-0809-0a0b0c0d0e0f';
const say = (value) => console.log(JSON.stringify(value));

const answers = {
  write() {
    for (const _ of [1, 2]) log.Req({ url: '/a', ms: 7 }, { activityId });
    log.Note({ url: '/a', ms: 7 });
    log.Denied({ number: 1 });
    return log.stats();
  },
  enabled: () => [log.Req.enabled, log.Note.enabled, log.Denied.enabled],
};

const port = enableDiagnostics();
say({ backend: log.status.backend, address: port.address });
for await (const word of createInterface({ input: process.stdin })) say(answers[word]());
