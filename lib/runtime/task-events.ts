/**
 * .NET's TplEventSource, as far as PerfView and TraceEvent need it to charge time to the activities of a thread that
 * runs several at once, and as a request for activity ids. Only for those who ask for it by keyword.
 *
 * Source: dotnet/runtime, System.Threading.Tasks.TplEventSource: event ids, keywords and fields.
 */
import { threadId } from 'node:worker_threads';
import { sharedActivities } from '../activity/shared.ts';
import { TASK_EVENTS, TaskHops } from '../activity/task-hops.ts';
import { Level, Opcode } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { writerOf } from '../source/event-functions.ts';
import { defineEventSource } from '../source/event-source.ts';
import { isAskedFor, type Observation } from './observation.ts';

const TaskKeywords = {
  TaskTransfer: 0x1n,
  Tasks: 0x2n,
  TaskStops: 0x40n,
  TasksFlowActivityIds: TASK_EVENTS.flowKeyword,
} as const;
/** .NET has no keywords here: a request with one of these is for everything, not for tasks. */
const BEYOND_KEYWORDS = 0xffff_ffff_0000_0000n;

const origin = { OriginatingTaskSchedulerID: 'int32', OriginatingTaskID: 'int32' } as const;

export function defineTaskEvents() {
  return defineEventSource(
    TASK_EVENTS.provider,
    {
      TaskScheduled: event(
        {
          ...origin,
          TaskID: 'int32',
          CreatingTaskID: 'int32',
          TaskCreationOptions: 'int32',
          appDomain: 'int32',
        },
        { id: 7, keywords: ['TaskTransfer', 'Tasks'], opcode: Opcode.Send },
      ),
      // .NET's have Tasks and TaskStops only. But tools understand tasks only by all three events: without the last, they
      // take each task for a part of the one before.
      TaskStarted: event({ ...origin, TaskID: 'int32' }, { id: 8, keywords: ['TaskTransfer', 'Tasks'] }),
      TaskCompleted: event(
        { ...origin, TaskID: 'int32', IsExceptional: 'bool' },
        { id: 9, keywords: ['TaskTransfer', 'Tasks', 'TaskStops'] },
      ),
    },
    { keywords: TaskKeywords, guid: TASK_EVENTS.guid, etwFormat: 'manifest' },
  );
}

type TplEvents = ReturnType<typeof defineTaskEvents>;

const TASK_STARTED = { level: Level.Informational, keywords: TaskKeywords.Tasks | TaskKeywords.TaskTransfer };
const NO_ORIGIN = { OriginatingTaskSchedulerID: 0, OriginatingTaskID: 0 };

export function taskHops(events: TplEvents): Observation {
  const [scheduled, started, completed] = [
    writerOf(events.TaskScheduled),
    writerOf(events.TaskStarted),
    writerOf(events.TaskCompleted),
  ];
  return {
    isWanted: () =>
      isAskedFor(events, started, TASK_STARTED, (keywords) => (keywords & BEYOND_KEYWORDS) === 0n),
    start: () => {
      const hops = new TaskHops(
        sharedActivities(),
        {
          scheduled: (TaskID, id) =>
            scheduled.write(
              { ...NO_ORIGIN, TaskID, CreatingTaskID: 0, TaskCreationOptions: 0, appDomain: 1 },
              id,
              undefined,
              undefined,
            ),
          started: (TaskID, id) => started.write({ ...NO_ORIGIN, TaskID }, id, undefined, undefined),
          completed: (TaskID, id) =>
            completed.write({ ...NO_ORIGIN, TaskID, IsExceptional: false }, id, undefined, undefined),
        },
        threadId,
      );
      return hops.observe();
    },
  };
}

/**
 * Turns the flow of activities on while somebody asks for it, as in .NET: a session, a listener, or a recorder of the
 * tracepoint with this keyword, which has no events. Otherwise, the first Start does so, perhaps amid other work.
 */
export function activityFlow(events: TplEvents): Observation {
  const isWanted = () => events.isEnabled(Level.Informational, TaskKeywords.TasksFlowActivityIds);
  return {
    isWanted,
    start: () => {
      const { flow } = sharedActivities();
      flow.begin();
      return flow.keepWhile(isWanted);
    },
  };
}
