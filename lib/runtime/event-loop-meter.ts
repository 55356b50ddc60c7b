/**
 * The meter `Node.Runtime`: the main thread's event loop and what it has to do, and the thread pool. The names follow OpenTelemetry's
 * conventions for Node.js.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Demand } from '../counters/demand.ts';
import { Meter } from '../counters/meter.ts';
import { measurePoolDelays } from './thread-pool.ts';

/** How often the delay is measured: each measurement wakes up the loop, even in an idle process. */
const RESOLUTION_MSEC = 20;
const MSEC_PER_SECOND = 1000;
/** Node's own, of HTTP/1. */
const REQUEST_CHANNEL = 'http.server.request.start';
const STATE = 'nodejs.eventloop.state';

/** Call this once per process, in its main thread. Nothing is measured while nothing collects it. */
export function defineEventLoopMeter(): void {
  const meter = new Meter('Node.Runtime');
  meter.createObservableCounter('nodejs.eventloop.time', eventLoopTime, {
    unit: 's',
    description: 'How long the event loop was busy, and how long it waited.',
  });
  const delay = meter.createHistogram('nodejs.eventloop.delay', {
    unit: 's',
    description: 'How late the event loop runs a timer that is due every 20 ms.',
  });
  const poolDelay = meter.createHistogram('nodejs.threadpool.delay', {
    unit: 's',
    description: 'How long work waits for a thread of the thread pool.',
  });
  const requests = meter.createCounter('http.server.requests', {
    unit: '{request}',
    description: 'Requests that HTTP servers of the main thread have received.',
  });
  meter.accompany(new Demand(() => measureDelays((msec) => delay.record(msec / MSEC_PER_SECOND))));
  meter.accompany(new Demand(() => measurePoolDelays((msec) => poolDelay.record(msec / MSEC_PER_SECOND))));
  meter.accompany(new Demand(() => observeRequests(() => requests.add(1))));
}

function eventLoopTime() {
  const { active, idle } = performance.eventLoopUtilization();
  return [
    { value: active / MSEC_PER_SECOND, tags: { [STATE]: 'active' } },
    { value: idle / MSEC_PER_SECOND, tags: { [STATE]: 'idle' } },
  ];
}

/** @returns ends it */
function observeRequests(onRequest: () => void): () => void {
  subscribe(REQUEST_CHANNEL, onRequest);
  return () => unsubscribe(REQUEST_CHANNEL, onRequest);
}

/**
 * Uses its own timer: the histogram of `monitorEventLoopDelay` does not expose single values, which each subscriber
 * needs for its own interval.
 *
 * @returns ends it
 */
function measureDelays(onDelay: (msec: number) => void): () => void {
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    onDelay(Math.max(0, now - before - RESOLUTION_MSEC));
    before = now;
  }, RESOLUTION_MSEC).unref();
  return () => clearInterval(timer);
}
