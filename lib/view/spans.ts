/**
 * The ids that connect activities across processes: those of W3C Trace Context, which a Start event has as fields. Also
 * activities that have no other ids: those of .NET's System.Diagnostics, whose ids the bridge
 * `Microsoft-Diagnostics-DiagnosticSource` writes as text in a list of arguments.
 *
 * Sources: W3C Trace Context, level 2; .NET's DiagnosticSourceEventSource.
 */

import { saysFailure } from '../known/failures.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { Payload } from '../wire/decoded-field.ts';

/** The place of an activity in a distributed trace, in lower-case hexadecimal digits. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The id is undefined for a root. */
  readonly parentSpanId: string | undefined;
}

/** What an event of the bridge says about an activity. */
export interface BridgedActivity {
  /** `Microsoft.AspNetCore` */
  readonly source: string;
  /** `Microsoft.AspNetCore.Hosting.HttpRequestIn` */
  readonly task: string;
  readonly span: Span;
  /** Its display name, if different. */
  readonly displayName: string | undefined;
  readonly isFailed: boolean;
}

/** The fields of a Start with these ids: they do not describe the activity to a reader. */
export const SPAN_FIELDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

const BRIDGE = 'Microsoft-Diagnostics-DiagnosticSource';
/** The maximum number of arguments: one for each property of an activity and for each that a tool has requested. */
const MAX_ARGUMENTS = 1000;

const TRACE_ID = /^(?!0{32})[\da-f]{32}$/i;
const SPAN_ID = /^(?!0{16})[\da-f]{16}$/i;
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/i;

/** The ids in a Start's fields; undefined if it has none. */
export function spanOf({ payload }: Pick<TraceEvent, 'payload'>): Span | undefined {
  return span(payload.traceId, payload.spanId, payload.parentSpanId);
}

/** Returns undefined for events that are not from the bridge or have no W3C ids. */
export function bridgedActivity(
  event: Pick<TraceEvent, 'provider' | 'payload'>,
): BridgedActivity | undefined {
  if (event.provider !== BRIDGE) return undefined;
  const { SourceName, ActivityName, EventName, Arguments } = event.payload;
  const values = argumentsOf(Arguments);
  const [, traceId, spanId] = TRACEPARENT.exec(values.get('Id') ?? '') ?? [];
  const [, , parentId] = TRACEPARENT.exec(values.get('ParentId') ?? '') ?? [];
  const found = span(
    values.get('TraceId') ?? traceId,
    values.get('SpanId') ?? spanId,
    values.get('ParentSpanId') ?? parentId,
  );
  if (found === undefined || typeof SourceName !== 'string') return undefined;
  const name = typeof ActivityName === 'string' ? ActivityName : values.get('OperationName');
  const task = name ?? (typeof EventName === 'string' ? EventName.replace(/\.?(Start|Stop)$/, '') : '');
  const displayName = values.get('DisplayName');
  return {
    source: SourceName === '' ? BRIDGE : SourceName,
    task: task === '' ? 'Activity' : task,
    span: found,
    displayName: displayName === task || displayName === '' ? undefined : displayName,
    isFailed: saysFailure(Object.fromEntries(values), values.get('Kind') === 'Client'),
  };
}

function span(traceId: unknown, spanId: unknown, parentSpanId: unknown): Span | undefined {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return undefined;
  const hasParent = typeof parentSpanId === 'string' && SPAN_ID.test(parentSpanId);
  return {
    traceId: traceId.toLowerCase(),
    spanId: spanId.toLowerCase(),
    parentSpanId: hasParent ? parentSpanId.toLowerCase() : undefined,
  };
}

/** The key-value pairs of the bridge's list. */
function argumentsOf(list: Payload[string] | undefined): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (!Array.isArray(list)) return values;
  for (const pair of list.slice(0, MAX_ARGUMENTS) as readonly unknown[]) {
    if (typeof pair !== 'object' || pair === null) continue;
    const { Key, Value } = pair as { readonly Key?: unknown; readonly Value?: unknown };
    if (typeof Key === 'string' && typeof Value === 'string') values.set(Key, Value);
  }
  return values;
}

/** An id as text, for maps. */
export function spanKey(traceId: string, spanId: string): string {
  return `${traceId}-${spanId}`;
}
