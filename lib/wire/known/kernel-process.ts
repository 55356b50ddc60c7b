/**
 * The kernel's events of the trace itself, processes, threads and images.
 *
 * Sources: Microsoft's documentation of the MOF classes EventTraceEvent, Process, Thread, Image; `wmicore.mof`
 * of the Windows Driver Kit; names of events and fields as PerfView (TraceEvent) shows them.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

export const KERNEL_EVENT_TRACE: KernelTable = {
  provider,
  guid: '68fdd900-4a3e-11d1-84f4-0000f80464e3',
  group: 0x00,
  entries: `
EventTrace v2 Info=0: BufferSize uint32, Version uint32, ProviderVersion uint32, NumberOfProcessors uint32,
  EndTime filetime, TimerResolution uint32, MaxFileSize uint32, LogFileMode hex32, BuffersWritten uint32,
  StartBuffers uint32, PointerSize uint32, EventsLost uint32, CPUSpeed uint32, _LoggerName pointer,
  _LogFileNamePointer pointer, UtcOffsetMinutes int32, _TimeZone binary(172), BootTime filetime, PerfFreq uint64,
  StartTime filetime, ReservedFlags uint32, BuffersLost uint32, SessionName utf16, LogFileName utf16
EventTrace v0 Extension=5 EndExtension=32: GroupMask1 hex32, GroupMask2 hex32, GroupMask3 hex32,
  GroupMask4 hex32, GroupMask5 hex32, GroupMask6 hex32, GroupMask7 hex32, GroupMask8 hex32,
  KernelEventVersion uint32
EventTrace v0 RundownComplete=8:
`,
};

export const KERNEL_PROCESS: KernelTable = {
  provider,
  guid: '3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x03,
  entries: `
Process v4 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: UniqueProcessKey pointer, ProcessID uint32,
  ParentID uint32, SessionID int32, ExitStatus int32, PageDirectoryBase pointer, Flags hex32, UserSID wbemSid,
  ImageFileName ansi, CommandLine utf16, PackageFullName utf16, ApplicationID utf16
Process v3 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: UniqueProcessKey pointer, ProcessID uint32,
  ParentID uint32, SessionID int32, ExitStatus int32, PageDirectoryBase pointer, UserSID wbemSid,
  ImageFileName ansi, CommandLine utf16
Process v2 Start=1 Stop=2 DCStart=3 DCStop=4 Defunct=39: UniqueProcessKey pointer, ProcessID uint32,
  ParentID uint32, SessionID int32, ExitStatus int32, UserSID wbemSid, ImageFileName ansi, CommandLine utf16
Process v1 Start=1 Stop=2 DCStart=3 DCStop=4: PageDirectoryBase pointer, ProcessID uint32, ParentID uint32,
  SessionID int32, ExitStatus int32, UserSID wbemSid, ImageFileName ansi
Process v0 Start=1 Stop=2 DCStart=3 DCStop=4: ProcessID pointer, ParentID pointer, UserSID wbemSid,
  ImageFileName ansi
Process v2 PerfCtr=32 PerfCtrRundown=33: ProcessID uint32, MemoryCount uint32, HandleCount uint32,
  _Reserved uint32, PeakVirtualSize pointer, PeakWorkingSetSize pointer, PeakPagefileUsage pointer,
  QuotaPeakPagedPoolUsage pointer, QuotaPeakNonPagedPoolUsage pointer, VirtualSize pointer,
  WorkingSetSize pointer, PagefileUsage pointer, QuotaPagedPoolUsage pointer, QuotaNonPagedPoolUsage pointer,
  PrivatePageCount pointer
`,
};

export const KERNEL_THREAD: KernelTable = {
  provider,
  guid: '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x05,
  entries: `
Thread v2 CSwitch=36: NewThreadID uint32, OldThreadID uint32, NewThreadPriority int8, OldThreadPriority int8,
  PreviousCState uint8, _SpareByte int8, OldThreadWaitReason int8, OldThreadWaitMode int8, OldThreadState int8,
  OldThreadWaitIdealProcessor int8, NewThreadWaitTime uint32, _Reserved uint32
`,
};
