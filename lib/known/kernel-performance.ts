/**
 * The kernel's events about processors: samples, interrupts, system calls, stacks; and debugger output.
 *
 * Sources: Microsoft's documentation of the MOF classes PerfInfo and StackWalk; the classes that Windows itself
 * registers under MSNT_SystemTrace. Names of events and fields are PerfView's.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const INTERVALS = 'SampleSource uint32, NewInterval uint32, OldInterval uint32';
const INTERRUPT = 'InitialTime uint64, Routine pointer, ReturnValue uint8, Vector uint16, _Reserved uint8';

/**
 * Flags of a sample: 1 in a deferred procedure call, 2 in an interrupt; from bit 3, the thread's priority. Source:
 * PERFINFO_SAMPLED_PROFILE_INFORMATION in Windows' debugging symbols.
 */
export const KERNEL_PERF_INFO: KernelTable = {
  provider,
  guid: 'ce1dbfb4-137e-4da6-87b0-3f59aa102cbc',
  group: 0x0f,
  entries: `
PerfInfo v0 Mark=34: Value ansi
PerfInfo v1 Sample=46: InstructionPointer pointer, ThreadID uint32, Count uint16
PerfInfo v2 Sample=46: InstructionPointer pointer, ThreadID uint32, Count uint16, Flags hex8, Rank uint8
PerfInfo v2 PMCSample=47: InstructionPointer pointer, ThreadID uint32, ProfileSource uint16, _Reserved uint16
PerfInfo v2 PmcCounterConfig=48: CounterCount uint32, CounterName utf16[CounterCount]
PerfInfo v2 PmcCounterCorruption=49: ProcessorNumber uint32, CounterCount uint32, CounterStatus uint32[CounterCount]
PerfInfo v2 ISR=50: ${INTERRUPT}, Message uint32
PerfInfo v2 SysClEnter=51: SysCallAddress pointer
PerfInfo v2 SysClExit=52: SysCallNtStatus hex32
PerfInfo v2 DebuggerEnabled=58:
PerfInfo v1 ISR=67 PassiveISR=95: InitialTime uint64, Routine pointer, ReturnValue uint32
PerfInfo v2 ISR=67 PassiveISR=95: ${INTERRUPT}
PerfInfo v1 DPC=68 TimerDPC=69: InitialTime uint64, Routine pointer
PerfInfo v2 ThreadedDPC=66 DPC=68 TimerDPC=69 IoTimer=70: InitialTime uint64, Routine pointer
PerfInfo v2 SetInterval=72 CollectionStart=73 CollectionEnd=74: ${INTERVALS}
PerfInfo v3 CollectionStart=73 CollectionEnd=74: ${INTERVALS}, SampleSourceName utf16
PerfInfo v2 SpinLockDCStart=75 SpinLockDCStop=76: SpinLockSpinThreshold uint32,
  SpinLockContentionSampleRate uint32, SpinLockAcquireSampleRate uint32, SpinLockHoldThreshold uint32
PerfInfo v2 UnexpectedInterrupt=92: Vector uint16
PerfInfo v2 IoTimerStart=93 IoTimerStop=94: DeviceObject pointer, TimerRoutine pointer
PerfInfo v2 WdfInterrupt=96 WdfPassiveInterrupt=97 WdfDPC=98 WdfWorkItem=103: Routine pointer
PerfInfo v2 TimerSet=104 TimerExpiration=105: DueTime uint64, MaximumDueTime uint64, Period uint64,
  Timer pointer, Callback pointer, CallbackContext pointer, TimerFlags hex8
PerfInfo v2 TimerCancel=106: Timer pointer
PerfInfo v2 TimerDisable=107: Timer pointer, DisableCallback pointer, DisableContext pointer, TimerFlags hex8
PerfInfo v2 TimerFinalization=108: Timer pointer, DisableCallback pointer, DisableContext pointer
PerfInfo v2 Hypercall=114: CallCode uint32, IsFast bool8, IsNested bool8
`,
};

/** EventTimeStamp is the raw time of the event to which the stack belongs. */
export const KERNEL_STACK_WALK: KernelTable = {
  provider,
  guid: 'def2fe46-7bd6-4b80-bd94-f57fe20d0ce3',
  group: 0x18,
  entries: `
StackWalk v0 Stack=32: EventTimeStamp uint64, StackProcess uint32, StackThread uint32, Stack pointer[*]
StackWalk v0 KeyCreate=34 KeyDelete=35 KeyRundown=36: StackKey pointer, Stack pointer[*]
StackWalk v0 StackKeyKernel=37 StackKeyUser=38: EventTimeStamp uint64, StackProcess uint32, StackThread uint32,
  StackKey pointer
`,
};

export const KERNEL_DEBUG_PRINT: KernelTable = {
  provider,
  guid: '13976d09-a327-438c-950b-7f03192815c7',
  group: 0x0a,
  entries: `
DbgPrint v0 Print=32: Component uint32, Level uint32, Message ansi
`,
};
