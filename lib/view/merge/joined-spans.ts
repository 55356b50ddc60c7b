/** The activities that cross from one trace to another, joined by their W3C ids, in bounded memory. */
import { spanKey } from '../spans.ts';
import type { ActivityChange } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { JoinedRequest } from './clock-fit.ts';

/** A request between two clocks, which are indices here. */
export interface RequestBetween extends JoinedRequest {
  readonly clientClock: number;
  readonly serverClock: number;
}

interface SeenSpan {
  readonly clock: number;
  readonly startNs: number;
  stopNs: number | undefined;
}

/** What one span id joins: the client with this id, and the servers that name it as their parent. */
interface Joint {
  client: SeenSpan | undefined;
  readonly servers: SeenSpan[];
}

/** The maximum number of spans in both roles; beyond it, every second joint is dropped, the same ones in each trace. */
const MAX_SPANS = 1 << 17;
/** The last digits of a span id, which are random; if they are not, any selection is as good. */
const RANDOM_DIGITS = -8;
const RANDOM_RANGE = 2 ** 32;

export class JoinedSpans {
  readonly #joints = new Map<string, Joint>();
  readonly #unstopped = new WeakMap<TracedActivity, SeenSpan>();
  #count = 0;
  #keptRange = RANDOM_RANGE;
  readonly #maxSpans: number;

  constructor(maxSpans: number = MAX_SPANS) {
    this.#maxSpans = maxSpans;
  }

  /**
   * Takes the effect of an event of a trace.
   *
   * @param aheadNs how much later its times are on its clock than in the trace
   */
  add(clock: number, { boundary, activity }: ActivityChange, aheadNs: number): void {
    const { span, endNs } = activity;
    if (span === undefined) return;
    if (boundary === 'Stop') {
      const seen = this.#unstopped.get(activity);
      if (seen !== undefined && endNs !== undefined) seen.stopNs = endNs + aheadNs;
      return;
    }
    const seen: SeenSpan = { clock, startNs: activity.startNs + aheadNs, stopNs: undefined };
    this.#unstopped.set(activity, seen);
    const asClient = this.#joint(span.traceId, span.spanId);
    if (asClient !== undefined) asClient.client = seen;
    const asServer = span.parentSpanId && this.#joint(span.traceId, span.parentSpanId);
    if (asServer) asServer.servers.push(seen);
    while (this.#count > this.#maxSpans) this.#forgetHalf();
  }

  /** Requests whose client and server have different clocks. A client of several servers waits for none of them. */
  *requests(): Generator<RequestBetween, void, undefined> {
    for (const { client, servers } of this.#joints.values()) {
      for (const server of servers) {
        if (client === undefined || client.clock === server.clock) continue;
        const sent = servers.length === 1 ? client : { ...client, stopNs: undefined };
        yield { client: sent, server, clientClock: client.clock, serverClock: server.clock };
      }
    }
  }

  /** The joint for one more span; undefined if it is one of those dropped. */
  #joint(traceId: string, spanId: string): Joint | undefined {
    const key = spanKey(traceId, spanId);
    if (!this.#isKept(key)) return undefined;
    this.#count++;
    const known = this.#joints.get(key);
    if (known !== undefined) return known;
    const joint: Joint = { client: undefined, servers: [] };
    this.#joints.set(key, joint);
    return joint;
  }

  #isKept(key: string): boolean {
    return Number.parseInt(key.slice(RANDOM_DIGITS), 16) < this.#keptRange;
  }

  #forgetHalf(): void {
    this.#keptRange /= 2;
    this.#count = 0;
    for (const [key, { client, servers }] of this.#joints) {
      if (!this.#isKept(key)) this.#joints.delete(key);
      else this.#count += servers.length + (client === undefined ? 0 : 1);
    }
  }
}
