/**
 * The kernel's events about the trace itself, processes, threads and images.
 *
 * Sources: Microsoft's documentation of the MOF classes EventTraceEvent, Process, Thread, Image; the classes that
 * Windows itself registers under MSNT_SystemTrace. Names of events and fields are PerfView's.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const GROUP_MASKS = `GroupMask1 hex32, GroupMask2 hex32, GroupMask3 hex32, GroupMask4 hex32, GroupMask5 hex32,
  GroupMask6 hex32, GroupMask7 hex32, GroupMask8 hex32`;

/**
 * The partition ids, which come last in PartitionInfoExtension, are not shown: they are GUIDs or texts, depending on
 * the payload's own EventVersion.
 */
export const KERNEL_EVENT_TRACE: KernelTable = {
  provider,
  guid: '68fdd900-4a3e-11d1-84f4-0000f80464e3',
  group: 0x00,
  entries: `
EventTrace v0 Info=0: BufferSize uint32, Version uint32, ProviderVersion uint32, NumberOfProcessors uint32,
  EndTime filetime, TimerResolution uint32, MaxFileSize uint32, LogFileMode hex32, BuffersWritten uint32,
  StartBuffers uint32, PointerSize uint32, EventsLost uint32, CPUSpeed uint32, _LoggerName pointer,
  _LogFileNamePointer pointer, UtcOffsetMinutes int32, _TimeZone binary(172), BootTime filetime, PerfFreq uint64,
  StartTime filetime, ReservedFlags uint32, BuffersLost uint32, SessionName utf16, LogFileName utf16
EventTrace v0 Extension=5 EndExtension=32: ${GROUP_MASKS}
EventTrace v2 Extension=5 EndExtension=32: ${GROUP_MASKS}, KernelEventVersion uint32
EventTrace v0 RundownComplete=8:
EventTrace v2 DbgIdRSDS=64: GuidSig guid, Age uint32, PDBFileName utf8
EventTrace v2 BuildInfo=66: BuildString ansi
EventTrace v2 ProviderBinaryPath=67: GuidCount uint32, Guid guid[GuidCount], BinaryPath utf16
EventTrace v0 PartitionInfoExtension=80: EventVersion uint16, _Reserved uint16, PartitionType uint32,
  QpcOffsetFromRoot int64, _Ids binary
EventTrace v2 LastDroppedTimes=82: TimeStampCount uint32, _Padding uint32, TimeStamp uint64[TimeStampCount]
`,
};

const IMAGE_V0 = 'ImageBase pointer, ImageSize uint32, FileName utf16';
const IMAGE_V1 = 'ImageBase pointer, ImageSize pointer, ProcessID uint32, FileName utf16';
const IMAGE_V2 = `ImageBase pointer, ImageSize pointer, ProcessID uint32, ImageChecksum uint32,
  TimeDateStamp uint32, _Reserved0 uint32, DefaultBase pointer, _Reserved1 uint32, _Reserved2 uint32,
  _Reserved3 uint32, _Reserved4 uint32, FileName utf16`;
const IMAGE_V3 = `ImageBase pointer, ImageSize pointer, ProcessID uint32, ImageChecksum uint32,
  TimeDateStamp uint32, SignatureLevel uint8, SignatureType uint8, _Reserved0 uint16, DefaultBase pointer,
  _Reserved1 uint32, _Reserved2 uint32, _Reserved3 uint32, _Reserved4 uint32, FileName utf16`;

/** Kernel records count loading an image as an event of processes, and Image/Load is there, too. */
export const KERNEL_IMAGE: KernelTable = {
  provider,
  guid: '2cb15d1d-5fc1-11d2-abe1-00a0c911f518',
  group: 0x14,
  entries: `
Image v0 Load=10: ${IMAGE_V0}
Image v1 Load=10: ${IMAGE_V1}
Image v2 Load=10 Unload=2 DCStart=3 DCStop=4: ${IMAGE_V2}
Image v3 Load=10 Unload=2 DCStart=3 DCStop=4: ${IMAGE_V3}
Image v2 KernelBase=33: ImageBase pointer
Image v2 HypercallPage=34: HypercallPageVa pointer
`,
};

const PROCESS_V2 = `UniqueProcessKey pointer, ProcessID uint32, ParentID uint32, SessionID int32,
  ExitStatus int32`;
const PROCESS_V4 = `${PROCESS_V2}, PageDirectoryBase pointer, Flags hex32, UserSID wbemSid, ImageFileName ansi,
  CommandLine utf16, PackageFullName utf16, ApplicationID utf16`;

export const KERNEL_PROCESS: KernelTable = {
  provider,
  guid: '3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x03,
  entries: `
Process v0 Start=1 Stop=2 DCStart=3 DCStop=4: ProcessID pointer, ParentID pointer, UserSID wbemSid,
  ImageFileName ansi
Process v1 Start=1 Stop=2 DCStart=3 DCStop=4: PageDirectoryBase pointer, ProcessID uint32, ParentID uint32,
  SessionID int32, ExitStatus int32, UserSID wbemSid, ImageFileName ansi
Process v2 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: ${PROCESS_V2}, UserSID wbemSid, ImageFileName ansi,
  CommandLine utf16
Process v3 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: ${PROCESS_V2}, PageDirectoryBase pointer,
  UserSID wbemSid, ImageFileName ansi, CommandLine utf16
Process v4 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: ${PROCESS_V4}
Process v5 Defunct=39: ${PROCESS_V4}, ExitTime filetime
Process v2 Terminate=11: ProcessID uint32
Process v2 PerfCtr=32 PerfCtrRundown=33: ProcessID uint32, MemoryCount uint32, HandleCount uint32,
  _Reserved uint32, PeakVirtualSize pointer, PeakWorkingSetSize pointer, PeakPagefileUsage pointer,
  QuotaPeakPagedPoolUsage pointer, QuotaPeakNonPagedPoolUsage pointer, VirtualSize pointer,
  WorkingSetSize pointer, PagefileUsage pointer, QuotaPagedPoolUsage pointer, QuotaNonPagedPoolUsage pointer,
  PrivatePageCount pointer
Process v2 InSwap=35: PageDirectoryBase pointer, ProcessID uint32
Image v0 Load=10: ${IMAGE_V0}
Image v1 Load=10: ${IMAGE_V1}
Image v2 Load=10: ${IMAGE_V2}
Image v3 Load=10: ${IMAGE_V3}
`,
};

