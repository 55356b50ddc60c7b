// Registers tracepoints and keeps them, as a tool does before it requests a session: `registered.mjs NAME...`, in
// EventPipe's format unless the fields follow the name. Reports when it has.
import { constants, openSync } from 'node:fs';
import { OwnedDescriptor } from '../../../dist/platform/owned-descriptor.js';
import { PassedTracer } from '../../../dist/platform/passed-tracer.js';
import { scratch } from '../../../dist/wire/scratch.js';
import { tracepointV1Definition } from '../../../dist/wire/tracepoint-v1/definition.js';
import { TRACEFS } from './tracefs.mjs';

const descriptor = new OwnedDescriptor(openSync(`${TRACEFS}/user_events_data`, constants.O_RDWR));
const tracer = PassedTracer.start(
  'tool',
  descriptor,
  process.argv.slice(2).map((text) => (text.includes(' ') ? text : tracepointV1Definition(text))),
  scratch,
);
console.log('registered');
process.on('SIGTERM', () => {
  tracer.end();
  process.exit();
});
setInterval(() => {}, 1000);
