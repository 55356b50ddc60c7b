/**
 * Aligns the clock of one trace with a known one, using the requests between them: offset, drift, and their possible
 * error.
 *
 * A server starts a request after its client has, and its client waits for it. So each request bounds how far the
 * server's clock may be ahead, from above and from below. The estimate is the center of everything that satisfies all
 * requests, and the extent of that region is the error.
 *
 * Starts are reliable. A server's stop, however, may be written late: its client has the response while the server's
 * event loop is still busy. So bounds from stops have a margin, which grows if the requests show the need.
 *
 * Not every client waits: a job in a queue starts and stops when it may, long after it was sent, and several times if it
 * fails. If the stops cannot be those of clients that wait, only the starts count.
 */
import { aheadAt, type ClockLine, ClockRegion, ROUNDING_NS, type Side } from './clock-region.ts';

/** Both times are nanoseconds on the clock of their trace; the stop is missing if the trace has none. */
export interface TimedSpan {
  readonly startNs: number;
  readonly stopNs: number | undefined;
}

export interface JoinedRequest {
  readonly client: TimedSpan;
  readonly server: TimedSpan;
}

export interface ClockEstimate {
  /** How far the clock is ahead of the known one. */
  readonly line: ClockLine;
  /** The maximum error within the requested time span, including the error of the known clock. */
  readonly errorNs: number;
  readonly driftErrorNsPerS: number;
}

/**
 * A fact about the clock: at this time it is ahead by at most or at least this much. All facts together bound the
 * estimate.
 */
interface Bound {
  readonly side: Side;
  readonly timeNs: number;
  readonly aheadNs: number;
  /** The possible error of the known clock. */
  readonly slackNs: number;
}

/** One turn of an event loop; the requests show whether busy ones need more. */
const LATE_STOP_NS = 1e6;
/** The share of stops that is ignored, the latest ones: a client that gives up does not stop its server. */
const UNUSED_STOPS = 1 / 16;
/** Beyond this, stops are not used at all. */
const MAX_LATE_STOP_NS = 60e9;

export class ClockFit {
  /** The bounds from servers' starts after their clients'. */
  readonly #starts: Bound[] = [];
  /** The bounds from these, and from servers' starts before their clients' stops. */
  #sure: Bound[] = [];
  /** The bounds from stops that may be late. */
  #stops: Bound[] = [];
  /** The bound from the first request. All others are relative to it, so that their numbers keep their precision. */
  #zeroNs: number | undefined;
  /** The number of requests used. */
  requests = 0;

  /**
   * @param known which of them has the known clock
   * @param slackNs the possible error of that clock
   */
  add({ client, server }: JoinedRequest, known: 'client' | 'server', slackNs = 0): void {
    this.requests++;
    const isServer = known === 'client';
    this.#zeroNs ??= isServer ? server.startNs - client.startNs : client.startNs - server.startNs;
    const zeroNs = this.#zeroNs;
    const bound = (first: number, then: number): Bound =>
      isServer
        ? { side: 'atMost', timeNs: then, aheadNs: then - first - zeroNs, slackNs }
        : { side: 'atLeast', timeNs: first, aheadNs: first - then - zeroNs, slackNs };
    const lateBound = (first: number, then: number): Bound =>
      isServer
        ? { side: 'atLeast', timeNs: first, aheadNs: first - then - zeroNs, slackNs }
        : { side: 'atMost', timeNs: then, aheadNs: then - first - zeroNs, slackNs };
    const starts = bound(client.startNs, server.startNs);
    this.#starts.push(starts);
    this.#sure.push(starts);
    if (client.stopNs === undefined || server.stopNs === undefined) return;
    // A server that takes longer than its client is not waited for: a message to a queue, for example.
    if (server.stopNs - server.startNs > client.stopNs - client.startNs) return;
    this.#sure.push(lateBound(server.startNs, client.stopNs));
    this.#stops.push(lateBound(server.stopNs, client.stopNs));
  }

