/**
 * The events of Microsoft-Windows-DotNETRuntime, by id.
 *
 * Sources: the runtime's manifest (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man); the names of events, and of fields
 * where they differ, are TraceEvent's (microsoft/perfview, ClrTraceEventParser.cs). The manifest's types count as
 * signed where TraceEvent does so and negative values occur.
 */
import {
  APP_DOMAIN,
  ASSEMBLY,
  ASSEMBLY_V0,
  CHECKPOINT,
  CLR,
  DOMAIN_MODULE,
  GC_GLOBAL_HISTORY,
  GC_HANDLE,
  GC_JOIN,
  GC_MARK,
  GC_PIN_PLUG,
  IL_TO_NATIVE_MAP,
  METHOD,
  METHOD_TEXTS,
  METHOD_VERBOSE,
  MODULE,
  MODULE_RANGE,
  RUNTIME_INFORMATION,
  STACK,
  THREAD,
  TIERED_SETTINGS,
} from './dotnet-fields.ts';
import { DOTNET_MAPS } from './dotnet-maps.ts';
import type { EventTable } from './event-table.ts';

const SIZES = [0, 1, 2, 3].map((n) => `GenerationSize${n} uint64, TotalPromotedSize${n} uint64`).join(', ');
const BULK = `Index uint32, Count uint32, ${CLR}`;
const GENERATION = `SizeBefore pointer, FreeListBefore pointer, FreeObjBefore pointer, SizeAfter pointer,
  FreeListAfter pointer, FreeObjAfter pointer, In pointer, PinnedSurv pointer, NonePinnedSurv pointer,
  NewAllocation pointer`;
const ALLOCATION = `TypeID pointer, TypeName utf16`;

