/** The event source `Node.Runtime`: what Node.js reports about itself. See docs/runtime.md. */
import { ACTIVITY_RUN } from '../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { RuntimeKeywords } from '../known/automatic.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Its level is above Verbose, as for activity switches: reading a stack takes tens of microseconds. */
export const ACTIVITY_CODE = { keywords: RuntimeKeywords.ActivityCode, level: 6 } as const;

/** It takes milliseconds to look for it: only sessions with this argument, whose value is 1, cause it. */
export const PENDING_WORK = {
  name: 'PendingWork',
  keywords: RuntimeKeywords.PendingWork,
  level: 6,
  argument: 'PendingWork',
} as const;

export const THREAD_POOL = { keywords: RuntimeKeywords.ThreadPool, level: 6 } as const;

/** Events get their ids by order: add new ones at the end. */
export function defineRuntimeEvents() {
  return defineEventSource(
    'Node.Runtime',
    {
      // Without a keyword: every listener learns which process it is.
      ProcessInfo: event({
        processId: 'uint32',
        parentProcessId: 'uint32',
        threadId: 'uint32',
        startTime: 'time',
        commandLine: 'string',
        title: 'string',
        nodeVersion: 'string',
        v8Version: 'string',
        platform: 'string',
        architecture: 'string',
      }),
      // A single event, not a Start and a Stop: both would come after the fact, and tools would see no time between
      // them.
      GarbageCollection: event(
        {
          number: 'uint32',
          kind: 'string',
          flags: 'hex32',
          startTime: 'uint64',
          startedAgoMSec: 'double',
          durationMSec: 'double',
        },
        { keywords: 'GC' },
      ),
      HeapStatistics: event(
        {
          totalHeapSize: 'uint64',
          usedHeapSize: 'uint64',
          heapSizeLimit: 'uint64',
          totalPhysicalSize: 'uint64',
          totalAvailableSize: 'uint64',
          mallocedMemory: 'uint64',
          externalMemory: 'uint64',
          nativeContexts: 'uint32',
          detachedContexts: 'uint32',
          residentSetSize: 'uint64',
        },
        { keywords: 'Heap' },
      ),
      HeapSpaceStatistics: event(
        {
          name: 'string',
          size: 'uint64',
          usedSize: 'uint64',
          availableSize: 'uint64',
          physicalSize: 'uint64',
        },
        { keywords: 'Heap', level: Level.Verbose },
      ),
      EventLoop: event(
        {
          utilization: 'double',
          activeMSec: 'double',
          idleMSec: 'double',
          delays: 'uint32',
          delayMeanMSec: 'double',
          delayP50MSec: 'double',
          delayP99MSec: 'double',
          delayMaxMSec: 'double',
        },
        { keywords: 'EventLoop' },
      ),
      ActiveResources: event(
        { count: 'uint32', types: [{ type: 'string', count: 'uint32' }] },
        { keywords: 'Resources' },
      ),
      UncaughtException: event(
        { origin: 'string', type: 'string', code: 'string', message: 'string', stack: 'string' },
        { keywords: 'Exceptions', level: Level.Error },
      ),
      ProcessWarning: event(
        { type: 'string', code: 'string', message: 'string', stack: 'string' },
        { keywords: 'Exceptions', level: Level.Warning },
      ),
      WorkerCreated: event({ workerThreadId: 'uint32' }, { keywords: 'Threading' }),
      WorkerExited: event(
        { workerThreadId: 'uint32', exitCode: 'int32', durationMSec: 'double' },
        { keywords: 'Threading' },
      ),
      // Its activity is the one that the thread has been running for so long.
      [ACTIVITY_SWITCH.name]: event(
        // Times of the thread: see platform/thread-times.ts.
        { startedAgoMSec: 'double', threadCpuMSec: 'double', loopIdleMSec: 'double' },
        { keywords: 'ActivitySwitches', level: ACTIVITY_SWITCH.level },
      ),
      // Its activity is the one that ran; its related one is the one in whose callback it was woken.
      [ACTIVITY_RUN.name]: event(
        {
          number: 'uint32',
          startedAgoMSec: 'double',
          durationMSec: 'double',
          cpuMSec: 'double',
          processorWaitMSec: 'double',
          wokenBy: 'string',
          isOwnCallback: 'bool',
          lateMSec: 'double',
          lateAtMostMSec: 'double',
          jobAtMostMSec: 'double',
        },
        { keywords: 'ActivityRuns', level: ACTIVITY_RUN.level },
      ),
      // Its activity is the one that this code has just started.
      ActivityCode: event(
        { function: 'string', file: 'string', line: 'uint32', column: 'uint32' },
        { keywords: 'ActivityCode', level: ACTIVITY_CODE.level },
      ),
      // Its activity is the one in which the work was started.
      [PENDING_WORK.name]: event(
        { kind: 'string', what: 'string', dueInMSec: 'double' },
        { keywords: 'PendingWork', level: PENDING_WORK.level },
      ),
      ThreadPoolDelay: event(
        { number: 'uint32', submittedAgoMSec: 'double', delayMSec: 'double', isOver: 'bool', jobs: 'uint32' },
        { keywords: 'ThreadPool', level: THREAD_POOL.level },
      ),
      // Its activity is the one that has submitted the jobs.
      ThreadPoolUse: event(
        { number: 'uint32', kind: 'string', jobs: 'uint32', running: 'uint32' },
        { keywords: 'ThreadPool', level: THREAD_POOL.level },
      ),
    },
    { keywords: RuntimeKeywords },
  );
}

export type RuntimeEvents = ReturnType<typeof defineRuntimeEvents>;
