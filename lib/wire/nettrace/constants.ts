/**
 * The names and numbers of the nettrace (EventPipe) format in all its versions: 3 is .netperf of .NET Core 2, 4 is .NET
 * Core 3 to .NET 9, 6 is the latest.
 *
 * Source: perfview's NetPerfFormat.md, NetTraceFormat_v5.md and NetTraceFormat_v6.md, checked against files that
 * TraceEvent reads.
 */

/** The first 8 bytes of a file of version 4 and later. */
export const NETTRACE_MAGIC = 'Nettrace';
/** The text follows its own length as i32: at the start of a .netperf, and after the magic in version 4. */
export const FAST_SERIALIZATION_MAGIC = '!FastSerialization.1';

/** Supported versions of .netperf and .nettrace. */
export const FormatVersion = { NetPerf: 3, V4: 4, V6: 6 } as const;

/** The tags between the objects of versions 3 and 4. */
export const SerializationTag = {
  /** No object: the end of the stream, and the type of a type. */
  NullReference: 1,
  BeginObject: 4,
  BeginPrivateObject: 5,
  EndObject: 6,
} as const;

/** The blocks of version 6 by number. */
export const BlockKind = {
  EndOfStream: 0,
  Trace: 1,
  Event: 2,
  Metadata: 3,
  SequencePoint: 4,
  Stack: 5,
  Thread: 6,
  RemoveThread: 7,
  LabelList: 8,
} as const;

/** The type names of objects in versions 3 and 4, and the corresponding blocks of version 6. */
export const BLOCK_KIND_OF_OBJECT: ReadonlyMap<string, number> = new Map([
  ['Trace', BlockKind.Trace],
  ['Microsoft.DotNet.Runtime.EventPipeFile', BlockKind.Trace],
  ['EventBlock', BlockKind.Event],
  ['MetadataBlock', BlockKind.Metadata],
  ['StackBlock', BlockKind.Stack],
  ['SPBlock', BlockKind.SequencePoint],
]);

/** The size of the Trace object up to version 2, and from version 3. */
export const TRACE_OBJECT_SIZE = 48;
/** Blocks of versions 3 and 4 start at a multiple of this many bytes in the file. */
export const BLOCK_ALIGNMENT = 4;
/** The latest version of a block other than Trace in version 4. */
export const MAX_BLOCK_VERSION = 2;

/** The minimum `headerSize` of an event block, and of a metadata block of version 4. */
export const EVENT_BLOCK_HEADER_SIZE = 20;
/** An event block's flag says by this bit that event headers are compressed. */
export const COMPRESSED_HEADERS = 1;

/** An uncompressed metadata id with this bit says that later events of the file may be older than this one. */
export const UNSORTED_BIT = 0x8000_0000;

/** What a compressed event header contains; everything else is as in the previous event. */
export const BlobFlag = {
  MetadataId: 0x01,
  /** Sequence number, capture thread and processor. */
  CaptureThread: 0x02,
  Thread: 0x04,
  Stack: 0x08,
  /** This flag also stands for the label list's index in version 6. */
  ActivityId: 0x10,
  LabelList: 0x10,
  RelatedActivityId: 0x20,
  /** This flag has no data: no later event of the file is older than this one. */
  Sorted: 0x40,
  PayloadSize: 0x80,
} as const;

/** A processor number that means unknown. */
export const UNKNOWN_PROCESSOR = 0xffff_ffff;

/** The name of a process's script: a property of the trace, and a field of its event ProcessInfo. */
export const ENTRY_POINT = 'EntryPoint';
/** The property of a trace in which a flight recorder says why it has written it. */
export const FLIGHT_RECORDER_REASON = 'FlightRecorderReason';
/** The property with the id of the activity that was slow or failed, if that is why. */
export const FLIGHT_RECORDER_ACTIVITY = 'FlightRecorderActivity';

/** Field types. Versions 3 and 4 have those up to `Utf16Text`, and `Array` only in the tag `V2Params`. */
export const TypeCode = {
  Object: 1,
  Boolean32: 3,
  Utf16Unit: 4,
  Int8: 5,
  Uint8: 6,
  Int16: 7,
  Uint16: 8,
  Int32: 9,
  Uint32: 10,
  Int64: 11,
  Uint64: 12,
  Float: 13,
  Double: 14,
  Decimal: 15,
  /** A FILETIME in 8 bytes, as the runtime writes it, whatever the documentation says. */
  DateTime: 16,
  Guid: 17,
  Utf16Text: 18,
  Array: 19,
  VarInt: 20,
  VarUint: 21,
  FixedArray: 22,
  Utf8Unit: 23,
  RelLoc: 24,
  DataLoc: 25,
  Boolean8: 26,
} as const;

/** What may follow the fields in metadata of version 4. */
export const MetadataTag = { Opcode: 1, V2Params: 2 } as const;

/** What may follow the fields in metadata of version 6. */
export const MetadataEntry = {
  Opcode: 1,
  Keywords: 3,
  MessageTemplate: 4,
  Description: 5,
  KeyValue: 6,
  ProviderGuid: 7,
  Level: 8,
  Version: 9,
} as const;

export const ThreadEntry = { Name: 1, ProcessId: 2, ThreadId: 3, KeyValue: 4 } as const;

export const LabelKind = {
  ActivityId: 1,
  RelatedActivityId: 2,
  TraceId: 3,
  SpanId: 4,
  TextPair: 5,
  VarIntPair: 6,
  Opcode: 7,
  Keywords: 8,
  Level: 9,
  Version: 10,
} as const;
/** A label's kind says by this bit that it is the last label of the list. */
export const LAST_LABEL = 0x80;

/** What a sequence point of version 6 makes the reader forget, besides stacks and labels. */
export const SequencePointFlag = { FlushThreads: 1, FlushMetadata: 2 } as const;