// The values of LOHCompact and FitBucketInfo are padded as in the 64-bit collector, which the manifest does not show.
const GC = `
GC v0 Start=1: Count uint32, Reason uint32=GCReason
GC v1 Start=1: Count uint32, Depth uint32, Reason uint32=GCReason, Type uint32=GCType, ${CLR},
  ClientSequenceNumber uint64
GC v0 Stop=2: Count uint32, Depth uint16
GC v1 Stop=2: Count uint32, Depth uint32, ${CLR}
GC v0 RestartEEStop=3 RestartEEStart=7 SuspendEEStop=8 FinalizersStart=14: ${CLR}
GC v0 CreateConcurrentThread=11 TerminateConcurrentThread=12: ${CLR}
GC v0 HeapStats=4: ${SIZES}, FinalizationPromotedSize uint64, FinalizationPromotedCount uint64,
  PinnedObjectCount uint32, SinkBlockCount uint32, GCHandleCount uint32, ${CLR}, GenerationSize4 uint64,
  TotalPromotedSize4 uint64
GC v0 CreateSegment=5: Address hex64, Size hex64, Type uint32=GCSegmentType, ${CLR}
GC v0 FreeSegment=6: Address hex64, ${CLR}
GC v0 SuspendEEStart=9: Reason uint16=GCSuspendEEReason
GC v1 SuspendEEStart=9: Reason uint32=GCSuspendEEReason, Count int32, ${CLR}
GC v0 AllocationTick=10: AllocationAmount uint32, AllocationKind uint32=GCAllocationKind, ${CLR},
  AllocationAmount64 uint64, ${ALLOCATION}, HeapIndex uint32, Address pointer, ObjectSize uint64
GC v0 FinalizersStop=13: Count uint32, ${CLR}
Type v0 BulkType=15: Count uint32, ${CLR}, Values { TypeID hex64, ModuleID hex64, TypeNameID uint32,
  Flags hex32=TypeFlags, CorElementType uint8, Name utf16, TypeParameterCount uint32,
  TypeParameters hex64[TypeParameterCount] }[Count]
GC v0 BulkRootEdge=16: ${BULK}, Values { RootedNodeAddress pointer, GCRootKind uint8=GCRootKind,
  GCRootFlag hex32=GCRootFlags, GCRootID pointer }[Count]
GC v0 BulkRootConditionalWeakTableElementEdge=17: ${BULK}, Values { GCKeyNodeID pointer,
  GCValueNodeID pointer, GCRootID pointer }[Count]
GC v0 BulkNode=18: ${BULK}, Values { Address pointer, Size uint64, TypeID hex64, EdgeCount uint64 }[Count]
GC v0 BulkEdge=19: ${BULK}, Values { Value pointer, ReferencingFieldID uint32 }[Count]
GC v0 SampledObjectAllocation=20 SampledObjectAllocation=32: Address pointer, TypeID pointer,
  ObjectCountForTypeSample uint32, TotalSizeForTypeSample uint64, ${CLR}
GC v0 BulkSurvivingObjectRanges=21: ${BULK}, Values { RangeBase pointer, RangeLength uint64 }[Count]
GC v0 BulkMovedObjectRanges=22: ${BULK}, Values { OldRangeBase pointer, NewRangeBase pointer,
  RangeLength uint64 }[Count]
GC v0 GenerationRange=23: Generation uint8, RangeStart pointer, RangeUsedLength uint64,
  RangeReservedLength uint64, ${CLR}
GC v0 MarkStackRoots=25 MarkFinalizeQueueRoots=26 MarkHandles=27 MarkCards=28: ${GC_MARK}
GC v0 FinalizeObject=29: TypeID pointer, ObjectID pointer, ${CLR}
GC v0 SetGCHandle=30: ${GC_HANDLE}
GC v0 DestoryGCHandle=31: HandleID pointer, ${CLR}
GC v0 PinObjectAtGCTime=33: HandleID pointer, ObjectID pointer, ObjectSize uint64, TypeName utf16, ${CLR}
GC v0 PinPlugAtGCTime=34: ${GC_PIN_PLUG}
GC v0 Triggered=35: Reason uint32=GCReason, ${CLR}
GC v0 BulkRootCCW=36: Count uint32, ${CLR}, Values { GCRootID hex64, ObjectID hex64, TypeID hex64,
  IUnknown hex64, RefCount uint32, PeggedRefCount uint32, Flags hex32=GCRootCCWFlags }[Count]
GC v0 BulkRCW=37: Count uint32, ${CLR}, Values { ObjectID hex64, TypeID hex64, IUnknown hex64, VTable hex64,
  RefCount uint32, Flags hex32 }[Count]
GC v0 BulkRootStaticVar=38: Count uint32, AppDomainID hex64, ${CLR}, Values { GCRootID hex64, ObjectID hex64,
  TypeID hex64, Flags hex32=GCRootStaticVarFlags, FieldName utf16 }[Count]
GC v0 DynamicEvent=39: Name utf16, DataSize uint32, Data binary(DataSize), ${CLR}
GarbageCollection v0 IncreaseMemoryPressure=200: BytesAllocated uint64, ${CLR}
GarbageCollection v0 DecreaseMemoryPressure=201: BytesFreed uint64, ${CLR}
GC v0 MarkWithType=202: HeapNum uint32, ${CLR}, Type uint32=GCRootKind, Promoted uint64
GC v0 Join=203: ${GC_JOIN}
GC v0 PerHeapHistory=204: ${CLR}, FreeListAllocated pointer, FreeListRejected pointer,
  EndOfSegAllocated pointer, CondemnedAllocated pointer, PinnedAllocated pointer,
  PinnedAllocatedAdvance pointer, RunningFreeListEfficiency uint32, CondemnReasons0 uint32,
  CondemnReasons1 uint32, CompactMechanisms hex32, ExpandMechanisms hex32, HeapIndex uint32,
  ExtraGen0Commit pointer, Count uint32, Values { ${GENERATION} }[Count]
GC v0 GlobalHeapHistory=205: ${GC_GLOBAL_HISTORY}
GC v0 GenAwareStart=206 GenAwareEnd=207: Count uint32, ${CLR}
GC v0 LOHCompact=208: ${CLR}, Count uint16, Values { TimePlan uint32, TimeCompact uint32, TimeRelocate uint32,
  _Padding uint32, TotalRefs pointer, ZeroRefs pointer }[Count]
GC v0 FitBucketInfo=209: ${CLR}, BucketKind uint16=GCBucketKind, TotalSize uint64, Count uint16,
  Values { Index uint16, _Padding uint16, Count uint32, Size pointer }[Count]
AllocationSampling v0 AllocationSampled=303: AllocationKind uint32=GCAllocationKind, ${CLR}, ${ALLOCATION}, Address pointer,
  ObjectSize uint64, SampledByteOffset uint64
`;

