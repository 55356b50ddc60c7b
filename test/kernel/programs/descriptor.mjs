// The descriptor: not inherited by programs that are run, and missed without harm when somebody closes it.
import { spawnSync } from 'node:child_process';
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const log = defineEventSource('Descriptor', { Tick: event() });
tracefs.setRecorded('Descriptor_L4K0', true);
await tracefs.until(() => log.Tick.enabled, 'the event to be enabled');
log.Tick();
const inherited = spawnSync('ls', ['-l', '/proc/self/fd']).stdout.toString().includes('user_events_data');
const descriptor = readdirSync('/proc/self/fd').find((fd) => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).endsWith('user_events_data');
  } catch {
    return false;
  }
});
closeSync(Number(descriptor));
log.Tick();
log.Tick();
console.log(JSON.stringify({ inherited, stats: log.stats() }));
