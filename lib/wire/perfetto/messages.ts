/**
 * The messages of a Perfetto trace, as far as they are written and read here. A trace is a message that consists of
 * packets, field 1.
 *
 * Source: google/perfetto, protos/perfetto/trace: trace_packet.proto, track_event/*.proto, interned_data.proto,
 * clock_snapshot.proto, ps/process_tree.proto, profiling/profile_common.proto and profile_packet.proto.
 */
import type { Message } from '../protobuf/message.ts';
import type { Integer } from '../protobuf/message-reader.ts';

export const PACKET_FIELD = 1;

/** The track of the whole trace; its name says who has exported the trace. */
export const TRACE_TRACK = 0;
export const EXPORTER = 'tracewright';

export const SequenceFlag = { StateCleared: 1, NeedsState: 2 } as const;
/** Why a sample is none; all other reasons are the profiler's. */
export const SampleSkipReason = { NotInScope: 4 } as const;
export const EventKind = { SliceBegin: 1, SliceEnd: 2, Instant: 3, Counter: 4 } as const;
export const Clock = {
  RealTime: 1,
  Monotonic: 3,
  BootTime: 6,
  /** Clocks from here to `LastOfSequence` belong to one sequence. */
  FirstOfSequence: 64,
  LastOfSequence: 127,
} as const;

export interface Annotation {
  readonly nameIid?: Integer;
  readonly boolValue?: boolean;
  readonly uintValue?: Integer;
  readonly intValue?: Integer;
  readonly doubleValue?: number;
  readonly stringValue?: string;
  readonly pointerValue?: Integer;
  readonly nestedValue?: NestedValue;
  readonly legacyJsonValue?: string;
  readonly name?: string;
  readonly dictEntries?: readonly Annotation[];
  readonly arrayValues?: readonly Annotation[];
  readonly stringValueIid?: Integer;
}

/** The older form of nested annotations. */
export interface NestedValue {
  readonly nestedType?: Integer;
  readonly dictKeys?: readonly string[];
  readonly dictValues?: readonly NestedValue[];
  readonly arrayValues?: readonly NestedValue[];
  readonly intValue?: Integer;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly stringValue?: string;
}

const NESTED_VALUE: Message = {
  nestedType: [1, 'uint'],
  dictKeys: [2, 'string', 'repeated'],
  dictValues: [3, () => NESTED_VALUE, 'repeated'],
  arrayValues: [4, () => NESTED_VALUE, 'repeated'],
  intValue: [5, 'int'],
  doubleValue: [6, 'double'],
  boolValue: [7, 'bool'],
  stringValue: [8, 'string'],
};

const ANNOTATION: Message = {
  nameIid: [1, 'uint'],
  boolValue: [2, 'bool'],
  uintValue: [3, 'uint'],
  intValue: [4, 'int'],
  doubleValue: [5, 'double'],
  stringValue: [6, 'string'],
  pointerValue: [7, 'uint'],
  nestedValue: [8, () => NESTED_VALUE],
  legacyJsonValue: [9, 'string'],
  name: [10, 'string'],
  dictEntries: [11, () => ANNOTATION, 'repeated'],
  arrayValues: [12, () => ANNOTATION, 'repeated'],
  stringValueIid: [17, 'uint'],
};

/** Chromium's events have this older form. */
export interface LegacyEvent {
  readonly nameIid?: Integer;
  readonly phase?: Integer;
  readonly durationUs?: Integer;
  readonly unscopedId?: Integer;
  readonly localId?: Integer;
  readonly globalId?: Integer;
  readonly idScope?: string;
  readonly pidOverride?: Integer;
  readonly tidOverride?: Integer;
}

const LEGACY_EVENT: Message = {
  nameIid: [1, 'uint'],
  phase: [2, 'int'],
  durationUs: [3, 'int'],
  unscopedId: [6, 'uint'],
  idScope: [7, 'string'],
  localId: [10, 'uint'],
  globalId: [11, 'uint'],
  pidOverride: [18, 'int'],
  tidOverride: [19, 'int'],
};

