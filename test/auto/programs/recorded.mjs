// Records a piece of work into a trace, and reads the trace back.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEventSource, event, startSession } from '../../../dist/index.js';
import { openTrace } from '../../../dist/trace/index.js';

/** The application's own events. */
export const app = defineEventSource('App', {
  Note: event({ text: 'string' }),
  WorkStart: event({ text: 'string' }),
  WorkStop: event(),
});

/** @returns the events, in the order of the trace, without the ends that every session has */
export async function recorded(providers, work) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-auto-'));
  try {
    const output = join(folder, 'app.nettrace');
    const session = startSession({ providers: `App,${providers}`, output });
    await work();
    const { dropped } = await session.close();
    const trace = await openTrace(output);
    const events = [];
    for await (const { provider, name, activityPath, relatedActivityPath, payload } of trace) {
      if (provider === 'Microsoft-DotNETCore-EventPipe') continue;
      events.push({ name, path: activityPath, in: relatedActivityPath, payload });
    }
    await trace.close();
    if (dropped > 0) throw new Error(`${dropped} events were dropped.`);
    return events;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs each way to do something on its own, and prints what was recorded of it, by its name. */
export async function printRecorded(providers, ways) {
  const results = {};
  for (const [name, way] of Object.entries(ways)) {
    let notes;
    const events = await recorded(providers, async () => {
      notes = await way();
    });
    results[name] = { events, notes };
  }
  console.log(JSON.stringify(results));
}
