/** The meter `Node.Runtime`: the main thread's event loop. Names are those of OpenTelemetry's conventions for Node.js. */
import { performance } from 'node:perf_hooks';
import { Demand } from '../counters/demand.ts';
import { Meter } from '../counters/meter.ts';

/** How often the delay is measured: each measurement wakes the loop up, and an idle process has to pay for it. */
const RESOLUTION_MSEC = 20;
const MSEC_PER_SECOND = 1000;
const STATE = 'nodejs.eventloop.state';

/** To be called once in a process, in its main thread. Nothing is measured while nobody asks. */
export function defineEventLoopMeter(): void {
  const meter = new Meter('Node.Runtime');
  meter.createObservableCounter('nodejs.eventloop.time', eventLoopTime, {
    unit: 's',
    description: 'How long the event loop was busy, and how long it waited.',
  });
  const delay = meter.createHistogram('nodejs.eventloop.delay', {
    unit: 's',
    description: 'How late the event loop came to a timer that is due every 20 ms.',
  });
  meter.accompany(new Demand(() => measureDelays((msec) => delay.record(msec / MSEC_PER_SECOND))));
}

function eventLoopTime() {
  const { active, idle } = performance.eventLoopUtilization();
  return [
    { value: active / MSEC_PER_SECOND, tags: { [STATE]: 'active' } },
    { value: idle / MSEC_PER_SECOND, tags: { [STATE]: 'idle' } },
  ];
}

/**
 * By a timer of our own: the histogram of `monitorEventLoopDelay` has no values one by one, of which each who asks
 * could have those of their interval.
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