  /** Returns undefined if the requests contradict each other, or if there are none. */
  estimate(fromNs: number, toNs: number): ClockEstimate | undefined {
    if (this.#region([], 0, 1).isEmpty) {
      this.#sure = this.#starts;
      this.#stops = [];
    }
    const middle = this.#region([], 0, 1).center;
    if (this.requests === 0 || middle === undefined) return undefined;
    const stops = usable(this.#stops, middle);
    const marginNs = this.#marginOf(stops, 1);
    const used = marginNs < MAX_LATE_STOP_NS ? stops : [];
    // Twice what is needed: that all stops just fit does not mean that the latest of them is on time.
    const allowedNs = Math.max(2 * marginNs, LATE_STOP_NS);
    const possible = this.#region(used, allowedNs, 1);
    const zeroNs = this.#zeroNs ?? 0;
    const unchanged = { offsetNs: -zeroNs, driftNsPerS: 0 };
    const line = this.#isPossible(unchanged, used, allowedNs)
      ? unchanged
      : (this.#likely(stops) ?? this.#inOrder(possible.center ?? middle));
    return {
      line: { ...line, offsetNs: line.offsetNs + zeroNs },
      errorNs: Math.max(possible.errorNs(line, fromNs), possible.errorNs(line, toNs)),
      driftErrorNsPerS: possible.driftErrorNsPerS(line),
    };
  }

  /** The smallest margin for late stops, in steps, that fits if the starts are correct. */
  #marginOf(stops: readonly Bound[], slackShare: number): number {
    let marginNs = 0;
    while (marginNs < MAX_LATE_STOP_NS && this.#region(stops, marginNs, slackShare).isEmpty) {
      marginNs = Math.max(2 * marginNs, LATE_STOP_NS / 2);
    }
    return marginNs;
  }

  /**
   * Assumes that the known clocks are exact, so that every server starts after its client; undefined if they are not,
   * as requests among three clocks may show.
   */
  #likely(stops: readonly Bound[]): ClockLine | undefined {
    if (this.#region([], 0, 0).isEmpty) return undefined;
    const marginNs = this.#marginOf(stops, 0);
    return this.#region(marginNs < MAX_LATE_STOP_NS ? stops : [], marginNs, 0).center;
  }

  /** Moves the line so that servers start after their clients, if one line can satisfy all. */
  #inOrder(line: ClockLine): ClockLine {
    const most = { atMost: 0, atLeast: 0 };
    for (const bound of this.#starts) most[bound.side] = Math.max(most[bound.side], excess(bound, line));
    if (most.atMost > 0 && most.atLeast > 0) return line;
    return { ...line, offsetNs: line.offsetNs - most.atMost + most.atLeast };
  }

  /** @param slackShare 0 treats the known clock as exact */
  #region(stops: readonly Bound[], marginNs: number, slackShare: number): ClockRegion {
    const region = new ClockRegion();
    for (const bound of this.#sure) cut(region, bound, bound.slackNs * slackShare);
    for (const bound of stops) cut(region, bound, bound.slackNs * slackShare + marginNs);
    return region;
  }

  /** Whether the clock may equal the known one: then that is more likely than any other line. */
  #isPossible(unchanged: ClockLine, stops: readonly Bound[], marginNs: number): boolean {
    return (
      this.#sure.every((bound) => excess(bound, unchanged) <= ROUNDING_NS) &&
      stops.every((bound) => excess(bound, unchanged) <= ROUNDING_NS + marginNs)
    );
  }
}

function usable(stops: readonly Bound[], line: ClockLine): readonly Bound[] {
  const unused = Math.floor(stops.length * UNUSED_STOPS);
  if (unused === 0) return stops;
  const excesses = new Map(stops.map((bound) => [bound, excess(bound, line)]));
  const of = (bound: Bound) => excesses.get(bound) as number;
  return [...stops].sort((a, b) => of(a) - of(b)).slice(0, -unused);
}

function cut(region: ClockRegion, { side, timeNs, aheadNs }: Bound, widerNs: number): void {
  region.cut(side, timeNs, side === 'atMost' ? aheadNs + widerNs : aheadNs - widerNs);
}

/** How far the line exceeds the bound. */
function excess({ side, timeNs, aheadNs }: Bound, line: ClockLine): number {
  const over = aheadAt(line, timeNs) - aheadNs;
  return side === 'atMost' ? over : -over;
}