const STACKS = `ProcessID uint32, ThreadID uint32, StackBase pointer, StackLimit pointer, UserStackBase pointer,
  UserStackLimit pointer`;
const THREAD_V3 = `${STACKS}, Affinity pointer, Win32StartAddr pointer, TebBase pointer, SubProcessTag uint32,
  BasePriority uint8, PagePriority uint8, IoPriority uint8, ThreadFlags uint8`;
const SWITCH = 'NewThreadID uint32, OldThreadID uint32, NewThreadPriority int8, OldThreadPriority int8';

export const KERNEL_THREAD: KernelTable = {
  provider,
  guid: '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x05,
  entries: `
Thread v0 Start=1 Stop=2 DCStart=3 DCStop=4: ThreadID uint32, ProcessID uint32
Thread v1 Start=1 DCStart=3 DCStop=4: ${STACKS}, StartAddr pointer, Win32StartAddr pointer, WaitMode int8
Thread v1 Stop=2: ProcessID uint32, ThreadID uint32
Thread v2 Start=1 Stop=2 DCStart=3 DCStop=4: ${STACKS}, StartAddr pointer, Win32StartAddr pointer,
  TebBase pointer, SubProcessTag uint32
Thread v3 Start=1 Stop=2 DCStart=3 DCStop=4: ${THREAD_V3}
Thread v4 Start=1 Stop=2 DCStart=3 DCStop=4: ${THREAD_V3}, ThreadName utf16
Thread v1 CSwitch=36: ${SWITCH}, NewThreadQuantum int8, OldThreadQuantum int8, OldThreadWaitReason int8,
  OldThreadWaitMode int8, OldThreadState int8, OldThreadWaitIdealProcessor int8
Thread v2 CSwitch=36: ${SWITCH}, PreviousCState uint8, _Spare int8, OldThreadWaitReason int8,
  OldThreadWaitMode int8, OldThreadState int8, OldThreadWaitIdealProcessor int8, NewThreadWaitTime uint32,
  _Reserved uint32
Thread v3 CSwitch=36: ${SWITCH}, PreviousCState uint8, _Spare int8, OldThreadWaitReason int8, ThreadFlags int8,
  OldThreadState int8, OldThreadWaitIdealProcessor int8, NewThreadWaitTime uint32, _Reserved uint32
Thread v2 CompCS=37: FirstTimeStamp int64, TidTable uint32[16], ThreadBasePriority int8[16], Packets binary
Thread v2 SpinLock=41: SpinLockAddress pointer, CallerAddress pointer, AcquireTime uint64, ReleaseTime uint64,
  WaitTimeInCycles uint32, SpinCount uint32, ThreadID uint32, InterruptCount uint32, Irql uint8,
  AcquireDepth uint8, Flag hex8, _Reserved uint8[5]
Thread v3 SetPriority=48 SetBasePriority=49 SetPagePriority=51 SetIoPriority=52: ThreadID uint32,
  OldPriority uint8, NewPriority uint8, _Reserved uint16
Dispatcher v2 ReadyThread=50: AwakenedThreadID uint32, AdjustReason int8, AdjustIncrement int8, Flags hex8,
  _Reserved uint8
Thread v2 SetAffinity=53: Affinity pointer, ThreadID uint32, Group uint16, _Reserved uint16
Thread v1 WorkerThread=57: ThreadID uint32, StartTime uint64, ThreadRoutine pointer
Thread v2 AntiStarvationBoost=60: ThreadID uint32, ProcessorIndex uint16, Priority uint8, _Reserved uint8
Thread v2 Migration=61: ThreadID uint32, SourceProcessorIndex uint16, TargetProcessorIndex uint16,
  Priority uint8, IdealProcessorAdjust bool8, OldIdealProcessorIndex uint16
Thread v2 Enqueue=62: Entry pointer, ThreadID uint32
Thread v2 Dequeue=63: ThreadID uint32, EntryCount uint32, Entries pointer[EntryCount]
Thread v2 WorkerThreadStart=64 WorkerThreadStop=65: CallbackRoutine pointer
Thread v2 AutoBoostSetFloor=66: Lock pointer, ThreadID uint32, NewCpuPriorityFloor uint8, OldCpuPriority uint8,
  IoPriorities uint8, BoostFlags hex8
Thread v2 AutoBoostClearFloor=67: LockAddress pointer, ThreadID uint32, BoostBitmap uint32
Thread v2 AutoBoostEntryExhaustion=68: LockAddress pointer, ThreadID uint32
Thread v2 SubProcessTagChanged=69: OldTag uint32, NewTag uint32
Thread v2 SetName=72: ProcessID uint32, ThreadID uint32, ThreadName utf16
`,
};
