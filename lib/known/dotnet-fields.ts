/**
 * Field lists shared by events of several of the runtime's providers. Newer versions of an event have more fields at
 * the end, and payloads of older ones simply end before them, so one list serves all versions, except where fields
 * moved.
 *
 * Source: the runtime's manifest (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man).
 */

export const CLR = 'ClrInstanceID uint16';

const METHOD_RANGE = `MethodID hex64, ModuleID hex64, MethodStartAddress hex64, MethodSize uint32,
  MethodToken hex32, MethodFlags hex32=MethodFlags`;
export const METHOD_TEXTS = 'MethodNamespace utf16, MethodName utf16, MethodSignature utf16';
export const METHOD = `${METHOD_RANGE}, ${CLR}, ReJITID uint64`;
export const METHOD_VERBOSE = `${METHOD_RANGE}, ${METHOD_TEXTS}, ${CLR}, ReJITID uint64`;
export const IL_TO_NATIVE_MAP = `MethodID hex64, ReJITID uint64, MethodExtent uint8, CountOfMapEntries uint16,
  ILOffsets int32[CountOfMapEntries], NativeOffsets uint32[CountOfMapEntries], ${CLR}, ILVersionID uint64`;

const PATHS = 'ModuleILPath utf16, ModuleNativePath utf16';
export const DOMAIN_MODULE = `ModuleID hex64, AssemblyID hex64, AppDomainID hex64,
  ModuleFlags hex32=ModuleFlags, _Reserved1 uint32, ${PATHS}, ${CLR}`;
export const MODULE = `ModuleID hex64, AssemblyID hex64, ModuleFlags hex32=ModuleFlags, _Reserved1 uint32,
  ${PATHS}, ${CLR}, ManagedPdbSignature guid, ManagedPdbAge uint32, ManagedPdbBuildPath utf16,
  NativePdbSignature guid, NativePdbAge uint32, NativePdbBuildPath utf16`;
export const ASSEMBLY_V0 = `AssemblyID hex64, AppDomainID hex64, AssemblyFlags hex32=AssemblyFlags,
  FullyQualifiedAssemblyName utf16`;
export const ASSEMBLY = `AssemblyID hex64, AppDomainID hex64, BindingID uint64,
  AssemblyFlags hex32=AssemblyFlags, FullyQualifiedAssemblyName utf16, ${CLR}`;
export const APP_DOMAIN = `AppDomainID hex64, AppDomainFlags hex32=AppDomainFlags, AppDomainName utf16,
  AppDomainIndex uint32, ${CLR}`;

export const MODULE_RANGE = `${CLR}, ModuleID hex64, RangeBegin hex32, RangeSize hex32,
  RangeType uint8=ModuleRangeType`;
export const THREAD = `ManagedThreadID hex64, AppDomainID hex64, Flags hex32=ThreadFlags,
  ManagedThreadIndex uint32, OSThreadID uint32, ${CLR}`;
export const STACK = `${CLR}, _Reserved1 uint8, _Reserved2 uint8, FrameCount uint32, Stack pointer[FrameCount]`;
export const RUNTIME_INFORMATION = `${CLR}, Sku uint16=RuntimeSku, BclMajorVersion uint16, BclMinorVersion uint16,
  BclBuildNumber uint16, BclQfeNumber uint16, VMMajorVersion uint16, VMMinorVersion uint16,
  VMBuildNumber uint16, VMQfeNumber uint16, StartupFlags hex32=StartupFlags, StartupMode uint8=StartupMode,
  CommandLine utf16, ComObjectGuid guid, RuntimeDllPath utf16`;
export const TIERED_SETTINGS = `${CLR}, Flags hex32=TieredCompilationSettingsFlags`;
export const CHECKPOINT = `${CLR}, Name utf16, Timestamp int64`;

export const GC_MARK = `HeapNum uint32, ${CLR}`;
export const GC_JOIN = `Heap uint32, JoinTime uint32, JoinType uint32, ${CLR}, JoinID uint32`;
export const GC_GLOBAL_HISTORY = `FinalYoungestDesired uint64, NumHeaps int32, CondemnedGeneration uint32,
  Gen0ReductionCount uint32, Reason uint32=GCReason, GlobalMechanisms hex32=GCGlobalMechanisms, ${CLR},
  PauseMode uint32=GCPauseMode, MemoryPressure uint32, CondemnReasons0 uint32, CondemnReasons1 uint32,
  Count uint32, Values { Time uint32 }[Count]`;
export const GC_HANDLE = `HandleID pointer, ObjectID pointer, Kind uint32=GCHandleKind, Generation uint32,
  AppDomainID hex64, ${CLR}`;
export const GC_PIN_PLUG = `PlugStart pointer, PlugEnd pointer, GapBeforeSize pointer, ${CLR}`;
