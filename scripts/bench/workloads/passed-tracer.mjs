// An event written to a tracepoint that a tool named, through the descriptor that it passed.
import { openSync } from 'node:fs';
import { UserEventsSession } from '../../../dist/eventpipe/user-events/user-events-session.js';
import { OwnedDescriptor } from '../../../dist/platform/owned-descriptor.js';
import { defineBenchmarkSource, payload } from '../source.mjs';

/** @param {string} path of the file that replaces user_events_data */
export function event(path) {
  const source = defineBenchmarkSource();
  /** @type {import('../../../dist/wire/diagnostics-ipc/tracing.js').UserEventsProvider} */
  const provider = {
    name: source.name,
    keywords: 0xffff_ffff_ffff_ffffn,
    level: 5,
    arguments: '',
    tracepoints: { defaultName: 'Benchmark', sets: [] },
  };
  /** @type {import('../../../dist/wire/diagnostics-ipc/tracing.js').UserEventsTracing} */
  const tracing = { sessionType: 'user_events', rundownKeyword: 0n, providers: [provider] };
  const session = UserEventsSession.start(tracing, new OwnedDescriptor(openSync(path, 'r+')));
  const loop = (iterations) =>
    source.activity('Request', payload, () => {
      for (let i = 0; i < iterations; i++) source.CacheMiss(payload);
      return iterations;
    });
  return Object.assign(loop, {
    finish: () => {
      const { written, dropped } = session.counts;
      if (written === 0 || dropped > 0) throw new Error(`${dropped} of ${written + dropped} were dropped.`);
    },
  });
}
