/** Defines `Node.Runtime`, `System.Runtime` and .NET's source of tasks, and provides what their listeners want. */
import { AsyncResource } from 'node:async_hooks';
import { isMainThread, threadId } from 'node:worker_threads';
import { shortened } from '../base/thrown-fields.ts';
import type { SourceCommand } from '../listen/commands.ts';
import { activityCode } from './activity-code.ts';
import { activityRuns, activitySwitches } from './activity-switches.ts';
import { defineChannelEvents } from './channels/channel-events.ts';
import { eventLoop, resources } from './event-loop.ts';
import { defineEventLoopMeter } from './event-loop-meter.ts';
import { defineRuntimeEvents, type RuntimeEvents } from './events.ts';
import { everySecond } from './every-second.ts';
import { uncaughtExceptions, warnings } from './exceptions.ts';
import { garbageCollections, heap } from './heap.ts';
import { type Observation, Observations } from './observation.ts';
import { pendingWork } from './pending-work.ts';
import { defineSystemRuntime } from './system-runtime/system-runtime.ts';
import { activityFlow, defineTaskEvents, taskHops } from './task-events.ts';
import { ThreadPool } from './thread-pool.ts';
import { workers } from './workers.ts';

const MAX_COMMAND_LINE = 2000;

/** Incremented when the shape of what all copies of this package in one thread share changes. */
const KEY = Symbol.for('tracewright.runtime.v1');

/**
 * Defines the event source `Node.Runtime` in this thread, once: further calls return the same source. Nothing is
 * observed while nothing listens to it. Each thread has its own; worker threads call this themselves.
 *
 * In the main thread, it also defines the counters of `System.Runtime` and the meter `Node.Runtime`.
 */
export function enableRuntimeEvents(): RuntimeEvents {
  const shared = globalThis as { [KEY]?: RuntimeEvents };
  shared[KEY] ??= fed(defineRuntimeEvents());
  return shared[KEY];
}

function fed(events: RuntimeEvents): RuntimeEvents {
  const info = processInfo(events);
  const tasks = defineTaskEvents();
  const pool = new ThreadPool(events);
  const observations = new Observations([
    info,
    garbageCollections(events),
    heap(events),
    eventLoop(events),
    resources(events),
    uncaughtExceptions(events),
    warnings(events),
    workers(events),
    activitySwitches(events),
    pool.observation,
    activityRuns(events, pool),
    activityCode(events),
    pendingWork(events),
    taskHops(tasks),
    activityFlow(tasks),
  ]);
  // Timers and hooks must belong to the caller, not to the request or activity in which something starts listening.
  const outside = new AsyncResource('TracewrightRuntime');
  const update = () => observations.update();
  const onCommand = ({ kind }: SourceCommand) => {
    const wasTold = observations.isRunning(info);
    update();
    if (wasTold && (kind === 'enable' || kind === 'sendManifest')) writeProcessInfo(events);
  };
  events.onCommand((command) => outside.runInAsyncScope(onCommand, undefined, command));
  tasks.onCommand(() => outside.runInAsyncScope(update));
  outside.runInAsyncScope(update);
  // On Linux, tracers do not announce themselves; checking takes only a few loads.
  if (events.status.backend === 'user_events') {
    everySecond(update);
  }
  defineChannelEvents();
  // Most of these exist once per process: several threads with the same names would contradict each other.
  if (isMainThread) {
    defineSystemRuntime();
    defineEventLoopMeter();
  }
  return events;
}

/** Identifies the process to the first listener; `writeProcessInfo` does to those that join later. */
function processInfo(events: RuntimeEvents): Observation {
  return {
    isWanted: () => events.ProcessInfo.enabled,
    start: () => {
      writeProcessInfo(events);
      return () => {};
    },
  };
}

function writeProcessInfo(events: RuntimeEvents): void {
  events.ProcessInfo(() => ({
    processId: process.pid,
    parentProcessId: process.ppid,
    threadId,
    startTime: new Date(Date.now() - process.uptime() * 1000),
    commandLine: shortened(
      [process.execPath, ...process.execArgv, ...process.argv.slice(1)].join(' '),
      MAX_COMMAND_LINE,
    ),
    title: shortened(process.title, MAX_COMMAND_LINE),
    nodeVersion: process.versions.node,
    v8Version: process.versions.v8,
    platform: process.platform,
    architecture: process.arch,
  }));
}
