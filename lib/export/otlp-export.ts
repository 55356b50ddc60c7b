/**
 * The activities of a trace as OpenTelemetry spans, with the events inside as span events.
 *
 * A tree of activities is kept until its outermost one has ended: any of them may contain the trace id.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { countText } from '../view/number-text.ts';
import { SPAN_FIELDS } from '../view/spans.ts';
import { TraceActivities } from '../view/trace-activities.ts';
import { ActivityNotes, type TracedActivity } from '../view/traced-activity.ts';
import {
  encodeRequest,
  type KeyValue,
  type OtlpEvent,
  type OtlpRequest,
  type OtlpSpan,
  SpanKind,
  StatusCode,
} from '../wire/otlp.ts';
import type { ExportedEnd, ExportedPiece, ExportedTrace, Exporter } from './exporter.ts';
import { attributesOf, resourceAttributes } from './otlp-values.ts';
import { endSubject, type SpanSubject, spanFields, startedSubject } from './span-conventions.ts';
import { type SpanId, SpanIds } from './span-ids.ts';

/** A span has at most this many events: OpenTelemetry's own limit. */
const MAX_EVENTS = 128;
/** A tree with more spans has its ended activities written. */
const MAX_TREE_SPANS = 5000;
/**
 * Limits the spans of all trees: beyond that, the oldest tree is written as it is, since the Stop of its root may be
 * lost.
 */
const MAX_HELD_SPANS = 1 << 16;
/** A request has at most this many spans. */
const MAX_REQUEST_SPANS = 500;

interface PendingSpan {
  readonly activity: TracedActivity;
  readonly scope: string;
  readonly span: OtlpSpan;
}

interface Tree {
  readonly root: TracedActivity;
  spans: OpenSpan[];
}

interface OpenSpan {
  readonly activity: TracedActivity;
  readonly tree: Tree;
  readonly parent: OpenSpan | undefined;
  readonly subject: SpanSubject;
  readonly attributes: KeyValue[];
  readonly events: OtlpEvent[];
  droppedEvents: number;
  isWritten: boolean;
}

export class OtlpExport implements Exporter {
  readonly notices: string[] = [];
  readonly #encoding: 'json' | 'protobuf';
  readonly #startTime: bigint;
  readonly #trace: ExportedTrace;
  readonly #activities = new TraceActivities();
  readonly #ids: SpanIds;
  /** Includes spans already written, as long as TraceActivities knows their activities. */
  readonly #spans = new ActivityNotes<OpenSpan>();
  readonly #trees = new Set<Tree>();
  #pending: PendingSpan[] = [];
  /** The number of spans in all chunks taken so far. */
  takenSpans = 0;
  /** Spans that are not written yet. */
  #held = 0;
  #outside = 0;
  #unstarted = 0;

  constructor(encoding: 'json' | 'protobuf', trace: ExportedTrace) {
    this.#encoding = encoding;
    this.#trace = trace;
    this.#startTime = trace.info.startTime;
    this.#ids = new SpanIds(trace.info.startTime);
  }

  add(event: TraceEvent): void {
    const change = this.#activities.add(event);
    if (change === undefined) this.#addInside(event);
    else if (change.boundary === 'Start') this.#start(event, change.activity);
    else this.#stop(event, change.activity);
  }

  get isFull(): boolean {
    return this.#pending.length >= MAX_REQUEST_SPANS;
  }

  /** Whether there is anything to take. */
  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  take(): ExportedPiece {
    const taken = this.#pending.splice(0, MAX_REQUEST_SPANS);
    this.takenSpans += taken.length;
    const request = this.#request(taken);
    return this.#encoding === 'json' ? `${JSON.stringify(request)}\n` : encodeRequest(request);
  }

  get contents(): string {
    return countText(this.takenSpans, 'span');
  }

