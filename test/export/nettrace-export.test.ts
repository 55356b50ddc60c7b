/** Traces of every format as nettrace: everything reads back unchanged, field for field. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NetTraceExport } from '../../lib/export/nettrace-export.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { jsonValue, type TraceEvent } from '../../lib/trace/trace-event.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { checkNetTrace } from '../wire/nettrace/write/nettrace-checker.ts';
import { type Exported, exportTrace } from './exported.ts';

interface Given {
  readonly file: string;
  readonly manifests: readonly string[];
}

const folder = dataFolder ?? '';
const given: readonly Given[] =
  dataFolder === undefined
    ? []
    : [
        ...readdirSync(join(folder, 'nettrace')).map((name) => `nettrace/${name}`),
        ...readdirSync(join(folder, 'etl')).map((name) => `etl/${name}`),
        'perf-data/perf.data',
      ]
        .filter((path) => /\.(nettrace|netperf|etl|data)$/.test(path))
        .map((path) => ({
          file: join(folder, path),
          manifests: path.includes('HTTP_Server')
            ? [readFileSync(join(folder, 'etl/HTTP_Server.man'), 'utf8')]
            : [],
        }));

const cases = given.flatMap((trace) => ([6, 4] as const).map((version) => ({ ...trace, version })));

async function readBack(bytes: Uint8Array) {
  const trace = await openTrace(bytes);
  const events: TraceEvent[] = [];
  for await (const batch of trace.batches()) events.push(...batch);
  return { trace, events };
}

/** Of an event what the format has a place for, by its version, and by whether the event was read from a nettrace. */
function kept(event: TraceEvent, version: 4 | 6, isNetTrace: boolean, oneProcess: boolean) {
  const { threadId, stack, labels } = event;
  return {
    provider: event.provider,
    name: event.name,
    id: event.id,
    version: event.version,
    level: event.level,
    opcode: event.opcode,
    keywords: String(event.keywords),
    timestamp: String(event.timestamp),
    activityId: event.activityId,
    relatedActivityId: event.relatedActivityId,
    stack: stack?.join() || undefined,
    payload: withoutNull(jsonValue(event.payload)),
    processor: event.processor,
    ...(version === 6 ? { threadId, labels: labels && jsonValue(labels) } : { threadId: threadId ?? 0 }),
    ...((version === 6 || oneProcess) && { processId: event.processId }),
    providerGuid: version === 6 ? event.providerGuid : undefined,
    ...(isNetTrace && {
      opcodeName: event.opcodeName,
      taskName: event.taskName,
      timeSinceStart: String(event.timeSinceStart),
      payloadProblem: event.payloadProblem,
    }),
  };
}

/** The format has no word for a field that is absent. */
function withoutNull(payload: unknown): unknown {
  return Object.fromEntries(Object.entries(payload as object).filter(([, value]) => value !== null));
}

function differences({ trace, events }: Exported, again: readonly TraceEvent[], version: 4 | 6): unknown[] {
  const isNetTrace = trace.info.format === 'nettrace' || trace.info.format === 'netperf';
  const found: unknown[] = [];
  for (let i = 0; i < events.length && found.length < 3; i++) {
    const event = events[i] as TraceEvent;
    const oneProcess = trace.info.processId === event.processId && event.processId !== undefined;
    const before = kept(event, version, isNetTrace, oneProcess);
    const after = kept(again[i] as TraceEvent, version, isNetTrace, oneProcess);
    // perf gives its tracepoints no GUIDs: readers of nettrace make one of the name.
    if (before.providerGuid === undefined) after.providerGuid = undefined;
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ index: i, before, after });
  }
  return found;
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`a trace as nettrace (${SKIP_REASON})`, () => {
  it.each(cases)(
    'preserves $file in version $version',
    { timeout: 60_000 },
    async ({ file, manifests, version }) => {
      const exported = await exportTrace(file, (trace) => new NetTraceExport(version, trace), manifests);
      const checked = checkNetTrace(exported.bytes);
      const again = await readBack(exported.bytes);
      expect(checked.version).toBe(version);
      expect(again.events.length).toBe(exported.events.length);
      expect(differences(exported, again.events, version)).toEqual([]);
      expect(again.trace.lostEvents).toBe(exported.trace.lostEvents);
    },
  );
});
