/**
 * The numbers of the .etl format: buffers of records. All of it is little-endian.
 * Sources: Windows SDK `evntrace.h`, `evntcons.h` and `relogger.h`; for what only the kernel defines
 * (WMI_BUFFER_HEADER, the records' markers) Geoff Chappell's pages on ETW and `ntwmi.h` of phnt.
 */

/** The size of a WMI_BUFFER_HEADER, with which every buffer starts. */
export const BUFFER_HEADER_SIZE = 0x48;

/** More than any session uses (EVENT_TRACE_PROPERTIES: 16 MB); larger values mean damage. */
export const MAX_BUFFER_SIZE = 1 << 24;

export const BufferFlag = {
  EventsLost: 2,
  BufferLost: 4,
  /** The processor number in the header has 16 bits, not 8. */
  ProcessorIndex: 0x20,
  Compressed: 0x40,
} as const;

export const LogFileMode = {
  Circular: 2,
  RealTime: 0x100,
} as const;

/** The third byte of a record's marker. The suffix of the name is the pointer size of the writer. */
export const RecordType = {
  System32: 0x01,
  System64: 0x02,
  Compact32: 0x03,
  Compact64: 0x04,
  Full32: 0x0a,
  Instance32: 0x0b,
  Timed: 0x0c,
  Error: 0x0d,
  Wnode: 0x0e,
  Message: 0x0f,
  PerfInfo32: 0x10,
  PerfInfo64: 0x11,
  Event32: 0x12,
  Event64: 0x13,
  Full64: 0x14,
  Instance64: 0x15,
} as const;

/** The fourth byte of a marker: of all records except messages, and of messages (WPP). */
export const RECORD_MARK = 0xc0;
export const MESSAGE_MARK = 0x90;
/** This in place of a marker says that the rest of the buffer is unused. */
export const PADDING_MARKER = 0xffffffff;

/** Bits of an EVENT_HEADER's flags. */
export const EventFlag = {
  ExtendedInfo: 1,
  /** The provider is a message's GUID, the id its number (WPP), as real-time sessions deliver them. */
  TraceMessage: 8,
} as const;

/** Types of extended items: EVENT_HEADER_EXT_TYPE_*. */
export const ExtendedType = {
  RelatedActivityId: 1,
  StackTrace32: 5,
  StackTrace64: 6,
  EventSchema: 11,
  ProviderTraits: 12,
} as const;

/** Options of a message: TRACE_MESSAGE_*. */
export const MessageOption = {
  Sequence: 1,
  Guid: 2,
  ComponentId: 4,
  Timestamp: 8,
  PerformanceTimestamp: 0x10,
  SystemInfo: 0x20,
  Pointer32: 0x40,
  Pointer64: 0x80,
} as const;

/** The unit of record times: `ReservedFlags` of TRACE_LOGFILE_HEADER. */
export const ClockType = {
  PerformanceCounter: 1,
  SystemTime: 2,
  CpuCycles: 3,
} as const;

/** Groups of kernel records, the upper byte of their hook id: EVENT_TRACE_GROUP_*. */
export const KernelGroup = {
  Header: 0,
  Process: 3,
  Thread: 5,
  PerfInfo: 0xf,
  StackWalk: 0x18,
} as const;