const WORKERS = 'WorkerThreadCount uint32, RetiredWorkerThreads uint32';
const IO_THREADS = `IOThreadCount uint32, RetiredIOThreads uint32, ${CLR}`;
const POOL_WORKERS = `ActiveWorkerThreadCount uint32, RetiredWorkerThreadCount uint32, ${CLR}`;
const OVERLAPPED = 'NativeOverlapped pointer, Overlapped pointer';

const THREADS = `
WorkerThreadCreation v0 Start=40 Stop=41: ${WORKERS}
WorkerThreadRetirement v0 Start=42 Stop=43: ${WORKERS}
IOThreadCreation v0 Start=44 Stop=45: ${IO_THREADS}
IOThreadRetirement v0 Start=46 Stop=47: ${IO_THREADS}
ThreadpoolSuspension v0 Start=48 Stop=49: ClrThreadID uint32, CpuUtilization uint32
ThreadPoolWorkerThread v0 Start=50 Stop=51 Wait=57: ${POOL_WORKERS}
ThreadPoolWorkerThreadRetirement v0 Start=52 Stop=53: ${POOL_WORKERS}
ThreadPoolWorkerThreadAdjustment v0 Sample=54: Throughput double, ${CLR}
ThreadPoolWorkerThreadAdjustment v0 Adjustment=55: AverageThroughput double, NewWorkerThreadCount uint32,
  Reason uint32=ThreadAdjustmentReason, ${CLR}
ThreadPoolWorkerThreadAdjustment v0 Stats=56: Duration double, Throughput double, ThreadWave double,
  ThroughputWave double, ThroughputErrorEstimate double, AverageThroughputErrorEstimate double,
  ThroughputRatio double, Confidence double, NewControlSetting double, NewThreadWaveMagnitude uint16, ${CLR}
YieldProcessorMeasurement v0 Info=58: ${CLR}, NsPerYield double, EstablishedNsPerYield double
ThreadPoolMinMaxThreads v0 Info=59: MinWorkerThreads uint16, MaxWorkerThreads uint16,
  MinIOCompletionThreads uint16, MaxIOCompletionThreads uint16, ${CLR}
ThreadPoolWorkingThreadCount v0 Start=60: Count uint32, ${CLR}
ThreadPool v0 Enqueue=61 Dequeue=62: WorkID pointer, ${CLR}
ThreadPool v0 IOEnqueue=63: ${OVERLAPPED}, MultiDequeues bool32, ${CLR}
ThreadPool v0 IODequeue=64 IOPack=65: ${OVERLAPPED}, ${CLR}
Thread v0 Creating=70 Running=71: ID pointer, ${CLR}
Contention v0 Start=81: ContentionFlags uint8=ContentionFlags, ${CLR}, LockID pointer,
  AssociatedObjectID pointer, LockOwnerThreadID uint64
Contention v0 LockCreated=90: LockID pointer, AssociatedObjectID pointer, ${CLR}
Contention v0 Stop=91: ContentionFlags uint8=ContentionFlags, ${CLR}, DurationNs double
WaitHandleWait v0 Start=301: WaitSource uint8=WaitHandleWaitSource, AssociatedObjectID pointer, ${CLR}
WaitHandleWait v0 Stop=302: ${CLR}
AppDomainResourceManagement v0 MemAllocated=83: AppDomainID hex64, Allocated uint64, ${CLR}
AppDomainResourceManagement v0 MemSurvived=84: AppDomainID hex64, Survived uint64, ProcessSurvived uint64,
  ${CLR}
AppDomainResourceManagement v0 ThreadCreated=85: ${THREAD}
AppDomainResourceManagement v0 ThreadTerminated=86 DomainEnter=87: ManagedThreadID hex64, AppDomainID hex64,
  ${CLR}
`;

const HANDLER = `EntryEIP hex64, MethodID hex64, MethodName utf16, ${CLR}`;
const COMPILED = `MethodBeingCompiledNamespace utf16, MethodBeingCompiledName utf16,
  MethodBeingCompiledNameSignature utf16`;
