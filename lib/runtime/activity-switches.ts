/** Activity switches and runs as events, each for those who ask for its keyword. */
import { ACTIVITY_RUN, ActivityRuns, type LoopClocks } from '../activity/runs.ts';
import { sharedActivities } from '../activity/shared.ts';
import { ACTIVITY_SWITCH, ActivitySwitches } from '../activity/switches.ts';
import { doAtExit } from '../listen/at-exit.ts';
import {
  LoopWaits,
  NOT_READ,
  ProcessorWait,
  type ThreadTimes,
  threadTimes,
} from '../platform/thread-times.ts';
import { writerOf } from '../source/event-functions.ts';
import type { RuntimeEvents } from './events.ts';
import { isAskedFor, type Observation } from './observation.ts';
import type { ThreadPool } from './thread-pool.ts';

/** A longer run has readings of the thread's times of its own: each is a system call. */
const READ_MS = 1;

export function activitySwitches(events: RuntimeEvents): Observation {
  const { keyword: keywords, level } = ACTIVITY_SWITCH;
  const writer = writerOf(events.ActivitySwitch);
  return {
    isWanted: () => isAskedFor(events, writer, { level, keywords }),
    start: () => {
      const shared = sharedActivities();
      let readAt = Number.NEGATIVE_INFINITY;
      const times = (): ThreadTimes => {
        const now = performance.now();
        if (now - readAt < READ_MS) return NOT_READ;
        readAt = now;
        return threadTimes();
      };
      const switches = new ActivitySwitches(shared, (id, startedAgoMSec) =>
        writer.write({ startedAgoMSec, ...times() }, id, undefined, undefined),
      );
      return switches.observe();
    },
  };
}

const timing = performance.nodeTiming as typeof performance.nodeTiming & {
  readonly uvMetricsInfo?: { readonly loopCount: number };
};
const CLOCKS: Omit<LoopClocks, 'waited' | 'processorWait' | 'jobBegan'> = {
  now: () => performance.now(),
  turns: () => timing.uvMetricsInfo?.loopCount ?? 0,
  cpu: () => threadTimes().threadCpuMSec,
};

export function activityRuns(events: RuntimeEvents, pool: ThreadPool): Observation {
  const { keyword: keywords, level } = ACTIVITY_RUN;
  const writer = writerOf(events.ActivityRun);
  let number = 0;
  let running: ActivityRuns | undefined;
  let isAnswering = false;
  return {
    isWanted: () => isAskedFor(events, writer, { level, keywords }),
    start: () => {
      const wait = new ProcessorWait();
      const waits = new LoopWaits();
      const runs = new ActivityRuns(
        sharedActivities(),
        (fields, id, wokenBy) => writer.write({ ...fields }, id, wokenBy, undefined),
        number,
        {
          ...CLOCKS,
          waited: () => waits.take(),
          processorWait: () => wait.read(),
          jobBegan: (asyncId) => pool.beganWith(asyncId),
        },
      );
      const end = runs.observe();
      const endJobs = pool.knowEnds();
      // Nobody asks a recording of the system for its last events, as a session does.
      const cancelFlush = doAtExit(() => runs.flush());
      running = runs;
      if (!isAnswering) {
        isAnswering = true;
        events.onStateRequest(({ kind }) => {
          if (kind === 'stop') running?.flush();
        });
      }
      return () => {
        cancelFlush();
        end();
        endJobs();
        wait.close();
        waits.close();
        number = runs.number;
        running = undefined;
      };
    },
  };
}
