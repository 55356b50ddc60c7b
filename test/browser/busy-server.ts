/** The events of a busy server: concurrent requests on several threads, calls inside them, and their log events. */
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { type WrittenEvent, written } from '../view/written-events.ts';

const THREADS = 8;
const CALLS = 3;
const LOGS = 2;
const EVENTS_PER_REQUEST = 2 + CALLS * (2 + LOGS);

/** The same ones each time. */
export function* busyServer(eventCount: number): Generator<TraceEvent, void, undefined> {
  const random = randomNumbers(1);
  const requests = Math.floor(eventCount / EVENTS_PER_REQUEST);
  const waiting: WrittenEvent[] = [];
  for (let request = 1; request <= requests; request++) {
    const at = request * 2;
    waiting.push(...eventsOf(request, at, random));
    if (request % 1000 !== 0 && request !== requests) continue;
    // What comes later starts later: all before it can go.
    waiting.sort((a, b) => a.at - b.at);
    const end = request === requests ? Number.POSITIVE_INFINITY : at;
    while (waiting[0] !== undefined && waiting[0].at <= end) {
      const ready = waiting.findIndex((event) => event.at > end);
      for (const event of waiting.splice(0, ready < 0 ? waiting.length : ready)) yield written(event);
    }
  }
}

function eventsOf(request: number, at: number, random: () => number): WrittenEvent[] {
  const id = `//1/${request}`;
  const thread = () => 100 + Math.floor(random() * THREADS);
  const url = `http://site/item/${Math.floor(random() * 1000)}`;
  const events: WrittenEvent[] = [{ name: 'RequestStart', at, id, threadId: thread(), payload: { url } }];
  let now = at;
  for (let call = 1; call <= CALLS; call++) {
    const own = { id: `${id}/${call}`, threadId: thread() };
    now += random();
    events.push({
      ...own,
      name: 'DatabaseCallStart',
      at: now,
      related: id,
      payload: { command: `select ${call} from items` },
    });
    for (let log = 0; log < LOGS; log++) {
      now += random();
      events.push({ ...own, name: 'Log', at: now, payload: { message: `row ${log} of ${url}`, rows: log } });
    }
    // Most take little, some take very long.
    now += random() ** 8 * 60 + random();
    events.push({ ...own, name: 'DatabaseCallStop', at: now, payload: { success: random() > 0.02 } });
  }
  now += random();
  events.push({ name: 'RequestStop', at: now, id, threadId: thread(), payload: { success: true } });
  return events;
}

/** From 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
