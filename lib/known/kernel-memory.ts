/**
 * The kernel's events about memory: page faults, virtual memory, pools, handles; and the events of heaps and critical
 * sections, which are logged for processes in the same way.
 *
 * Sources: Microsoft's documentation of the MOF classes PageFault, HeapTrace, CritSecTrace; the classes that Windows
 * itself registers under MSNT_SystemTrace. Names of events and fields are PerfView's.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const HEAP_RANGES = 'HeapHandle pointer, HRFlags hex32, HRPid uint32, HRRangeCount uint32';

export const KERNEL_PAGE_FAULT: KernelTable = {
  provider,
  guid: '3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c',
  group: 0x02,
  entries: `
Memory v0 TransitionFault=10 DemandZeroFault=11 CopyOnWrite=12 GuardMemory=13 HardMemory=14 AccessViolation=15:
  VirtualAddress pointer, ProgramCounter pointer
Memory v0 HardFault=32: InitialTime uint64, ReadOffset uint64, VirtualAddress pointer, FileKey pointer,
  ThreadID uint32, ByteCount uint32
VirtualMem v0 Alloc=98 Free=99: BaseAddr pointer, Length pointer, ProcessID uint32, Flags hex32
Memory v2 HeapRangeRundown=100: ${HEAP_RANGES}
Memory v3 HeapRangeRundown=100: ${HEAP_RANGES}, _Reserved uint32
Memory v4 HeapRangeRundown=100: ${HEAP_RANGES}, HRHeapTag uint64
Memory v2 HeapRangeCreate=101: HeapHandle pointer, FirstRangeSize pointer, HRCreateFlags hex32
Memory v2 HeapRangeReserve=102 HeapRangeRelease=103: HeapHandle pointer, HRAddress pointer, HRSize pointer
Memory v2 HeapRangeDestroy=104: HeapHandle pointer
Memory v2 ImageLoadBacked=105: FileKey pointer, DeviceChar hex32, FileChar hex16, LoadFlags hex16
Memory v2 SystemMemInfo=112: ZeroPageCount pointer, FreePageCount pointer, ModifiedPageCount pointer,
  ModifiedNoWritePageCount pointer, BadPageCount pointer, PageCountByPriority pointer[8],
  RepurposedPagesByPriority pointer[8], ModifiedPageCountPageFile pointer
Memory v2 VirtualRotate=127: BaseAddr pointer, Length pointer
Memory v2 VirtualAllocDCStart=128 VirtualAllocDCStop=129: BaseAddr pointer, Length pointer, ProcessID uint32,
  Flags hex32, CommitSizeInBytes pointer
Memory v2 MemReset=134: BaseAddr pointer, Length pointer, Flags hex32
`,
};

const POOL_BLOCK = 'Type uint32, Tag hex32, NumberOfBytes pointer, Entry pointer';

export const KERNEL_POOL: KernelTable = {
  provider,
  guid: '0268a8b6-74fd-4302-9dd0-6e8f1795c0cf',
  group: 0x0e,
  entries: `
Pool v2 Alloc=32 Free=34: ${POOL_BLOCK}
Pool v2 AllocSession=33 FreeSession=35: ${POOL_BLOCK}, SessionID uint32
`,
};

export const KERNEL_OBJECT: KernelTable = {
  provider,
  guid: '89497f50-effe-4440-8cf2-ce6b1cdcaca7',
  group: 0x11,
  entries: `
Object v2 CreateHandle=32 CloseHandle=33: Object pointer, Handle uint32, ObjectType uint16, ObjectName utf16
Object v2 DuplicateHandle=34: Object pointer, SourceHandle uint32, TargetHandle uint32, TargetProcessID uint32,
  ObjectType uint16, SourceProcessID uint32
Object v2 TypeDCStart=36 TypeDCEnd=37: ObjectType uint16, _Reserved uint16, ObjectTypeName utf16
Object v2 HandleDCStart=38 HandleDCEnd=39: Object pointer, ProcessID uint32, Handle uint32, ObjectType uint16,
  ObjectName utf16
Object v2 CreateObject=48 DeleteObject=49: Object pointer, ObjectType uint16
Object v2 Reference=50 Dereference=51: Object pointer, Tag hex32, Count uint32
`,
};

const HEAP_SPACE = 'FreeSpace pointer, CommittedSpace pointer, ReservedSpace pointer';

export const HEAP: KernelTable = {
  provider: 'HeapTraceProvider',
  guid: '222962ab-6180-4b88-a825-346b75f2a24a',
  group: 0x10,
  entries: `
Heap v0 Create=32: HeapHandle pointer, HeapFlags hex32, ReserveSize pointer, CommitSize pointer,
  AllocatedSize pointer
Heap v0 Alloc=33: HeapHandle pointer, AllocSize pointer, AllocAddress pointer, SourceID uint32
Heap v0 ReAlloc=34: HeapHandle pointer, NewAllocAddress pointer, OldAllocAddress pointer, NewAllocSize pointer,
  OldAllocSize pointer, SourceID uint32
Heap v0 Destroy=35 Lock=43 Unlock=44 Validate=45 Walk=46: HeapHandle pointer
Heap v0 Free=36: HeapHandle pointer, FreeAddress pointer, SourceID uint32
Heap v0 Expand=37: HeapHandle pointer, CommittedSize pointer, CommitAddress pointer, ${HEAP_SPACE},
  NoOfUCRs uint32, AllocatedSpace pointer
Heap v0 SnapShot=38: HeapHandle pointer, ${HEAP_SPACE}, HeapFlags hex32, ProcessID uint32,
  LargeUCRSpace pointer, FreeListLength uint32, UCRLength uint32, AllocatedSpace pointer
Heap v0 Contract=42: HeapHandle pointer, DeCommittedSize pointer, DeCommitAddress pointer, ${HEAP_SPACE},
  NoOfUCRs uint32, AllocatedSpace pointer
`,
};

export const CRITICAL_SECTION: KernelTable = {
  provider: 'CritSecTraceProvider',
  guid: '3ac66736-cc59-4cff-8115-8df50e39816b',
  group: 0x17,
  entries: `
CritSec v0 Collision=34: LockCount uint32, SpinCount uint32, OwningThread pointer, CritSecAddr pointer
CritSec v0 Initialize=35: SpinCount pointer, CritSecAddr pointer
`,
};
