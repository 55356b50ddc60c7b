/**
 * Aligns the clock of one trace with a known one, using the requests between them: offset, drift, and their possible
 * error.
 *
 * A server starts a request after its client has, and its client waits for it. So each request bounds how far the
 * server's clock may be ahead, from above and from below. What satisfies all requests is the answer, and its width the
 * error.
 *
 * Starts are reliable. A server's stop, however, may be written late: its client has the response while the server's
 * event loop is still busy. So bounds from stops have a margin, which grows if the requests show the need.
 */
import { aheadAt, type ClockLine, ClockRegion, ROUNDING_NS, type Side } from './clock-region.ts';

/** Both in nanoseconds, by the clock of the trace that it is in; without a stop where none was seen. */
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
  /** At most, between the times that were asked for; from the error of the known clock, too. */
  readonly errorNs: number;
  readonly driftErrorNsPerS: number;
}

/** A fact about the clock: at its time, it is ahead by at most or at least so much, and what all are compared with. */
interface Bound {
  readonly side: Side;
  readonly timeNs: number;
  readonly aheadNs: number;
  /** By how much the known clock may be wrong. */
  readonly slackNs: number;
}

/** A turn of an event loop; busy ones show that they need more. */
const LATE_STOP_NS = 1e6;
/** Of the stops, those that are late by most are of no use: a client that gives up does not stop its server. */
const UNUSED_STOPS = 1 / 16;
/** Beyond, stops are not used at all. */
const MAX_LATE_STOP_NS = 60e9;

export class ClockFit {
  /** From a server's start after its client's. */
  readonly #starts: Bound[] = [];
  /** From these, and from a server's start before its client's stop. */
  readonly #sure: Bound[] = [];
  /** From stops that may be late. */
  readonly #stops: Bound[] = [];
  /** What the first request says, which all others are compared with: so that numbers have digits for the rest. */
  #zeroNs: number | undefined;
  /** Requests that it is made from. */
  requests = 0;

  /**
   * @param known whose clock is the known one
   * @param slackNs by how much that may be wrong
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
    // One that takes longer than its client is not waited for: a message to a queue, say.
    if (server.stopNs - server.startNs > client.stopNs - client.startNs) return;
    this.#sure.push(lateBound(server.startNs, client.stopNs));
    this.#stops.push(lateBound(server.stopNs, client.stopNs));
  }

  /** Undefined where the requests contradict each other, or there are none. */
  estimate(fromNs: number, toNs: number): ClockEstimate | undefined {
    const sure = this.#region([], 0, 1);
    const middle = sure.center;
    if (this.requests === 0 || middle === undefined) return undefined;
    const stops = usable(this.#stops, middle);
    const marginNs = this.#marginOf(stops, 1);
    const used = marginNs < MAX_LATE_STOP_NS ? stops : [];
    // Twice what is needed: that the stops just fit does not say that the latest of them is in time.
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

  /** The least by which stops are late, in steps, if the starts are right. */
  #marginOf(stops: readonly Bound[], slackShare: number): number {
    let marginNs = 0;
    while (marginNs < MAX_LATE_STOP_NS && this.#region(stops, marginNs, slackShare).isEmpty) {
      marginNs = Math.max(2 * marginNs, LATE_STOP_NS / 2);
    }
    return marginNs;
  }

  /**
   * With the known clocks taken for right, so that every server starts after its client; undefined where they are
   * not, as the requests between three clocks may show.
   */
  #likely(stops: readonly Bound[]): ClockLine | undefined {
    if (this.#region([], 0, 0).isEmpty) return undefined;
    const marginNs = this.#marginOf(stops, 0);
    return this.#region(marginNs < MAX_LATE_STOP_NS ? stops : [], marginNs, 0).center;
  }

  /** The line moved so that servers start after their clients, if one way does for all. */
  #inOrder(line: ClockLine): ClockLine {
    const most = { atMost: 0, atLeast: 0 };
    for (const bound of this.#starts) most[bound.side] = Math.max(most[bound.side], excess(bound, line));
    if (most.atMost > 0 && most.atLeast > 0) return line;
    return { ...line, offsetNs: line.offsetNs - most.atMost + most.atLeast };
  }

  /** @param slackShare 0 takes the known clock for right */
  #region(stops: readonly Bound[], marginNs: number, slackShare: number): ClockRegion {
    const region = new ClockRegion();
    for (const bound of this.#sure) cut(region, bound, bound.slackNs * slackShare);
    for (const bound of stops) cut(region, bound, bound.slackNs * slackShare + marginNs);
    return region;
  }

  /** Whether the clock may show what the known one does: then that is more likely than any other line. */
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

/** By how much the line is more, or less, than the bound allows. */
function excess({ side, timeNs, aheadNs }: Bound, line: ClockLine): number {
  const over = aheadAt(line, timeNs) - aheadNs;
  return side === 'atMost' ? over : -over;
}
