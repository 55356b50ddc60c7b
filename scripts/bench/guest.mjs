// Runs on a kernel with user events: makes ftrace record the tracepoint, and measures Node and C alternately.
import { writeFileSync } from 'node:fs';
import { tracepointDefinition } from '../../dist/wire/eventheader/tracepoint-name.js';
import { measureC, measureNode } from './processes.mjs';
import { defineBenchmarkSource } from './source.mjs';

const { program, bytesFile, timing, repetitions } = JSON.parse(process.argv[2]);
const tracefs = '/sys/kernel/tracing';
const target = { path: `${tracefs}/user_events_data` };

// The tracepoint exists as long as this process keeps it registered
const source = defineBenchmarkSource();
const [tracepoint] = source.tracepoints;
const switchFile = `${tracefs}/events/user_events/${tracepoint}/enable`;
const loop = { program, bytesFile, definition: tracepointDefinition(tracepoint) };

const measurements = {
  'tracepoint-event': () =>
    measureNode({ module: 'enabled', workload: 'event', arguments: ['samePayload'] }, timing, target),
  'tracepoint-c': () => measureC({ ...loop, threads: 1 }, timing, target),
  'tracepoint-c-threads': () => measureC({ ...loop, threads: 2 }, timing, target),
};

writeFileSync(switchFile, '1');
try {
  /** @type {Record<string, number[][]>} */
  const processes = Object.fromEntries(Object.keys(measurements).map((id) => [id, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const [id, measure] of Object.entries(measurements)) processes[id].push(measure().rounds);
  }
  process.stdout.write(JSON.stringify(processes));
} finally {
  writeFileSync(switchFile, '0');
}
