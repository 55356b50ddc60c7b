// A source described by a manifest, with a session older than the program: how often it writes the manifest.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, generateManifest } from 'tracewright';
import { providerGuid } from '../node_modules/tracewright/dist/wire/provider-guid.js';
import { enable, mark } from '../recorder/recorder.mjs';

const PROVIDER = 'Tracewright-Manifest-SessionFirst';
enable(providerGuid(PROVIDER));
const log = defineEventSource(PROVIDER, { Note: event() }, { etwFormat: 'manifest' });
log.Note();
mark('written');
await sleep(20);
mark('exit');
console.log(JSON.stringify({ xml: generateManifest(log) }));
