/** The clocks of several traces relative to that of the first, as far as the requests between them show. */
import { type ClockEstimate, ClockFit, type TimedSpan } from './clock-fit.ts';
import { aheadAt, type ClockLine } from './clock-region.ts';
import type { RequestBetween } from './joined-spans.ts';

export interface TraceClock {
  /** How far it is ahead of the first clock, or of the first clock that it is connected with. */
  readonly line: ClockLine;
  /**
   * - `reference`: the others are compared with it
   * - `estimated`: from requests
   * - `unknown`: no request connects it with an earlier clock, so its times are used unchanged
   * - `contradictory`: the same, because its requests contradict each other: some of them cannot belong together
   */
  readonly state: 'reference' | 'estimated' | 'unknown' | 'contradictory';
  /** The maximum error over the time of its trace; 0 for a reference. */
  readonly errorNs: number;
  readonly driftErrorNsPerS: number;
  /** The number of requests that it has been compared with. */
  readonly requests: number;
}

/** The times of a clock's first and last event, on that clock. */
export interface ClockSpan {
  readonly fromNs: number;
  readonly toNs: number;
}

const UNCHANGED = { line: { offsetNs: 0, driftNsPerS: 0 }, errorNs: 0, driftErrorNsPerS: 0 } as const;

/** @param spans one per clock */
export function traceClocks(
  spans: readonly ClockSpan[],
  requests: readonly RequestBetween[],
): readonly TraceClock[] {
  const clocks: (TraceClock | undefined)[] = spans.map(() => undefined);
  for (const _ of spans) {
    const next = nextClock(clocks, requests);
    clocks[next] = clockOf(next, spans[next] as ClockSpan, clocks, requests);
  }
  return clocks as TraceClock[];
}

/** The clock that most requests connect with a known one; the first of the rest if none is connected. */
function nextClock(clocks: readonly (TraceClock | undefined)[], requests: readonly RequestBetween[]): number {
  const counts: number[] = clocks.map((clock) => (clock === undefined ? 0 : -1));
  for (const { clientClock, serverClock } of requests) {
    for (const [known, other] of [
      [clientClock, serverClock],
      [serverClock, clientClock],
    ] as const) {
      if (clocks[known] !== undefined && clocks[other] === undefined)
        counts[other] = (counts[other] ?? 0) + 1;
    }
  }
  return counts.indexOf(Math.max(...counts));
}

function clockOf(
  index: number,
  { fromNs, toNs }: ClockSpan,
  clocks: readonly (TraceClock | undefined)[],
  requests: readonly RequestBetween[],
): TraceClock {
  const fit = new ClockFit();
  for (const { client, server, clientClock, serverClock } of requests) {
    const [fromClient, fromServer] = [clocks[clientClock], clocks[serverClock]];
    if (serverClock === index && fromClient !== undefined) {
      fit.add({ client: corrected(client, fromClient), server }, 'client', fromClient.errorNs);
    } else if (clientClock === index && fromServer !== undefined) {
      fit.add({ client, server: corrected(server, fromServer) }, 'server', fromServer.errorNs);
    }
  }
  const estimate: ClockEstimate | undefined = fit.estimate(fromNs, toNs);
  if (estimate !== undefined) return { ...estimate, state: 'estimated', requests: fit.requests };
  const isFirst = clocks.every((clock) => clock === undefined);
  const state = isFirst ? 'reference' : fit.requests > 0 ? 'contradictory' : 'unknown';
  return { ...UNCHANGED, state, requests: fit.requests };
}

function corrected({ startNs, stopNs }: TimedSpan, { line }: TraceClock): TimedSpan {
  return {
    startNs: startNs - aheadAt(line, startNs),
    stopNs: stopNs === undefined ? undefined : stopNs - aheadAt(line, stopNs),
  };
}
