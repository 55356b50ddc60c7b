/**
 * The events of Microsoft-Windows-DotNETRuntimePrivate, by id.
 *
 * Sources: the runtime's manifest (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man); the names of events are
 * TraceEvent's (microsoft/perfview, ClrPrivateTraceEventParser.cs).
 */
import {
  CLR,
  GC_GLOBAL_HISTORY,
  GC_HANDLE,
  GC_JOIN,
  GC_MARK,
  GC_PIN_PLUG,
  MODULE_RANGE,
  STACK,
} from './dotnet-fields.ts';
import { DOTNET_MAPS } from './dotnet-maps.ts';
import type { EventTable } from './event-table.ts';

const BINDING = `AppDomainID uint32, LoadContextID uint32, FromLoaderCache uint32, DynamicLoad uint32,
  AssemblyCodebase utf16, AssemblyName utf16, ${CLR}`;
const CRITICAL = `IsCritical bool32, IsTreatAsSafe bool32, ${CLR}`;
const REF_COUNT =
  'HandleID pointer, ObjectID pointer, COMInterfacePointer pointer, NewRefCount uint32, AppDomainID hex64';

/** Every startup phase has an event at its start and one at its end, from id 80 on. */
const STARTUP_PHASES = [
  'EEStartup',
  'EEConfigSetup',
  'LoadSystemBases',
  'ExecExe',
  'Main',
  'ApplyPolicy',
  'LdLibShFolder',
  'PrestubWorker',
  'GetInstallation',
  'OpenHModule',
  'ExplicitBind',
  'ParseXml',
  'InitDefaultDomain',
  'InitSecurity',
  'AllowBindingRedirs',
  'EEConfigSync',
  'Binding',
  'LoaderCatchCall',
  'FusionInit',
  'FusionAppCtx',
  'Fusion2EE',
  'SecurityCatchCall',
].map((phase, index) => `${phase}Start=${80 + 2 * index} ${phase}Stop=${81 + 2 * index}`);

