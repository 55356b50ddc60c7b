// A source whose events go to channels of the Event Log, which enables only the keyword of one channel.
import { setTimeout as sleep } from 'node:timers/promises';
import { Channel, defineEventSource, event, valueMap } from 'tracewright';
import { enable } from '../recorder/recorder.mjs';

const log = defineEventSource(
  'Tracewright-Channels',
  {
    Detail: event({}, { channel: Channel.Analytic, keywords: 0x2n }),
    Placed: event(
      { status: valueMap('Status', { New: 0, Paid: 1 }, 'uint8') },
      { channel: Channel.Operational },
    ),
    Plain: event({}, { keywords: 0x2n }),
  },
  { etwFormat: 'manifest' },
);
enable(log.guid, { any: 1n << 62n });
await sleep(20);
log.Detail();
log.Placed({ status: 1 });
log.Plain();
console.log(JSON.stringify({ enabled: [log.Detail.enabled, log.Placed.enabled, log.Plain.enabled] }));
