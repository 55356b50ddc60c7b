/** The events of a trace as rows. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { Span } from '../spans.ts';
import type { EventTable } from './tables.ts';

/** What the row of an event needs besides it. */
export interface EventParts {
  readonly trace: string;
  /** Since 1970, in 64 bits. */
  readonly time: bigint;
  readonly startTime: bigint;
  readonly path: string | undefined;
  readonly span: Pick<Span, 'traceId' | 'spanId'> | undefined;
  /** As JSON. */
  readonly payload: string;
  readonly stackId: number | undefined;
}

const SLASH = 0x2f;
const DOLLAR = 0x24;
const MAX_PREFIXES = 4096;
/** By path. */
const prefixes = new Map<string, readonly string[]>();

export function putEvent(table: EventTable, event: TraceEvent, parts: EventParts): void {
  const { time, path, span } = parts;
  table.trace.add(parts.trace);
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
  table.pathPrefixes.addAll(path === undefined ? undefined : prefixesOf(path));
  table.relatedActivityId.add(event.relatedActivityId);
  table.traceId.add(span?.traceId);
  table.spanId.add(span?.spanId);
  table.payload.add(parts.payload);
  table.stackId.add(parts.stackId);
}

/** `//1/1/6` as `//1`, `//1/1` and `//1/1/6` */
function prefixesOf(path: string): readonly string[] {
  let known = prefixes.get(path);
  if (known === undefined) {
    if (prefixes.size >= MAX_PREFIXES) prefixes.clear();
    known = [...shorter(path), path];
    prefixes.set(path, known);
  }
  return known;
}

function shorter(path: string): string[] {
  const all: string[] = [];
  for (let at = 3; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code === SLASH || code === DOLLAR) all.push(path.slice(0, at));
  }
  return all;
}
