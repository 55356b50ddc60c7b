// A source described by a manifest: a session starts, has no room for it at first, requests it again, and is still
// running when the process exits.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, generateManifest } from 'tracewright';
import { captureState, enable, failNext, mark } from '../recorder/recorder.mjs';

const log = defineEventSource(
  'Tracewright-Manifest',
  {
    RequestStart: event({ url: 'string' }),
    RequestStop: event({ success: 'bool' }),
    Values: event({ small: 'int8', id: 'guid', bytes: 'binary', time: 'time' }, { keywords: 'Data' }),
  },
  { etwFormat: 'manifest', keywords: { Data: 0x1n } },
);
failNext('write', 234);
enable(log.guid);
await sleep(20);
mark('enabled');
log.activity('Request', { url: '/ä' }, () =>
  log.Values({
    small: -1,
    id: '00112233-4455-6677-8899-aabbccddeeff',
    bytes: Uint8Array.of(1, 2),
    time: new Date(0),
  }),
);
mark('asked again');
captureState(log.guid);
await sleep(20);
mark('exit');
console.log(JSON.stringify({ xml: generateManifest(log), status: log.status, stats: log.stats() }));
