// The descriptors: not inherited by child programs, and harmless if somebody closes them.
import { spawnSync } from 'node:child_process';
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const log = defineEventSource('Descriptor', { Tick: event() });
tracefs.setRecorded('Descriptor_L4K0', true);
await tracefs.until(() => log.Tick.enabled, 'the event to be enabled');
log.Tick();
const inherited = spawnSync('ls', ['-l', '/proc/self/fd']).stdout.toString().includes('user_events_data');
const descriptors = readdirSync('/proc/self/fd').filter((fd) => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).endsWith('user_events_data');
  } catch {
    return false;
  }
});
for (const descriptor of descriptors) closeSync(Number(descriptor));
log.Tick();
log.Tick();
console.log(JSON.stringify({ inherited, stats: log.stats() }));
