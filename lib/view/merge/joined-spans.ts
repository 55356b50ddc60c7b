/** The activities that cross from one trace to another, found by their ids of W3C, in bounded memory. */
import type { Span } from '../spans.ts';
import { spanKey } from '../spans.ts';
import type { ActivityChange } from '../trace-activities.ts';
import type { JoinedRequest } from './clock-fit.ts';

/** A request between two clocks, which are numbers here. */
export interface RequestBetween extends JoinedRequest {
  readonly clientClock: number;
  readonly serverClock: number;
}

interface SeenSpan {
  readonly span: Span;
  readonly clock: number;
  readonly startNs: number;
  stopNs: number | undefined;
}

/** Beyond, every second trace id is forgotten, the same ones in each file: what is left can still be joined. */
const MAX_SPANS = 1 << 17;
/** Of a trace id the last digits, which are random in all of its dialects. */
const RANDOM_DIGITS = -8;
const RANDOM_RANGE = 2 ** 32;

export class JoinedSpans {
  readonly #spans = new Map<string, SeenSpan>();
  #keptRange = RANDOM_RANGE;
  readonly #maxSpans: number;

  constructor(maxSpans: number = MAX_SPANS) {
    this.#maxSpans = maxSpans;
  }

  /**
   * Takes what an event of the trace has done.
   *
   * @param aheadNs by how much later than in the trace its times are on its clock
   */
  add(clock: number, { boundary, activity }: ActivityChange, aheadNs: number): void {
    const { span } = activity;
    if (span === undefined || !this.#isKept(span)) return;
    const key = spanKey(span.traceId, span.spanId);
    if (boundary === 'Start') {
      const startNs = activity.startNs + aheadNs;
      this.#spans.set(key, { span, clock, startNs, stopNs: undefined });
      if (this.#spans.size > this.#maxSpans) this.#forgetHalf();
      return;
    }
    const seen = this.#spans.get(key);
    if (seen?.clock === clock && activity.endNs !== undefined) seen.stopNs = activity.endNs + aheadNs;
  }

  /** Those whose client and server have different clocks. */
  *requests(): Generator<RequestBetween, void, undefined> {
    for (const server of this.#spans.values()) {
      const { traceId, parentSpanId } = server.span;
      const client = parentSpanId === undefined ? undefined : this.#spans.get(spanKey(traceId, parentSpanId));
      if (client === undefined || client.clock === server.clock) continue;
      yield { client, server, clientClock: client.clock, serverClock: server.clock };
    }
  }

  #isKept({ traceId }: Span): boolean {
    return Number.parseInt(traceId.slice(RANDOM_DIGITS), 16) < this.#keptRange;
  }

  #forgetHalf(): void {
    this.#keptRange /= 2;
    for (const [key, { span }] of this.#spans) {
      if (!this.#isKept(span)) this.#spans.delete(key);
    }
    // Ids that are not random: the last ones go, as no range divides them.
    for (const key of this.#spans.keys()) {
      if (this.#spans.size <= this.#maxSpans) return;
      this.#spans.delete(key);
    }
  }
}