export interface TrackEvent {
  readonly timestampDeltaUs?: Integer;
  readonly categoryIids?: readonly Integer[];
  readonly type?: Integer;
  readonly nameIid?: Integer;
  readonly trackUuid?: Integer;
  readonly timestampAbsoluteUs?: Integer;
  readonly categories?: readonly string[];
  readonly name?: string;
  readonly counterValue?: Integer;
  readonly doubleCounterValue?: number;
  readonly flowIds?: readonly Integer[];
  readonly terminatingFlowIds?: readonly Integer[];
  readonly legacyEvent?: LegacyEvent;
}

export interface WrittenTrackEvent extends TrackEvent {
  readonly debugAnnotations?: readonly Annotation[];
}

const TRACK_EVENT_FIELDS = {
  timestampDeltaUs: [1, 'int'],
  categoryIids: [3, 'uint', 'repeated'],
  legacyEvent: [6, () => LEGACY_EVENT],
  type: [9, 'uint'],
  nameIid: [10, 'uint'],
  trackUuid: [11, 'uint'],
  timestampAbsoluteUs: [16, 'int'],
  categories: [22, 'string', 'repeated'],
  name: [23, 'string'],
  counterValue: [30, 'int'],
  doubleCounterValue: [44, 'double'],
  flowIds: [47, 'fixed64', 'repeated'],
  terminatingFlowIds: [48, 'fixed64', 'repeated'],
} as const satisfies Message;

/** Reading uses this: annotations are read when they are needed. */
export const TRACK_EVENT: Message = TRACK_EVENT_FIELDS;
export const TRACK_EVENT_ANNOTATIONS: Message = {
  debugAnnotations: [4, () => ANNOTATION, 'repeated'],
};
const WRITTEN_TRACK_EVENT: Message = { ...TRACK_EVENT_FIELDS, ...TRACK_EVENT_ANNOTATIONS };

export interface TrackDescriptor {
  readonly uuid?: Integer;
  readonly name?: string;
  readonly staticName?: string;
  readonly parentUuid?: Integer;
  readonly process?: {
    readonly pid?: Integer;
    readonly cmdline?: readonly string[];
    readonly processName?: string;
  };
  readonly thread?: { readonly pid?: Integer; readonly tid?: Integer; readonly threadName?: string };
  readonly counter?: {
    readonly unitMultiplier?: Integer;
    readonly isIncremental?: boolean;
    readonly unitName?: string;
  };
}

const PROCESS_DESCRIPTOR: Message = {
  pid: [1, 'int'],
  cmdline: [2, 'string', 'repeated'],
  processName: [6, 'string'],
};
const THREAD_DESCRIPTOR: Message = {
  pid: [1, 'int'],
  tid: [2, 'int'],
  threadName: [5, 'string'],
  referenceTimestampUs: [6, 'int'],
};
const COUNTER_DESCRIPTOR: Message = {
  unitMultiplier: [4, 'int'],
  isIncremental: [5, 'bool'],
  unitName: [6, 'string'],
};
const TRACK_DESCRIPTOR: Message = {
  uuid: [1, 'uint'],
  name: [2, 'string'],
  process: [3, () => PROCESS_DESCRIPTOR],
  thread: [4, () => THREAD_DESCRIPTOR],
  parentUuid: [5, 'uint'],
  counter: [8, () => COUNTER_DESCRIPTOR],
  staticName: [10, 'string'],
};

