/**
 * The events, by id, of .NET's sample profiler and EventPipe, which the runtime writes, and of the event sources
 * of its base library, for traces that lack their manifests.
 *
 * Sources: dotnet/runtime, src/libraries/System.Private.CoreLib (TplEventSource, FrameworkEventSource); the
 * names of events are TraceEvent's (microsoft/perfview, TplTraceEventParser.cs, SampleProfilerTraceEventParser.cs).
 */
import { DOTNET_MAPS } from './dotnet-maps.ts';
import type { EventTable } from './event-table.ts';

export const SAMPLE_PROFILER: EventTable = {
  provider: 'Microsoft-DotNETCore-SampleProfiler',
  maps: DOTNET_MAPS,
  entries: `
Thread v0 Sample=0: Type uint32=ClrThreadSampleType
`,
};

export const EVENT_PIPE: EventTable = {
  provider: 'Microsoft-DotNETCore-EventPipe',
  entries: `
ProcessInfo v0 Info=1: CommandLine utf16, OSInformation utf16, ArchInformation utf16
`,
};

const ORIGIN = 'OriginatingTaskSchedulerID int32, OriginatingTaskID int32';
const FORK_JOIN = `${ORIGIN}, ForkJoinContextID int32`;

export const TASK_PARALLEL_LIBRARY: EventTable = {
  provider: 'System.Threading.Tasks.TplEventSource',
  maps: DOTNET_MAPS,
  entries: `
Loop v0 Start=1: ${FORK_JOIN}, OperationType int32=ForkJoinOperationType, InclusiveFrom int64, ExclusiveTo int64
Loop v0 Stop=2: ${FORK_JOIN}, TotalIterations int64
Invoke v0 Start=3: ${FORK_JOIN}, OperationType int32=ForkJoinOperationType, ActionCount int32
Invoke v0 Stop=4: ${FORK_JOIN}
ForkJoin v0 Start=5 Stop=6: ${FORK_JOIN}
TaskScheduled v0 Send=7: ${ORIGIN}, TaskID int32, CreatingTaskID int32, TaskCreationOptions int32, appDomain int32
TaskExecute v0 Start=8: ${ORIGIN}, TaskID int32
TaskExecute v0 Stop=9: ${ORIGIN}, TaskID int32, IsExceptional bool32
TaskWait v0 Send=10: ${ORIGIN}, TaskID int32, Behavior int32=TaskWaitBehavior, ContinueWithTaskID int32
TaskWait v0 Stop=11: ${ORIGIN}, TaskID int32
AwaitTaskContinuationScheduled v0 Send=12: ${ORIGIN}, ContinueWithTaskId int32
TaskWaitContinuationComplete v0 Info=13: TaskID int32
TraceOperation v0 Start=14: TaskID int32, OperationName utf16, RelatedContext int64
TraceOperation v0 Stop=15: TaskID int32, Status int32
TraceOperationRelation v0 Info=16: TaskID int32, Relation int32
TraceSynchronousWork v0 Start=17: TaskID int32, Work int32
TraceSynchronousWork v0 Stop=18: Work int32
TaskWaitContinuationStarted v0 Info=19: TaskID int32
RunningContinuation v0 Info=20: TaskID int32, Object int64
RunningContinuationList v0 Info=21: TaskID int32, Index int32, Object int64
DebugMessage v0 Info=22: Message utf16
DebugFacilityMessage v0 Info=23: Facility utf16, Message utf16
DebugFacilityMessage1 v0 Info=24: Facility utf16, Message utf16, Value1 utf16
SetActivityId v0 Info=25: NewId guid
NewID v0 Info=26: TaskID int32
IncompleteAsyncMethod v0 Info=27: stateMachineDescription utf16
`,
};

const TRANSFER = 'id int64, kind int32, info utf16';

export const FRAMEWORK: EventTable = {
  provider: 'System.Diagnostics.Eventing.FrameworkEventSource',
  entries: `
ThreadPoolEnqueueWork v0 Info=30: workID int64
ThreadPoolDequeueWork v0 Info=31: workID int64
ThreadTransfer v0 Send=150: ${TRANSFER}, multiDequeues bool32, intInfo1 int32, intInfo2 int32
ThreadTransfer v0 Receive=151: ${TRANSFER}
ThreadTransferReceiveHandled v0 Info=152: ${TRANSFER}
`,
};
