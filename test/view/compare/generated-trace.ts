/** Traces of requests whose truth is known: how long their code, a query and a timer take, and how often what happens. */

import type { ComparedTrace } from '../../../lib/view/compare/trace-comparison.ts';
import { TraceKinds } from '../../../lib/view/compare/trace-kinds.ts';
import { ExplainedActivities } from '../../../lib/view/explain/explained-activities.ts';
import { random } from '../explain/simulated-loop.ts';
import { type WrittenEvent, written } from '../written-events.ts';

/** Numbers between 0 and 1 that are the same for the same seed. */
export function uniform(seed: number): () => number {
  const next = random(seed);
  return () => (next(2 ** 31) + 0.5) / 2 ** 31;
}

/** With a long tail, as durations have: the median is 1. */
export function logNormal(draw: () => number): number {
  return Math.exp(0.5 * Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw()));
}

export interface Program {
  readonly requests: number;
  /** In milliseconds, on average. */
  readonly code?: number;
  readonly query?: number;
  readonly timer?: number;
  /** How many queries a request makes, one after the other. */
  readonly queries?: number;
  /** The share of requests that look into a cache, and of those that fail. */
  readonly rare?: number;
  readonly failed?: number;
  /** What a query says. */
  readonly text?: string;
  /** Of the server that it calls instead of a database. */
  readonly port?: number;
}

/** Requests to three routes in turn, of which the truth concerns the first. */
export function eventsOf(seed: number, program: Program): WrittenEvent[] {
  const { requests, code = 4, query = 10, timer = 6, queries = 1, rare = 0, failed = 0 } = program;
  const { text = 'SELECT a FROM b', port } = program;
  const call = port === undefined ? 'Node.Database/Command' : 'Node.Http/ClientRequest';
  const called =
    port === undefined ? { text } : { method: 'GET', host: '127.0.0.1', port, pathAndQuery: '/db' };
  const draw = uniform(seed);
  const events: WrittenEvent[] = [];
  let now = 1;
  let number = 0;
  /** @param ms how long the activity runs, from now on */
  const run = (id: string | undefined, wokenBy: string, ms: number) => {
    const at = now + ms;
    const payload = {
      number: ++number,
      startedAgoMSec: ms,
      durationMSec: ms,
      cpuMSec: ms,
      wokenBy,
      isOwnCallback: true,
      lateMSec: 0,
      lateAtMostMSec: 0,
    };
    events.push({ name: 'Node.Runtime/ActivityRun', at, ...(id === undefined ? {} : { id }), payload });
    now = at;
  };
  run(undefined, '', 0.5);
  for (let i = 1; i <= requests; i++) {
    const id = `//1/${i}`;
    const route = ['/cart', '/user', '/item'][i % 3] as string;
    const [ofCode, ofQuery, ofTimer, calls] = i % 3 === 0 ? [code, query, timer, queries] : [4, 10, 6, 1];
    now += 5 * draw();
    events.push({
      name: 'Node.Http/RequestStart',
      id,
      at: now,
      payload: { method: 'GET', pathAndQuery: route },
    });
    run(id, 'http.server', ofCode * logNormal(draw));
    for (let number = 1; number <= calls; number++) {
      const inner = `${id}/${number}`;
      events.push({ name: `${call}Start`, id: inner, at: now, payload: called });
      now += ofQuery * logNormal(draw);
      events.push({ name: `${call}Stop`, id: inner, at: now });
      run(id, 'socket', 0.3);
    }
    if (draw() < rare) {
      events.push({ name: 'Node.Database/CommandStart', id: `${id}/9`, at: now, payload: { text: 'cache' } });
      now += 1;
      events.push({ name: 'Node.Database/CommandStop', id: `${id}/9`, at: now });
      run(id, 'socket', 0.1);
    }
    now += ofTimer * logNormal(draw);
    run(id, 'timer', 0.2);
    const payload = { success: !(i % 3 === 0 && draw() < failed) };
    events.push({ name: 'Node.Http/RequestStop', id, at: now, payload });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** What is to be compared. */
export function traceOf(events: readonly WrittenEvent[]): ComparedTrace {
  const kinds = new TraceKinds();
  const explained = new ExplainedActivities({ take: (time) => kinds.add(time) });
  for (const event of events) explained.add(written(event));
  explained.end();
  const durationNs = (events.at(-1)?.at ?? 0) * 1e6;
  return { kinds, recorded: explained.recorded, framesOf: () => [], durationNs };
}

export function generated(seed: number, program: Program): ComparedTrace {
  return traceOf(eventsOf(seed, program));
}
