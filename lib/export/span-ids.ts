/**
 * The ids that activities have as OpenTelemetry spans. Those that no activity contains are derived from the trace alone,
 * so that repeated exports are identical, and profiles link to the spans of another export.
 */
import { hash } from 'node:crypto';
import { ActivityNotes, type TracedActivity } from '../view/traced-activity.ts';

export interface SpanId {
  readonly traceId: string;
  readonly spanId: string;
}

/** The activities of one trace share this. */
interface TraceId {
  id: string | undefined;
  readonly root: TracedActivity;
}

interface Ids {
  readonly trace: TraceId;
  readonly spanId: string;
}

export class SpanIds {
  readonly #startTime: bigint;
  readonly #ids = new ActivityNotes<Ids>();

  /** @param startTime of the trace */
  constructor(startTime: bigint) {
    this.#startTime = startTime;
  }

  /** Takes each activity when it starts. */
  start(activity: TracedActivity): void {
    const { span, parent } = activity;
    const around = parent && this.#ids.get(parent)?.trace;
    let trace = around ?? { id: undefined, root: activity };
    if (span !== undefined) {
      trace.id ??= span.traceId;
      if (trace.id !== span.traceId) trace = { id: span.traceId, root: activity };
    }
    this.#ids.set(activity, { trace, spanId: span?.spanId ?? this.#digest('span', activity, 16) });
  }

  /** Any activity of a tree may contain the trace id: it is final when the outermost one has ended. */
  of(activity: TracedActivity): SpanId | undefined {
    const ids = this.#ids.get(activity);
    if (ids === undefined) return undefined;
    const { trace, spanId } = ids;
    trace.id ??= this.#digest('trace', trace.root, 32);
    return { traceId: trace.id, spanId };
  }

  #digest(what: string, { processId, id, startNs }: TracedActivity, digits: number): string {
    const text = `${this.#startTime} ${what} ${processId} ${id} ${startNs}`;
    return hash('sha256', text).slice(0, digits);
  }
}
