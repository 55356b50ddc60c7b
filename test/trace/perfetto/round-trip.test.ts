/** Traces that are exported to Perfetto's format come back as they were: activities, other events, samples. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PerfettoExport } from '../../../lib/export/perfetto-export.ts';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { jsonValue, type TraceEvent } from '../../../lib/trace/trace-event.ts';
import { CpuProfile } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import { eventName } from '../../../lib/view/event-names.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import type { TracedActivity } from '../../../lib/view/traced-activity.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../../conformance/data-folder.ts';
import { exportTrace } from '../../export/exported.ts';

const data = dataFolder ?? '';

interface Seen {
  readonly activities: readonly string[];
  readonly events: readonly string[];
  readonly processNames: ReadonlyMap<number, string>;
  readonly functions: readonly string[];
}

async function seenIn(source: string | Uint8Array): Promise<Seen> {
  const trace = await openTrace(source, { onDamage: 'warning' });
  const started: TracedActivity[] = [];
  const tracker = new TraceActivities();
  const profile = new CpuProfile(new FrameNames());
  const events: string[] = [];
  for await (const event of trace) {
    const change = tracker.add(event);
    if (change?.boundary === 'Start') started.push(change.activity);
    profile.add(event);
    if (event.stack === undefined || event.stack.length === 0) events.push(lineOf(event));
  }
  const { functions } = profile.costs(trace.processNames, trace.mappings);
  return {
    activities: started.map(activityLine),
    events: events.sort(),
    processNames: new Map(
      [...trace.processNames].filter(([pid]) => started.some((each) => each.processId === pid)),
    ),
    functions: functions.map(({ frame, self, total }) => `${frame.name} ${self} ${total}`).sort(),
  };
}

function activityLine({
  name,
  id,
  processId,
  startNs,
  endNs,
  state,
  parent,
  startThreadId,
}: TracedActivity): string {
  return `${name} ${id} of ${processId}/${startThreadId} ${startNs}-${endNs} ${state} in ${parent?.id}`;
}

function lineOf(event: TraceEvent): string {
  const { timestamp, processId, threadId, activityId, payload, hexFields } = event;
  const fields = JSON.stringify(jsonValue(payload, hexFields), (_, value) =>
    typeof value === 'number' ? String(value) : value,
  );
  return `${timestamp} ${eventName(event)} ${processId}/${threadId} ${activityId} ${fields}`;
}

async function exported(file: string): Promise<Uint8Array> {
  const { bytes } = await exportTrace(file, (trace) => new PerfettoExport(trace));
  return bytes;
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`a real trace (${SKIP_REASON})`, () => {
  it.each([
    'nettrace/activities-net10.v6.nettrace',
    'nettrace/activities-net10.v6u.nettrace',
    'perf-data/perf.data',
  ])('%s has the same activities and events', async (file) => {
    const path = join(data, file);
    const [before, after] = await Promise.all([seenIn(path), seenIn(await exported(path))]);
    expect(before.events.length).toBeGreaterThan(0);
    expect(after.activities).toEqual(before.activities);
    expect(after.events).toEqual(before.events);
    expect(after.processNames).toEqual(before.processNames);
  });

  it('has the same CPU samples', async () => {
    const path = join(data, 'nettrace/only_managed_samples.nettrace');
    const [before, after] = await Promise.all([seenIn(path), seenIn(await exported(path))]);
    expect(before.functions.length).toBeGreaterThan(3);
    expect(after.functions).toEqual(before.functions);
  });

  it('in gzip is recognized as well', async () => {
    const { gzipSync } = await import('node:zlib');
    const trace = await openTrace(
      gzipSync(await exported(join(data, 'nettrace/activities-net10.v6.nettrace'))),
    );
    expect(trace.info.format).toBe('perfetto');
    await trace.close();
  });

  it('exported as OTLP is not mistaken for one', async () => {
    const { OtlpExport } = await import('../../../lib/export/otlp-export.ts');
    const path = join(data, 'nettrace/activities-net10.v6.nettrace');
    const { bytes } = await exportTrace(path, (trace) => new OtlpExport('protobuf', trace));
    await expect(openTrace(bytes)).rejects.toThrow('is not a supported trace');
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });
});