export interface NamedEntry {
  readonly iid?: Integer;
  readonly name?: string;
}
interface InternedText {
  readonly iid?: Integer;
  readonly str?: Uint8Array;
}
export interface InternedFrame {
  readonly iid?: Integer;
  readonly functionNameId?: Integer;
  readonly mappingId?: Integer;
  readonly relPc?: Integer;
}
interface InternedMapping {
  readonly iid?: Integer;
  /** The parts between slashes. */
  readonly pathStringIds?: readonly Integer[];
}
export interface InternedCallstack {
  readonly iid?: Integer;
  /** Outermost first. */
  readonly frameIds?: readonly Integer[];
}
interface InternedData {
  readonly eventCategories?: readonly NamedEntry[];
  readonly eventNames?: readonly NamedEntry[];
  readonly debugAnnotationNames?: readonly NamedEntry[];
  readonly debugAnnotationStringValues?: readonly InternedText[];
  readonly functionNames?: readonly InternedText[];
  readonly mappingPaths?: readonly InternedText[];
  readonly mappings?: readonly InternedMapping[];
  readonly frames?: readonly InternedFrame[];
  readonly callstacks?: readonly InternedCallstack[];
}

const NAMED_ENTRY: Message = { iid: [1, 'uint'], name: [2, 'string'] };
const INTERNED_TEXT: Message = { iid: [1, 'uint'], str: [2, 'bytes'] };
const FRAME: Message = {
  iid: [1, 'uint'],
  functionNameId: [2, 'uint'],
  mappingId: [3, 'uint'],
  relPc: [4, 'uint'],
};
const MAPPING: Message = { iid: [1, 'uint'], pathStringIds: [7, 'uint', 'repeated'] };
const CALLSTACK: Message = { iid: [1, 'uint'], frameIds: [2, 'uint', 'repeated'] };
const INTERNED_DATA: Message = {
  eventCategories: [1, () => NAMED_ENTRY, 'repeated'],
  eventNames: [2, () => NAMED_ENTRY, 'repeated'],
  debugAnnotationNames: [3, () => NAMED_ENTRY, 'repeated'],
  functionNames: [5, () => INTERNED_TEXT, 'repeated'],
  frames: [6, () => FRAME, 'repeated'],
  callstacks: [7, () => CALLSTACK, 'repeated'],
  mappingPaths: [17, () => INTERNED_TEXT, 'repeated'],
  mappings: [19, () => MAPPING, 'repeated'],
  debugAnnotationStringValues: [29, () => INTERNED_TEXT, 'repeated'],
};

export interface ClockReading {
  readonly clockId?: Integer;
  readonly timestamp?: Integer;
  readonly isIncremental?: boolean;
  readonly unitMultiplierNs?: Integer;
}

const CLOCK: Message = {
  clockId: [1, 'uint'],
  timestamp: [2, 'uint'],
  isIncremental: [3, 'bool'],
  unitMultiplierNs: [4, 'uint'],
};
const CLOCK_SNAPSHOT: Message = {
  clocks: [1, () => CLOCK, 'repeated'],
  primaryTraceClock: [2, 'uint'],
};

export interface PerfSample {
  readonly cpu?: Integer;
  readonly pid?: Integer;
  readonly tid?: Integer;
  readonly callstackIid?: Integer;
  readonly kernelRecordsLost?: Integer;
  readonly sampleSkippedReason?: Integer;
  /** What the profiler says of itself. */
  readonly producerEvent?: Uint8Array;
}

const PERF_SAMPLE: Message = {
  cpu: [1, 'uint'],
  pid: [2, 'uint'],
  tid: [3, 'uint'],
  callstackIid: [4, 'uint'],
  kernelRecordsLost: [17, 'uint'],
  sampleSkippedReason: [18, 'uint'],
  producerEvent: [19, 'bytes'],
};
const STREAMING_PROFILE: Message = {
  callstackIid: [1, 'uint', 'repeated'],
  timestampDeltaUs: [2, 'int', 'repeated'],
};
const PACKET_DEFAULTS: Message = {
  trackEventDefaults: [11, () => TRACK_EVENT],
  timestampClockId: [58, 'uint'],
};

