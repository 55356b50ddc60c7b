// Activities recorded by the kernel's tracer: each consists of two events and an id.
import { ActivityTracker } from '../../../dist/activity/tracker.js';
import { defineBenchmarkSource, payload, stopPayload } from '../source.mjs';

const work = () => 1;
const asyncWork = async () => 1;

export function bare() {
  const source = defineBenchmarkSource();
  return (iterations) => {
    for (let i = 0; i < iterations; i++) {
      source.RequestStart(payload);
      source.RequestStop(stopPayload);
    }
    return iterations;
  };
}

export function handle() {
  const source = defineBenchmarkSource();
  return (iterations) => {
    for (let i = 0; i < iterations; i++) source.RequestStart(payload).stop(stopPayload);
    return iterations;
  };
}

export function scope() {
  const source = defineBenchmarkSource();
  return (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) sum += source.activity('Request', payload, work);
    return sum;
  };
}

export function asyncScope() {
  const source = defineBenchmarkSource();
  return async (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) sum += await source.activity('Request', payload, asyncWork);
    return sum;
  };
}

/** Somebody asks which code starts the activity: each Start reads the stack. */
export async function placed() {
  const { listen } = await import('../../../dist/index.js');
  const { enableRuntimeEvents, RuntimeKeywords } = await import('../../../dist/runtime/index.js');
  listen(enableRuntimeEvents(), () => {}, { keywords: RuntimeKeywords.ActivityCode });
  return scope();
}

/** Only the part that determines the id: no event, no flow. */
export function tracker() {
  const tracker = new ActivityTracker(1, process.pid);
  return (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) {
      const activity = tracker.start(undefined, 'Request', 0);
      if (activity === undefined) continue;
      sum += activity.id.w0;
      tracker.stop(activity, activity);
    }
    return sum;
  };
}
