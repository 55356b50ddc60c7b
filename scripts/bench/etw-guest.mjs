// Runs in node.exe under Wine, with the tests' recorder in place of ETW: measures the cost of an event there.

import { measure } from './measure.mjs';
import { defineEventSource, event } from './node_modules/tracewright/dist/cjs/index.mjs';
import { enable } from './recorder.mjs';

/** The addons that tracewright loads: one that is loaded once more has other words. */
const addons = [];
const { dlopen } = process;
process.dlopen = (module, ...rest) => {
  dlopen.call(process, module, ...rest);
  addons.push(module.exports);
};

const timing = JSON.parse(process.argv[2]);
const fields = { key: 'string', size: 'uint32', ratio: 'double' };
const payload = { key: 'user:12345678', size: 4096, ratio: 0.25 };
const source = defineEventSource('Tracewright-Benchmark', {
  CacheMiss: event(fields),
  Nobody: event(fields, { level: 255 }),
  RequestStart: event(),
  RequestStop: event({ success: 'bool' }),
});
enable(source.guid, { level: 5 });

/** Writes what the last event left in the buffer again: its word was the first to be allocated. */
const EVENT_SIZE = 112;

const loops = {
  'etw-disabled': (iterations) => {
    for (let i = 0; i < iterations; i++) source.Nobody(payload);
    return source.stats().written;
  },
  'etw-event': (iterations) =>
    source.activity('Request', {}, () => {
      for (let i = 0; i < iterations; i++) source.CacheMiss(payload);
      return source.stats().written;
    }),
  'etw-write': (iterations) => {
    source.CacheMiss(payload);
    const [addon] = addons;
    let errors = 0;
    for (let i = 0; i < iterations; i++) if (addon.write(0, EVENT_SIZE) !== undefined) errors++;
    if (errors > 0) throw new Error(`${errors} events were refused.`);
    return errors;
  },
};

const processes = {};
for (const [id, loop] of Object.entries(loops)) processes[id] = [(await measure(loop, timing)).rounds];
console.log(JSON.stringify(processes));