export const DOTNET_PRIVATE: EventTable = {
  provider: 'Microsoft-Windows-DotNETRuntimePrivate',
  maps: DOTNET_MAPS,
  // The data of PerHeapHistory is an internal structure of the collector, with a different layout in each release.
  entries: `
GC v0 Decision=1: DoCompact bool32, ${CLR}
GC v0 Settings=2: SegmentSize uint64, LargeObjectSegmentSize uint64, ServerGC bool32, ${CLR}
GC v0 Optimized=3: DesiredAllocation uint64, NewAllocation uint64, GenerationNumber uint32, ${CLR}
GC v0 PerHeapHistory=4: Data binary
GC v0 GlobalHeapHistory=5: ${GC_GLOBAL_HISTORY}
GC v0 Join=6: ${GC_JOIN}
GC v0 MarkStackRoots=7 MarkFinalizeQueueRoots=8 MarkHandles=9 MarkCards=10: ${GC_MARK}
GC v0 BGCStart=11 BGC1stNonCondStop=12 BGC1stConStop=13 BGC2ndNonConStart=14 BGC2ndNonConStop=15
  BGC2ndConStart=16 BGC2ndConStop=17 BGCPlanStop=18 BGCSweepStop=19: ${CLR}
GC v0 BGCDrainMark=20: Objects uint64, ${CLR}
GC v0 BGCRevisit=21: Pages uint64, Objects uint64, IsLarge uint32, ${CLR}
GC v0 BGCOverflow=22: Min hex64, Max hex64, Objects uint64, IsLarge uint32, ${CLR}, GenNumber uint32
GC v0 BGCAllocWaitStart=23 BGCAllocWaitStop=24: Reason uint32, ${CLR}
GC v0 FullNotify=25: GenNumber uint32, IsAlloc uint32, ${CLR}
GC v0 BGC1stSweepEnd=26: GenNumber uint32, ${CLR}
Startup v0 ${STARTUP_PHASES.join('\n  ')}: ${CLR}
ClrStack v0 Walk=151: ${STACK}
ClrPerfTrack v0 ModuleRangeLoad=158: ${MODULE_RANGE}, IBCType uint8=ModuleRangeIBCType, SectionType uint16
Binding v0 PolicyPhaseStart=159 PolicyPhaseStop=160 NgenPhaseStart=161 NgenPhaseStop=162
  LoopupAndProbingPhaseStart=163 LookupAndProbingPhaseStop=164 LoaderPhaseStart=165 LoaderPhaseStop=166
  PhaseStart=167 PhaseStop=168 DownloadPhaseStart=169 DownloadPhaseStop=170
  LoaderAssemblyInitPhaseStart=171 LoaderAssemblyInitPhaseStop=172 LoaderMappingPhaseStart=173
  LoaderMappingPhaseStop=174 LoaderDeliverEventPhaseStart=175 LoaderDeliverEventsPhaseStop=176: ${BINDING}
EvidenceGeneration v0 EvidenceGenerated=177: Type uint32, AppDomain uint32, ILImage utf16, ${CLR}
Transparency v0 ModuleTransparencyComputationStart=178: Module utf16, AppDomainID uint32, ${CLR}
Transparency v0 ModuleTransparencyComputationStop=179: Module utf16, AppDomainID uint32, IsAllCritical bool32,
  IsAllTransparent bool32, IsTreatAsSafe bool32, IsOpportunisticallyCritical bool32, SecurityRuleSet uint32, ${CLR}
Transparency v0 TypeTransparencyComputationStart=180: Type utf16, Module utf16, AppDomainID uint32, ${CLR}
Transparency v0 TypeTransparencyComputationStop=181: Type utf16, Module utf16, AppDomainID uint32,
  IsAllCritical bool32, IsAllTransparent bool32, ${CRITICAL}
Transparency v0 MethodTransparencyComputationStart=182: Method utf16, Module utf16, AppDomainID uint32, ${CLR}
Transparency v0 MethodTransparencyComputationStop=183: Method utf16, Module utf16, AppDomainID uint32,
  ${CRITICAL}
Transparency v0 FieldTransparencyComputationStart=184: Field utf16, Module utf16, AppDomainID uint32, ${CLR}
Transparency v0 FieldTransparencyComputationStop=185: Field utf16, Module utf16, AppDomainID uint32, ${CRITICAL}
Transparency v0 TokenTransparencyComputationStart=186: Token hex32, Module utf16, AppDomainID uint32, ${CLR}
Transparency v0 TokenTransparencyComputationStop=187: Token hex32, Module utf16, AppDomainID uint32, ${CRITICAL}
NgenBinder v0 NgenBind=188: ${CLR}, BindingID uint64, ReasonCode uint32, AssemblyName utf16
FailFast v0 FailFast=191: FailFastUserMessage utf16, FailedEIP pointer, OSExitCode uint32, ClrExitCode uint32,
  ${CLR}
GC v0 FinalizeObject=192: TypeID pointer, ObjectID pointer, ${CLR}, TypeName utf16
GC v0 CCWRefCountChange=193: ${REF_COUNT}, ClassName ansi, NameSpace ansi, Operation utf16, ${CLR}
GC v0 SetGCHandle=194: ${GC_HANDLE}
GC v0 DestroyGCHandle=195: HandleID pointer, ${CLR}
Binding v0 FusionMessage=196: ${CLR}, Prepend bool32, Message utf16
Binding v0 FusionErrorCode=197: ${CLR}, Category uint32, ErrorCode hex32
GC v0 PinPlugAtGCTime=199: ${GC_PIN_PLUG}
GC v0 CCWRefCountChange=200: ${REF_COUNT}, ClassName utf16, NameSpace utf16, Operation utf16, ${CLR}
MulticoreJit v0 Common=201: ${CLR}, String1 utf16, String2 utf16, Int1 int32, Int2 int32, Int3 int32
MulticoreJit v0 MethodCodeReturned=202: ${CLR}, ModuleID hex64, MethodID hex64
LoaderHeapAllocation v0 AllocRequest=310: LoaderHeapPtr pointer, MemoryAddress pointer, RequestSize uint32,
  _Unused1 uint32, _Unused2 uint64, ${CLR}
DynamicTypeUsage v0 IInspectableRuntimeClassName=400: TypeName utf16, ${CLR}
DynamicTypeUsage v0 WinRTUnbox=401: TypeName utf16, SecondTypeName utf16, ${CLR}
`,
};
