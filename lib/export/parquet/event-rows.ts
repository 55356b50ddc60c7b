/** The events of a trace as rows. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { Span } from '../../view/spans.ts';
import type { EventTable } from './tables.ts';

/** What the row of an event needs besides it. */
interface EventParts {
  /** Nanoseconds since 1970, which fit into 64 bits. */
  readonly time: bigint;
  readonly startTime: bigint;
  readonly path: string | undefined;
  readonly span: Pick<Span, 'traceId' | 'spanId'> | undefined;
  /** The payload is JSON. */
  readonly payload: string;
  readonly stackId: number | undefined;
}

const SLASH = 0x2f;
const DOLLAR = 0x24;
/** The first number of a path comes after its two slashes. */
const FIRST_NUMBER = 2;
const ends: number[] = [];

export function putEvent(table: EventTable, event: TraceEvent, parts: EventParts): void {
  const { time, path, span } = parts;
  table.ts.add(time);
  table.tsNs.add(time);
  table.sinceStart.add(time - parts.startTime);
  table.pid.add(event.processId);
  table.tid.add(event.threadId);
  table.cpu.add(event.processor);
  table.provider.add(event.provider);
  table.providerGuid.add(event.providerGuid);
  table.name.add(event.name);
  table.id.add(event.id);
  table.version.add(event.version);
  table.level.add(event.level);
  table.opcode.add(event.opcode);
  table.task.add(event.task);
  table.keywords.add(event.keywords);
  table.activityId.add(event.activityId);
  table.activityPath.add(path);
  if (path === undefined) table.pathPrefixes.addNull();
  else table.pathPrefixes.addStarts(path, endsOf(path));
  table.relatedActivityId.add(event.relatedActivityId);
  table.traceId.add(span?.traceId);
  table.spanId.add(span?.spanId);
  table.payload.add(parts.payload);
  table.stackId.add(parts.stackId);
}

/** Where `//1/1/6` ends, and those above it: `//1` and `//1/1`. Valid until the next call. */
function endsOf(path: string): readonly number[] {
  ends.length = 0;
  for (let at = FIRST_NUMBER + 1; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code === SLASH || code === DOLLAR) ends.push(at);
  }
  ends.push(path.length);
  return ends;
}