export interface Packet {
  readonly clockSnapshot?: {
    readonly clocks?: readonly ClockReading[];
    readonly primaryTraceClock?: Integer;
  };
  readonly timestamp?: Integer;
  readonly sequenceId?: Integer;
  readonly internedData?: InternedData;
  readonly sequenceFlags?: Integer;
  readonly incrementalStateCleared?: boolean;
  readonly previousPacketDropped?: Integer;
  readonly timestampClockId?: Integer;
  readonly trackDescriptor?: TrackDescriptor;
  readonly packetDefaults?: { readonly timestampClockId?: Integer; readonly trackEventDefaults?: TrackEvent };
  readonly perfSample?: PerfSample;
  /** A packet that is read has the bytes instead: see `ReadPacket`. */
  readonly trackEvent?: WrittenTrackEvent;
}

/** What comes out of a packet that is read. */
export interface ReadPacket extends Omit<Packet, 'trackEvent'> {
  /** The bytes of a `TRACK_EVENT`. */
  readonly trackEvent?: Uint8Array;
  readonly compressedPackets?: Uint8Array;
  readonly zstdCompressedPackets?: Uint8Array;
  readonly processTree?: { readonly processes?: readonly NonNullable<TrackDescriptor['process']>[] };
  readonly processDescriptor?: TrackDescriptor['process'];
  readonly threadDescriptor?: TrackDescriptor['thread'] & { readonly referenceTimestampUs?: Integer };
  readonly streamingProfile?: {
    readonly callstackIid?: readonly Integer[];
    readonly timestampDeltaUs?: readonly Integer[];
  };
}

const PROCESS_TREE: Message = {
  processes: [1, () => ({ pid: [1, 'int'], cmdline: [3, 'string', 'repeated'] }), 'repeated'],
};

const PACKET_FIELDS = {
  clockSnapshot: [6, () => CLOCK_SNAPSHOT],
  timestamp: [8, 'uint'],
  sequenceId: [10, 'uint'],
  internedData: [12, () => INTERNED_DATA],
  sequenceFlags: [13, 'uint'],
  incrementalStateCleared: [41, 'bool'],
  previousPacketDropped: [42, 'uint'],
  timestampClockId: [58, 'uint'],
  packetDefaults: [59, () => PACKET_DEFAULTS],
  trackDescriptor: [60, () => TRACK_DESCRIPTOR],
  perfSample: [66, () => PERF_SAMPLE],
} as const satisfies Message;

export const WRITTEN_PACKET: Message = { ...PACKET_FIELDS, trackEvent: [11, () => WRITTEN_TRACK_EVENT] };
export const READ_PACKET = {
  ...PACKET_FIELDS,
  processTree: [2, () => PROCESS_TREE],
  trackEvent: [11, 'bytes'],
  processDescriptor: [43, () => PROCESS_DESCRIPTOR],
  threadDescriptor: [44, () => THREAD_DESCRIPTOR],
  compressedPackets: [50, 'bytes'],
  streamingProfile: [54, () => STREAMING_PROFILE],
  zstdCompressedPackets: [133, 'bytes'],
} as const satisfies Message;

const { internedData: _names, trackDescriptor: _tracks, processTree: _processes, ...timed } = READ_PACKET;

/** What decides at which time events happen. */
export const SCANNED_PACKET: Message = timed;

/** Names by its field what a packet contains that is not read. */
export const UNREAD_PACKETS: ReadonlyMap<number, string> = new Map([
  [1, 'ftrace packet'],
  [5, 'older Chrome packet'],
  [39, 'Android log packet'],
  [135, 'stack sample packet'],
  ...[7, 9].map((field) => [field, 'system statistics packet'] as const),
  ...[37, 74, 75].map((field) => [field, 'heap profile packet'] as const),
  ...[52, 53, 57, 62, 63, 65, 71, 129].map((field) => [field, 'GPU packet'] as const),
]);

/** Fields of packets that are neither events nor measurements: who has written them, configuration, names, marks. */
export const PACKETS_WITHOUT_EVENTS: ReadonlySet<number> = new Set([
  3, 33, 34, 35, 36, 45, 46, 47, 48, 51, 61, 64, 67, 69, 72, 79, 82, 87, 89, 90, 98, 99, 100, 101, 102, 103,
  107, 109, 113, 124, 126, 128, 134,
]);
