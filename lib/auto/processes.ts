/** Processes and worker threads that this thread starts, until they end. */
import type { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { sharedActivities } from '../activity/shared.ts';
import { shortened } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import { subscribed } from './channels.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';

const MAX_NAME = 255;

/** A process ended by a signal has no exit code. */
const NO_EXIT_CODE = -1;

export function childProcesses(events: Sources['processes'], settings: Settings): Observation {
  const children = activityEventsOf(events, 'Child');
  const { flow } = sharedActivities();
  const onSpawn = (child: ChildProcess) => {
    if (!children.startEnabled) return;
    // Arguments may contain secrets.
    const activity = children.beginIn(flow.context, () => ({
      program: shortened(basename(child.spawnfile), MAX_NAME),
      childProcessId: child.pid ?? 0,
    }));
    if (activity === undefined) return;
    child.once('exit', (code, signal) =>
      children.endBegun(activity, () => ({ exitCode: code ?? NO_EXIT_CODE, signal: signal ?? '' })),
    );
  };
  return {
    isWanted: () => settings.isOn('childProcess') && children.startEnabled,
    start: () =>
      // The channel reports it before it starts, which may fail.
      subscribed({
        child_process: ({ process: child }: { readonly process: ChildProcess }) =>
          child.once('spawn', () => onSpawn(child)),
      }),
  };
}

export function workerThreads(events: Sources['processes'], settings: Settings): Observation {
  const workers = activityEventsOf(events, 'Worker');
  const { flow } = sharedActivities();
  return {
    isWanted: () => settings.isOn('workerThreads') && workers.startEnabled,
    start: () =>
      subscribed({
        worker_threads: ({ worker }: { readonly worker: Worker }) => {
          // The stand-in's: see `StandIn`.
          if (flow.isQuiet) return;
          const { threadId } = worker;
          const activity = workers.beginIn(flow.context, () => ({ workerThreadId: threadId }));
          if (activity === undefined) return;
          worker.once('exit', (exitCode) => workers.endBegun(activity, () => ({ exitCode })));
        },
      }),
  };
}
