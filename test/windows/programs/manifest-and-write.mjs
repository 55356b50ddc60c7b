// A source with a manifest that also writes events without a definition, and is closed after its session.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { captureState, disable, enable, mark } from '../recorder/recorder.mjs';

const log = defineEventSource(
  'Tracewright-Manifest-And-Write',
  { Defined: event({ n: 'int32' }) },
  { etwFormat: 'manifest', groupGuid: '00000000-0000-0000-0807-060504030201' },
);
const commands = [];
log.onCommand(({ kind }) => commands.push(kind));
log.write('Own', { n: 1 });
mark('enabled');
enable(log.guid);
await sleep(50);
log.Defined({ n: 1 });
log.write('Own', { n: 2 });
mark('asked again');
captureState(log.guid);
await sleep(50);
mark('disabled');
disable(log.guid);
await sleep(50);
mark('closed');
log.close();
log.Defined({ n: 3 });
log.write('Own', { n: 4 });
console.log(JSON.stringify({ guid: log.guid, commands, dropped: log.stats().dropped }));
