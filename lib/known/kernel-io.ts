/**
 * The kernel's events of disks, files and the registry.
 *
 * Sources: Microsoft's documentation of the MOF classes DiskIo, FileIo, SplitIo, Registry; the classes that
 * Windows itself registers under MSNT_SystemTrace. Names of events and fields are PerfView's.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const TRANSFER = 'DiskNumber uint32, IrpFlags hex32, TransferSize uint32';
const TRANSFER_V2 = `${TRANSFER}, _Reserved uint32, ByteOffset int64, FileKey pointer, Irp pointer,
  HighResResponseTime uint64`;
const FLUSH_V2 = 'DiskNumber uint32, IrpFlags hex32, HighResResponseTime uint64, Irp pointer';

export const KERNEL_DISK_IO: KernelTable = {
  provider,
  guid: '3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x01,
  entries: `
DiskIO v0 Read=10 Write=11: ${TRANSFER}, _Reserved uint32, ByteOffset int64, FileKey pointer
DiskIO v1 Read=10 Write=11: ${TRANSFER}, ResponseTime uint32, ByteOffset int64, FileKey pointer,
  HighResResponseTime uint64
DiskIO v2 Read=10 Write=11: ${TRANSFER_V2}
DiskIO v3 Read=10 Write=11 OpticalRead=55 OpticalWrite=56: ${TRANSFER_V2}, IssuingThreadID uint32
DiskIO v2 ReadInit=12 WriteInit=13 FlushInit=15: Irp pointer
DiskIO v3 ReadInit=12 WriteInit=13 FlushInit=15 OpticalReadInit=58 OpticalWriteInit=59 OpticalFlushInit=60:
  Irp pointer, IssuingThreadID uint32
DiskIO v2 FlushBuffers=14: ${FLUSH_V2}
DiskIO v3 FlushBuffers=14 OpticalFlush=57: ${FLUSH_V2}, IssuingThreadID uint32
DiskIO v1 DriverMajorFunctionCall=34: UniqMatchID uint32, RoutineAddr pointer, Irp pointer,
  MajorFunction uint32, MinorFunction uint32, FileKey pointer
DiskIO v2 DriverMajorFunctionCall=34: MajorFunction uint32, MinorFunction uint32, RoutineAddr pointer,
  FileKey pointer, Irp pointer, UniqMatchID uint32
DiskIO v1 DriverMajorFunctionReturn=35: UniqMatchID uint32, Irp pointer
DiskIO v2 DriverMajorFunctionReturn=35: Irp pointer, UniqMatchID uint32
DiskIO v2 DriverCompletionRoutine=37: Routine pointer, IrpPtr pointer, UniqMatchID uint32
DiskIO v1 DriverCompleteRequest=52: RoutineAddr pointer, Irp pointer, UniqMatchID uint32
DiskIO v1 DriverCompleteRequestReturn=53: Irp pointer, UniqMatchID uint32
`,
};

export const KERNEL_SPLIT_IO: KernelTable = {
  provider,
  guid: 'd837ca92-12b9-44a5-ad6a-3a65b3578aa8',
  group: 0x1b,
  entries: `
SplitIo v0 VolMgr=32: ParentIrp pointer, ChildIrp pointer
`,
};

const FILE_V2 = 'IrpPtr pointer, TTID pointer, FileObject pointer';
const FILE_V3 = 'IrpPtr pointer, FileObject pointer, FileKey pointer';
const MAPPING = 'ViewBase pointer, FileKey pointer, MiscInfo hex64, ViewSize pointer';
const FILTER = `RoutineAddr pointer, FileObject pointer, FileContext pointer, IrpPtr pointer,
  CallbackDataPtr pointer, MajorFunction uint32`;

export const KERNEL_FILE_IO: KernelTable = {
  provider,
  guid: '90cbdc39-4a3e-11d1-84f4-0000f80464e3',
  group: 0x04,
  entries: `
FileIO v0 Name=0 FileCreate=32 FileDelete=35 FileRundown=36: FileKey pointer, FileName utf16
FileIO v2 MapFile=37 UnmapFile=38 MapFileDCStart=39 MapFileDCStop=40: ${MAPPING}, ProcessID uint32
FileIO v3 MapFile=37 UnmapFile=38 MapFileDCStart=39 MapFileDCStop=40: ${MAPPING}, ByteOffset uint64,
  ProcessID uint32
FileIO v2 Create=64: ${FILE_V2}, CreateOptions uint32, FileAttributes uint32, ShareAccess uint32, FileName utf16
FileIO v3 Create=64: IrpPtr pointer, FileObject pointer, TTID uint32, CreateOptions uint32,
  FileAttributes uint32, ShareAccess uint32, FileName utf16
FileIO v2 Cleanup=65 Close=66 Flush=73: ${FILE_V2}, FileKey pointer
FileIO v3 Cleanup=65 Close=66 Flush=73: ${FILE_V3}, TTID uint32
FileIO v2 Read=67 Write=68: Offset int64, ${FILE_V2}, FileKey pointer, IoSize uint32, IoFlags hex32
FileIO v3 Read=67 Write=68: Offset int64, ${FILE_V3}, TTID uint32, IoSize uint32, IoFlags hex32,
  ExtraFlags hex32
FileIO v2 SetInfo=69 Delete=70 Rename=71 QueryInfo=74 FSControl=75: ${FILE_V2}, FileKey pointer,
  ExtraInfo pointer, InfoClass uint32
FileIO v3 SetInfo=69 Delete=70 Rename=71 QueryInfo=74 FSControl=75: ${FILE_V3}, ExtraInfo pointer, TTID uint32,
  InfoClass uint32
FileIO v2 DirEnum=72 DirNotify=77: ${FILE_V2}, FileKey pointer, Length uint32, InfoClass uint32,
  FileIndex uint32, FileName utf16
FileIO v3 DirEnum=72 DirNotify=77: ${FILE_V3}, TTID uint32, Length uint32, InfoClass uint32, FileIndex uint32,
  FileName utf16
FileIO v2 OperationEnd=76: IrpPtr pointer, ExtraInfo pointer, NtStatus hex32
FileIO v3 DeletePath=79 RenamePath=80 SetLinkPath=81: ${FILE_V3}, ExtraInfo pointer, TTID uint32,
  InfoClass uint32, FileName utf16
FileIO v3 PreOpInit=96 PostOpInit=97: ${FILTER}
FileIO v3 PreOpCompletion=98 PostOpCompletion=99: InitialTime uint64, ${FILTER}
FileIO v3 PreOpFailure=100 PostOpFailure=101: ${FILTER}, Status hex32
`,
};

export const KERNEL_REGISTRY: KernelTable = {
  provider,
  guid: 'ae53722e-c863-11d2-8659-00c04fa321a1',
  group: 0x09,
  entries: `
Registry v0 Create=10 Open=11 Delete=12 Query=13 SetValue=14 DeleteValue=15 QueryValue=16 EnumerateKey=17
  EnumerateValueKey=18 QueryMultipleValue=19 SetInformation=20 Flush=21: Status pointer, KeyHandle pointer,
  ElapsedTime int64, KeyName utf16
Registry v1 Create=10 Open=11 Delete=12 Query=13 SetValue=14 DeleteValue=15 QueryValue=16 EnumerateKey=17
  EnumerateValueKey=18 QueryMultipleValue=19 SetInformation=20 Flush=21 RunDown=22: Status pointer,
  KeyHandle pointer, ElapsedTime int64, Index uint32, KeyName utf16
Registry v2 Create=10 Open=11 Delete=12 Query=13 SetValue=14 DeleteValue=15 QueryValue=16 EnumerateKey=17
  EnumerateValueKey=18 QueryMultipleValue=19 SetInformation=20 Flush=21 KCBCreate=22 KCBDelete=23
  KCBRundownBegin=24 KCBRundownEnd=25 Virtualize=26 Close=27 SetSecurity=28 QuerySecurity=29:
  InitialTime int64, Status hex32, Index uint32, KeyHandle pointer, KeyName utf16
Registry v2 TxRCommit=30 TxRPrepare=31 TxRRollback=32: TxrGUID guid, Status hex32, UowCount uint32,
  OperationTime uint64, Hive utf16
Registry v2 Config=35: CurrentControlSet uint32
Registry v2 HiveInitialize=36: Hive pointer, OperationType uint32, PoolTag uint32, Size uint32, FileName utf16
Registry v2 HiveDestroy=37: Hive pointer, FileName utf16, Path utf16
Registry v2 HiveLink=38: Hive pointer, Path utf16
Registry v2 HiveRundown=39: Size uint64, Hive pointer, LoadedKeyCount uint32, FileName utf16, LinkPath utf16
Registry v2 HiveDirty=40: Hive pointer, LinkPath utf16, DirtyReason uint32
Registry v2 ChangeNotification=48: Notification pointer, KeyHandle pointer, Type uint8, WatchSubtree bool8,
  Primary bool8
`,
};