const INLINING = `${COMPILED}, InlinerNamespace utf16, InlinerName utf16, InlinerNameSignature utf16,
  InlineeNamespace utf16, InlineeName utf16, InlineeNameSignature utf16`;
const TAIL_CALL = `${COMPILED}, CallerNamespace utf16, CallerName utf16, CallerNameSignature utf16,
  CalleeNamespace utf16, CalleeName utf16, CalleeNameSignature utf16, TailPrefix bool32`;
const INTEROP_METHOD = `ManagedInteropMethodToken hex32, ManagedInteropMethodNamespace utf16,
  ManagedInteropMethodName utf16, ManagedInteropMethodSignature utf16`;

const CODE = `
Exception v0 Start=80: ExceptionType utf16, ExceptionMessage utf16, ExceptionEIP pointer,
  ExceptionHRESULT int32, ExceptionFlags hex16=ExceptionThrownFlags, ${CLR}
ExceptionCatch v0 Start=250: ${HANDLER}
ExceptionFinally v0 Start=252: ${HANDLER}
ExceptionFilter v0 Start=254: ${HANDLER}
ExceptionCatch v0 Stop=251:
ExceptionFinally v0 Stop=253:
ExceptionFilter v0 Stop=255:
Exception v0 Stop=256:
ClrStack v0 Walk=82: ${STACK}
Method v0 MethodDetails=72: MethodID hex64, TypeID hex64, MethodToken hex32, TypeParameterCount uint32,
  LoaderModuleID hex64, TypeParameters hex64[TypeParameterCount]
TypeLoad v0 Start=73: TypeLoadStartID uint32, ${CLR}
TypeLoad v0 Stop=74: TypeLoadStartID uint32, ${CLR}, LoadLevel uint16, TypeID hex64, TypeName utf16
ILStub v0 StubGenerated=88: ${CLR}, ModuleID hex64, StubMethodID hex64, StubFlags hex32=ILStubGeneratedFlags,
  ${INTEROP_METHOD}, NativeMethodSignature utf16, StubMethodSignature utf16, StubMethodILCode utf16
ILStub v0 StubCacheHit=89: ${CLR}, ModuleID hex64, StubMethodID hex64, ${INTEROP_METHOD}
Method v0 DCStartCompleteV2=135 DCStopCompleteV2=136:
Method v0 DCStartV2=137 DCStopV2=138 Load=141 Unload=142: ${METHOD}
Method v0 DCStartVerboseV2=139 DCStopVerboseV2=140 LoadVerbose=143 UnloadVerbose=144: ${METHOD_VERBOSE}
Method v0 JittingStarted=145: MethodID hex64, ModuleID hex64, MethodToken hex32, MethodILSize uint32,
  ${METHOD_TEXTS}, ${CLR}
Method v0 MemoryAllocatedForJitCode=146: MethodID hex64, ModuleID hex64, JitHotCodeRequestSize uint64,
  JitRODataRequestSize uint64, AllocatedSizeForJitCode uint64, JitAllocFlag hex32, ${CLR}
Method v0 R2RGetEntryPoint=159: MethodID hex64, ${METHOD_TEXTS}, EntryPoint hex64, ${CLR}
Method v0 R2RGetEntryPointStart=160: MethodID hex64, ${CLR}
Method v0 InliningSucceeded=185: ${INLINING}, ${CLR}
Method v0 InliningFailedAnsi=186: ${INLINING}, FailAlways bool32, FailReason ansi, ${CLR}
Method v0 TailCallSucceeded=188: ${TAIL_CALL}, TailCallType uint32=TailCallType, ${CLR}
Method v0 TailCallFailedAnsi=189: ${TAIL_CALL}, FailReason ansi, ${CLR}
Method v0 ILToNativeMap=190: ${IL_TO_NATIVE_MAP}
Method v0 TailCallFailed=191: ${TAIL_CALL}, FailReason utf16, ${CLR}
Method v0 InliningFailed=192: ${INLINING}, FailAlways bool32, FailReason utf16, ${CLR}
CodeSymbols v0 Start=260: ModuleId hex64, TotalChunks uint16, ChunkNumber uint16, ChunkLength uint32,
  Chunk binary(ChunkLength), ${CLR}
TieredCompilation v0 Settings=280/11: ${TIERED_SETTINGS}
TieredCompilation v0 Pause=281/12: ${CLR}
TieredCompilation v0 Resume=282/13: ${CLR}, NewMethodCount uint32
TieredCompilation v0 BackgroundJitStart=283/1: ${CLR}, PendingMethodCount uint32
TieredCompilation v0 BackgroundJitStop=284/2: ${CLR}, PendingMethodCount uint32, JittedMethodCount uint32
JitInstrumentationData v0 InstrumentationData=297: ${CLR}, MethodFlags hex32, DataSize uint32, MethodID hex64,
  Data binary(DataSize)
JitInstrumentationData v0 InstrumentationDataVerbose=298: ${CLR}, MethodFlags hex32, DataSize uint32,
  MethodID hex64, ModuleID hex64, MethodToken hex32, ${METHOD_TEXTS}, Data binary(DataSize)
`;

