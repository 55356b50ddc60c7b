/** tracewright/opentelemetry-traces: OpenTelemetry spans as activities. */
import { type Attributes, type Context, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Activity, ActivityContext } from '../activity/activity.ts';
import { ActivityOptions } from '../activity/activity.ts';
import { traceOf } from '../activity/crossing.ts';
import type { ActivityFlow } from '../activity/flow.ts';
import { formatActivityPath } from '../activity/path.ts';
import { sharedActivities } from '../activity/shared.ts';
import { TraceContext } from '../activity/trace-context.ts';
import { boundedCopy, cut } from '../logs/bounded.ts';
import { CommonSchemaEvents } from '../logs/common-schema.ts';
import { type ActivityEvents, activityEventsOf } from '../source/activity-events.ts';
import { Level } from '../source/constants.ts';
import { checkOptionNames } from '../source/definition-checks.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';
import { type CommonSchemaSpan, writeSpan } from './opentelemetry/common-schema-span.ts';

export interface SpanActivitiesOptions {
  /** The provider's name; the default is `OpenTelemetry`. */
  readonly provider?: string;
  /**
   * Whether each span is also an event `Span` in Microsoft's Common Schema 4.0, which Azure's agents read: one with
   * keyword 1, when the span ends.
   */
  readonly commonSchema?: boolean;
}

/** Seconds and nanoseconds since 1970. */
type Time = readonly [seconds: number, nanoseconds: number];

/** What the spans of OpenTelemetry's SDKs, from 1.25 to 3, have in common. */
interface EndedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly {
    readonly name: string;
    readonly time: Time;
    readonly attributes?: Attributes;
  }[];
  readonly links: readonly { readonly context: { readonly traceId: string; readonly spanId: string } }[];
  /** SDK 1. */
  readonly parentSpanId?: string;
  /** SDK 2 and later. */
  readonly parentSpanContext?: { readonly spanId: string };
  /** SDK 1. */
  readonly instrumentationLibrary?: { readonly name: string };
  /** SDK 2 and later. */
  readonly instrumentationScope?: { readonly name: string };
}

/** A span processor for the SDK. */
export interface SpanActivities {
  onStart(span: Span, parentContext: Context): void;
  onEnd(span: object): void;
  forceFlush(): Promise<void>;
  /** Stops writing. */
  shutdown(): Promise<void>;
}

/** Maximum sizes in bytes of the fields without a fixed size: together less than perf's 8184. */
const MAX_TEXT = 500;
const MAX_ATTRIBUTES = 5000;

const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'];

/** Spans nest in spans, and some outlive the span that they began in. */
const activityOptions = ActivityOptions.Recursive | ActivityOptions.Detachable;

const EVENTS = {
  SpanStart: event(
    {
      name: 'string',
      kind: 'string',
      scope: 'string',
      traceId: 'string',
      spanId: 'string',
      parentSpanId: 'string',
      attributes: 'json',
    },
    { activityOptions, message: '{0}' },
  ),
  SpanStop: event({
    name: 'string',
    success: 'bool',
    errorMessage: 'string',
    attributes: 'json',
    links: 'json',
  }),
  SpanEvent: event({ name: 'string', time: 'time', attributes: 'json' }, { message: '{0}' }),
};

/**
 * A span processor that writes each span as an activity while somebody wants its events: its Start, its Stop and the
 * span's own events. Activities started in a span are nested in it. Spans started in an activity are nested in that,
 * with its id in the attributes `tracewright.activity.id` and `tracewright.activity.path`. Only one can be active at a
 * time.
 */
export function spanActivities(options: SpanActivitiesOptions = {}): SpanActivities {
  checkOptionNames('spanActivities', options, ['provider', 'commonSchema']);
  return new SpanProcessor(options);
}

/**
 * A context with the trace of the running code's activity, for spans that belong to it: `context.with(activityTrace(),
 * work)`. Outside activities that cross processes, it is the unchanged context.
 */
