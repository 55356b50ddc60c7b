// An event recorded by the kernel's tracer, along its whole path.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { loadAddon } from '../../../dist/platform/addon.js';
import { scratch } from '../../../dist/wire/scratch.js';
import { defineBenchmarkSource, KEY, payload } from '../source.mjs';

function recordedSource() {
  const source = defineBenchmarkSource();
  if (!source.CacheMiss.enabled) {
    throw new Error(`Nobody records the event: ${source.status.reason ?? source.status.problems.join(' ')}`);
  }
  return source;
}

const loops = {
  samePayload: (source, iterations) => {
    for (let i = 0; i < iterations; i++) source.CacheMiss(payload);
  },
  objectLiteral: (source, iterations) => {
    for (let i = 0; i < iterations; i++) source.CacheMiss({ key: KEY, size: i, ratio: i * 0.5 });
  },
};

/** As in applications: each event finds the buffer as another one left it. */
export function byTurns() {
  const source = recordedSource();
  return (iterations) =>
    source.activity('Request', payload, () => {
      for (let i = 0; i < iterations; i += 2) {
        source.CacheMiss(payload);
        source.CacheHit(payload);
      }
      return source.stats().written;
    });
}

/** Inside an activity, so that each event has an id. */
export function event(form) {
  const source = recordedSource();
  return (iterations) =>
    source.activity('Request', payload, () => {
      loops[form](source, iterations);
      return source.stats().written;
    });
}

/** The addon's write alone: the part that no encoder can avoid. */
export function addonWrite(size) {
  const addon = loadAddon();
  if ('reason' in addon) throw new Error(addon.reason);
  addon.open(process.env.TRACEWRIGHT_TRACEFS ?? '', '');
  addon.words();
  const index = addon.allocate();
  addon.register(index, Buffer.from('benchmark'), scratch);
  return (iterations) => {
    let errors = 0;
    for (let i = 0; i < iterations; i++) if (addon.write(index, size) !== undefined) errors++;
    return errors;
  };
}

export function withoutActivity() {
  const source = recordedSource();
  return (iterations) => {
    loops.samePayload(source, iterations);
    return source.stats().written;
  };
}

/**
 * Leaves the bytes of one write in a file, for the C program. `userEventsData` is the ordinary file that replaces the
 * kernel's.
 */
export function capture(userEventsData, bytesFile) {
  const source = recordedSource();
  source.activity('Request', payload, () => {
    const start = statSync(userEventsData).size;
    source.CacheMiss(payload);
    writeFileSync(bytesFile, readFileSync(userEventsData).subarray(start));
  });
}