const ASSEMBLY_NAMES = `${CLR}, AssemblyName utf16`;
const LOAD = `${ASSEMBLY_NAMES}, AssemblyPath utf16, RequestingAssembly utf16, AssemblyLoadContext utf16,
  RequestingAssemblyLoadContext utf16`;
const RESULT = 'ResultAssemblyName utf16, ResultAssemblyPath utf16';
const VERIFICATION = 'VerificationFlags hex32, ErrorCode hex32';

const LOADER = `
Loader v0 ModuleDCStartV2=149 ModuleDCStopV2=150 ModuleLoad=152 ModuleUnload=153: ${MODULE}
Loader v0 DomainModuleLoad=151: ${DOMAIN_MODULE}
Loader v0 AssemblyLoad=154 AssemblyUnload=155: ${ASSEMBLY_V0}
Loader v1 AssemblyLoad=154 AssemblyUnload=155: ${ASSEMBLY}
Loader v0 AppDomainLoad=156 AppDomainUnload=157: ${APP_DOMAIN}
ClrPerfTrack v0 ModuleRangeLoad=158: ${MODULE_RANGE}
StrongNameVerification v0 Start=181 Stop=182: ${VERIFICATION}, FullyQualifiedAssemblyName utf16, ${CLR}
AuthenticodeVerification v0 Start=183 Stop=184: ${VERIFICATION}, ModulePath utf16, ${CLR}
Runtime v0 Start=187: ${RUNTIME_INFORMATION}
DebugIPCEvent v0 Start=240 Stop=241:
DebugExceptionProcessing v0 Start=242 Stop=243:
EventSourceEvent v0 Info=270: EventID int32, EventName utf16, EventSourceName utf16, Payload utf16
AssemblyLoader v0 Start=290: ${LOAD}
AssemblyLoader v0 Stop=291: ${LOAD}, Success bool32, ${RESULT}, Cached bool32
AssemblyLoader v0 ResolutionAttempted=292: ${ASSEMBLY_NAMES}, Stage uint16=ResolutionAttemptedStage,
  AssemblyLoadContext utf16, Result uint16=ResolutionAttemptedResult, ${RESULT}, ErrorMessage utf16
AssemblyLoader v0 AssemblyLoadContextResolvingHandlerInvoked=293: ${ASSEMBLY_NAMES}, HandlerName utf16,
  AssemblyLoadContext utf16, ${RESULT}
AssemblyLoader v0 AppDomainAssemblyResolveHandlerInvoked=294: ${ASSEMBLY_NAMES}, HandlerName utf16, ${RESULT}
AssemblyLoader v0 AssemblyLoadFromResolveHandlerInvoked=295: ${ASSEMBLY_NAMES}, IsTrackedLoad bool32,
  RequestingAssemblyPath utf16, ComputedRequestedAssemblyPath utf16
AssemblyLoader v0 KnownPathProbed=296: ${CLR}, FilePath utf16, Source uint16=KnownPathSource, Result int32
Profiler v0 ProfilerMessage=299: ${CLR}, Message utf16
ExecutionCheckpoint v0 ExecutionCheckpoint=300: ${CHECKPOINT}
`;

export const DOTNET_RUNTIME: EventTable = {
  provider: 'Microsoft-Windows-DotNETRuntime',
  maps: DOTNET_MAPS,
  entries: [GC, THREADS, CODE, LOADER].join(''),
};