export function activityTrace(outer: Context = context.active()): Context {
  const own = traceOf(sharedActivities().flow.context);
  if (own === undefined || trace.getSpanContext(outer)?.spanId === own.spanId) return outer;
  const { traceId, spanId, flags } = own;
  return trace.setSpanContext(outer, { traceId, spanId, traceFlags: flags & 1, isRemote: true });
}

class SpanProcessor implements SpanActivities {
  readonly #source;
  readonly #events: ActivityEvents;
  readonly #flow: ActivityFlow = sharedActivities().flow;
  readonly #common: CommonSchemaEvents | undefined;
  readonly #activities = new WeakMap<object, Activity>();
  readonly #refine = (own: ActivityContext | undefined) => this.#innermost(context.active(), own);

  constructor({ provider = 'OpenTelemetry', commonSchema = false }: SpanActivitiesOptions) {
    this.#source = defineEventSource(provider, EVENTS);
    this.#common = commonSchema ? new CommonSchemaEvents(this.#source, [Level.Informational]) : undefined;
    this.#events = activityEventsOf(this.#source, 'Span');
    this.#flow.refine = this.#refine;
  }

  onStart(span: Span, parentContext: Context): void {
    if (!this.#events.startEnabled) return;
    const around = this.#innermost(parentContext, this.#flow.ownContext);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const activity = this.#events.beginIn(around, () => {
      const { name, kind, attributes, ...started } = span as unknown as EndedSpan;
      return {
        name: cut(name, MAX_TEXT),
        kind: KINDS[kind] ?? String(kind),
        scope: cut((started.instrumentationScope ?? started.instrumentationLibrary)?.name ?? '', MAX_TEXT),
        traceId,
        spanId,
        parentSpanId: started.parentSpanContext?.spanId ?? started.parentSpanId ?? '',
        attributes: boundedCopy(attributes, MAX_ATTRIBUTES),
      };
    });
    if (activity === undefined) return;
    activity.trace = TraceContext.parse(`00-${traceId}-${spanId}-0${traceFlags & 1}`);
    this.#activities.set(span, activity);
    span.setAttributes({
      'tracewright.activity.id': activity.id.toString(),
      'tracewright.activity.path': formatActivityPath(activity.id, sharedActivities().tracker.processId),
    });
  }

  onEnd(span: object): void {
    if (this.#common?.isWanted()) writeSpan(this.#common, span as CommonSchemaSpan);
    const activity = this.#activities.get(span);
    if (activity === undefined) return;
    const { name, status, attributes, events, links } = span as EndedSpan;
    const options = { activityId: activity.id.toString() };
    for (const inside of events) {
      this.#source.SpanEvent(
        () => ({
          name: cut(inside.name, MAX_TEXT),
          time: inside.time[0] * 1000 + inside.time[1] / 1e6,
          attributes: boundedCopy(inside.attributes ?? {}, MAX_ATTRIBUTES),
        }),
        options,
      );
    }
    this.#events.endBegun(activity, () => ({
      name: cut(name, MAX_TEXT),
      success: status.code !== SpanStatusCode.ERROR,
      errorMessage: cut(status.message ?? '', MAX_TEXT),
      attributes: boundedCopy(attributes, MAX_ATTRIBUTES),
      links: links.slice(0, MAX_LINKS).map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
    }));
  }

  async forceFlush(): Promise<void> {
    // Events are written immediately.
  }

  async shutdown(): Promise<void> {
    if (this.#flow.refine === this.#refine) this.#flow.refine = undefined;
    this.#source.close();
  }

  /** The activity of the context's span, unless the code has entered another activity inside it since. */
  #innermost(spanContext: Context, own: ActivityContext | undefined): ActivityContext | undefined {
    const span = trace.getSpan(spanContext);
    const ofSpan = span && this.#activities.get(span);
    if (ofSpan === undefined || ofSpan.stopped || own?.manualId !== undefined) return own;
    for (let inner = own?.activity; inner !== undefined; inner = inner.creator) {
      if (inner === ofSpan) return own;
    }
    return ofSpan;
  }
}

const MAX_LINKS = 10;
