/**
 * A fleet for tests: 20 processes of three services on two days, as Parquet partitions and as what `view` makes of the
 * same events. On the second day, one query of the service `search` is four times as slow.
 */

import { ParquetExport } from '../../lib/export/parquet/parquet-export.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { type ActivityNode, ActivityTree, nodesOf } from '../../lib/view/activity-tree.ts';
import { isCpuSample } from '../../lib/view/cpu/cpu-profile.ts';
import type { TracedActivity } from '../../lib/view/traced-activity.ts';
import type { Payload } from '../../lib/wire/decoded-field.ts';
import { type WrittenEvent, written } from '../view/written-events.ts';

export const DAYS = ['2026-03-01', '2026-03-02'] as const;
const PROCESSES = 20;
const REQUESTS = 30;
const USERS = ['ada', 'grace', 'edsger', 'barbara'];
const QUERIES: Readonly<Record<string, string>> = {
  '/users/:id': 'SELECT * FROM users WHERE id = ?',
  '/orders': 'SELECT * FROM orders WHERE user = ?',
  '/search': 'SELECT * FROM items WHERE name LIKE ?',
};
const ROUTES = Object.keys(QUERIES);
const CALLERS = 10;

/** One process on one day. */
export interface FleetTrace {
  /** As in the column. */
  readonly trace: string;
  readonly date: string;
  readonly service: string;
  readonly events: readonly TraceEvent[];
  /** All of the tree, as `view` has it. */
  readonly nodes: readonly ActivityNode[];
  /** The activity of each CPU sample. */
  readonly sampled: readonly TracedActivity[];
  readonly lostEvents: number;
}

/** Numbers from 0 to 1, the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes the folder and returns what was written. */
export async function writeFleet(folder: string): Promise<FleetTrace[]> {
  const fleet: FleetTrace[] = [];
  for (const [day, date] of DAYS.entries()) {
    for (let process = 0; process < PROCESSES; process++)
      fleet.push(await writeTrace(folder, day, date, process));
  }
  return fleet;
}

async function writeTrace(folder: string, day: number, date: string, process: number): Promise<FleetTrace> {
  const service = process < CALLERS ? 'web' : process < 16 ? 'orders' : 'search';
  const startTime = BigInt(Date.parse(date)) * 1_000_000n + BigInt(process) * 1_000_000_000n;
  const events = eventsOf(day, process, service)
    .sort((a, b) => a.at - b.at)
    .map((event) => written({ ...event, startTime }));
  const processNames = new Map([[1000 + process, service]]);
  const lostEvents = process % 7;
  const info = {
    format: 'nettrace',
    startTime,
    hasWallTime: true,
    pointerSize: 8,
    properties: { ExpectedCPUSamplingRate: '1000000' },
  } as const;
  const name = `${service}-${process}-${date}.nettrace`;
  const tables = new ParquetExport({
    folder,
    trace: { name, info, processNames },
  });
  const tree = new ActivityTree({ keepsPayloads: true });
  const sampled: TracedActivity[] = [];
  for (const event of events) {
    tables.add(event);
    tree.add(event);
    const activity = isCpuSample(event) ? tree.activities.activityOf(event) : undefined;
    if (activity !== undefined) sampled.push(activity);
  }
  await tables.end({ lostEvents, lostBuffers: 0, lateEvents: 0, processNames });
  const nodes = tree.roots.flatMap((root) => [...nodesOf(root)]);
  return { trace: `${name} ${startTime}`, date, service, events, nodes, sampled, lostEvents };
}

function eventsOf(day: number, process: number, service: string): WrittenEvent[] {
  const next = random(1 + process + PROCESSES * day);
  const processId = 1000 + process;
  const events: WrittenEvent[] = [];
  const add = (
    name: string,
    at: number,
    id: string | undefined,
    payload: Payload,
    stack?: readonly bigint[],
  ) => events.push({ name, at, processId, payload, ...(id && { id }), ...(stack && { stack }) });
  for (let request = 0; request < REQUESTS; request++) {
    const start = request * 200 + micros(next() * 20);
    const id = `//1/${request + 1}`;
    const route = service === 'search' ? '/search' : (ROUTES[Math.floor(next() * 2)] as string);
    const own = spans(day, process, request);
    add('Node.Http/RequestStart', start, id, {
      pathAndQuery: route.replace(':id', '7'),
      method: 'GET',
      ...own,
    });
    add('MyCompany-MyService/SignedIn', start + 0.05, id, {
      user: USERS[Math.floor(next() * USERS.length)] as string,
    });
    let now = start + 0.1;
    for (let query = Math.floor(next() * 4); query >= 0; query--) {
      const child = `${id}/${query + 1}`;
      const slow = route === '/search' && day === 1 ? 4 : 1;
      add('Node.Database/CommandStart', now, child, { text: QUERIES[route] as string, system: 'postgresql' });
      now += micros((1 + next() * 8) * slow);
      add('Node.Database/CommandStop', now, child, { errorType: '' });
      now += 0.01;
    }
    if (process < CALLERS && request % 3 === 0) {
      const child = `${id}/9`;
      const span = spans(day, process, request, true);
      add('Node.Http/ClientRequestStart', now, child, { pathAndQuery: '/', method: 'GET', ...span });
      now += micros(50 + next() * 100);
      add('Node.Http/ClientRequestStop', now, child, { statusCode: 200, errorType: '' });
    }
    for (let sample = Math.floor(next() * 6); sample > 0; sample--) {
      now = micros(now + 1);
      add('Microsoft-DotNETCore-SampleProfiler/ThreadSample', now, id, {}, [BigInt(sample), 100n]);
    }
    if (next() < 0.2) {
      const durationMSec = micros(0.5 + next() * 3);
      now = micros(now + durationMSec);
      const payload = { kind: 'scavenge', startedAgoMSec: durationMSec, durationMSec };
      add('Node.Runtime/GarbageCollection', now, undefined, payload);
    }
    if (request === REQUESTS - 1 && process % 5 === 0) break;
    const statusCode = next() < 0.1 ? 503 : 200;
    now = micros(now + 0.02);
    add('Node.Http/RequestStop', now, id, {
      statusCode,
      route,
      errorType: statusCode === 200 ? '' : 'Error',
    });
  }
  return events;
}

/** Milliseconds in whole microseconds. */
function micros(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A request of a caller has a child with a span, whose request in another process has it as its parent. */
function spans(day: number, process: number, request: number, isChild = false): Payload {
  const isCallee = process >= CALLERS && request % 3 === 0;
  const caller = isCallee ? process - CALLERS : process;
  const hex = (kind: number, digits: number) =>
    `${kind}${day}${String(caller).padStart(2, '0')}${String(request).padStart(2, '0')}`.padStart(
      digits,
      'a',
    );
  const traceId = hex(1, 32);
  if (isChild) return { traceId, spanId: hex(2, 16), parentSpanId: hex(3, 16) };
  if (isCallee) return { traceId, spanId: hex(4, 16), parentSpanId: hex(2, 16) };
  return process < CALLERS
    ? { traceId, spanId: hex(3, 16), parentSpanId: '' }
    : { traceId: hex(5, 32), spanId: hex(6, 16), parentSpanId: '' };
}