  /** Writes activities that are still open as they are: no more events follow. */
  close(): void {
    for (const tree of this.#trees) this.#write(tree.spans);
    this.#trees.clear();
  }

  *end(_end: ExportedEnd): Generator<ExportedPiece, void> {
    this.close();
    while (this.#pending.length > 0) yield this.take();
    if (!this.#trace.info.hasWallTime)
      this.notices.push('The trace does not contain the time of day: the spans begin in 1970.');
    if (this.#unstarted > 0)
      this.notices.push(`Omitted ${countText(this.#unstarted, 'activity')} without a Start in the trace.`);
    if (this.#outside > 0)
      this.notices.push(`Omitted ${countText(this.#outside, 'event')} outside all activities.`);
  }

  #start(event: TraceEvent, activity: TracedActivity): void {
    const parent = activity.parent && this.#spans.get(activity.parent);
    const tree = parent !== undefined && !parent.isWritten ? parent.tree : { root: activity, spans: [] };
    const { provider, task } = activity;
    this.#ids.start(activity);
    const subject = startedSubject(provider, task, event.payload);
    const span: OpenSpan = {
      activity,
      tree,
      parent,
      subject,
      attributes: attributesOf(spanFields(subject, provider, event.payload), SPAN_FIELDS),
      events: [],
      droppedEvents: 0,
      isWritten: false,
    };
    this.#spans.set(activity, span);
    this.#trees.add(tree);
    if (tree.spans.length >= MAX_TREE_SPANS) {
      this.#write(tree.spans.filter((each) => each.activity.endNs !== undefined));
      tree.spans = tree.spans.filter((each) => !each.isWritten);
    }
    tree.spans.push(span);
    if (++this.#held > MAX_HELD_SPANS) this.#giveUpOldest();
  }

  #stop(event: TraceEvent, activity: TracedActivity): void {
    const span = this.#spans.get(activity);
    if (span === undefined) {
      this.#unstarted++;
      return;
    }
    const { subject, attributes } = span;
    endSubject(subject, activity, event.payload);
    const started = new Map<string, number>();
    for (let i = 0; i < attributes.length; i++) started.set((attributes[i] as KeyValue).key, i);
    for (const attribute of attributesOf(
      spanFields(subject, activity.provider, event.payload),
      SPAN_FIELDS,
    )) {
      const { key, value } = attribute;
      const index = started.get(key);
      if (index === undefined) attributes.push(attribute);
      // A span's Stop has all its attributes.
      else if (subject.scope !== undefined) attributes[index] = attribute;
      else attributes.push({ key: `stop.${key}`, value });
    }
    if (span.tree.root !== activity || span.isWritten) return;
    this.#write(span.tree.spans);
    this.#trees.delete(span.tree);
  }

  #addInside(event: TraceEvent): void {
    const activity = this.#activities.activityOf(event);
    const span = activity && this.#spans.get(activity);
    if (span === undefined || span.isWritten) this.#outside++;
    else if (span.events.length === MAX_EVENTS) span.droppedEvents++;
    else {
      span.events.push({
        timeUnixNano: this.#timeText(this.#activities.nowNs),
        name: event.name,
        attributes: attributesOf(event.payload),
      });
    }
  }

  #write(spans: readonly OpenSpan[]): void {
    for (const open of spans) {
      if (open.isWritten) continue;
      open.isWritten = true;
      this.#held--;
      const { activity, subject } = open;
      this.#pending.push({
        activity,
        scope: subject.scope ?? activity.provider,
        span: this.#spanOf(open),
      });
    }
  }

  #giveUpOldest(): void {
    for (const tree of this.#trees) {
      this.#write(tree.spans);
      this.#trees.delete(tree);
      return;
    }
  }

  #spanOf(open: OpenSpan): OtlpSpan {
    const { activity, parent } = open;
    const { name, kind, failure, links = [] } = open.subject;
    const { traceId, spanId } = this.#ids.of(activity) as SpanId;
    const parentId = parent && this.#ids.of(parent.activity);
    const isInTraceOfParent = parentId?.traceId === traceId;
    const parentSpanId = isInTraceOfParent ? parentId.spanId : activity.span?.parentSpanId;
    return {
      traceId,
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      name,
      kind:
        kind ?? (parent === undefined && parentSpanId !== undefined ? SpanKind.Server : SpanKind.Internal),
      startTimeUnixNano: this.#timeText(activity.startNs),
      endTimeUnixNano: this.#timeText(activity.endNs ?? this.#activities.nowNs),
      attributes: [...open.attributes, ...attributesOf(ownFields(activity))],
      events: open.events,
      droppedEventsCount: open.droppedEvents,
      links: parentId === undefined || isInTraceOfParent ? links : [...links, parentId],
      status:
        failure === undefined ? { code: StatusCode.Unset } : { message: failure, code: StatusCode.Error },
    };
  }

  #request(pending: readonly PendingSpan[]): OtlpRequest {
    const processes = new Map<number | undefined, Map<string, OtlpSpan[]>>();
    for (const { activity, scope, span } of pending) {
      const scopes = processes.get(activity.processId) ?? new Map<string, OtlpSpan[]>();
      processes.set(activity.processId, scopes);
      const spans = scopes.get(scope) ?? [];
      scopes.set(scope, spans);
      spans.push(span);
    }
    return {
      resourceSpans: Array.from(processes, ([processId, scopes]) => ({
        resource: { attributes: resourceAttributes(this.#trace, processId) },
        scopeSpans: Array.from(scopes, ([name, spans]) => ({ scope: { name }, spans })),
      })),
    };
  }

  #timeText(ns: number): string {
    return String(this.#startTime + BigInt(Math.round(ns)));
  }
}

/** What is known about an activity besides its fields. */
function ownFields({ id, startThreadId, state }: TracedActivity): object {
  return {
    'tracewright.activity.id': id,
    'thread.id': startThreadId,
    ...(state !== 'stopped' && { 'tracewright.activity.state': state }),
  };
}
