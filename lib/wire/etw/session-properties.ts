/**
 * The numbers by which an ETW session is started, changed and described: those of EVENT_TRACE_PROPERTIES from
 * BufferSize (at offset 48) to RealTimeBuffersLost, as 14 words of 32 bits.
 *
 * Source: Windows' `evntrace.h`, and the documentation of EVENT_TRACE_PROPERTIES and the logging modes.
 */

/** LogFileMode. */
export const LogFileMode = {
  Sequential: 0x1,
  Circular: 0x2,
  Append: 0x4,
  NewFile: 0x8,
  Preallocate: 0x20,
  Secure: 0x80,
  RealTime: 0x100,
  Buffering: 0x400,
  PrivateLogger: 0x800,
  /** MaximumFileSize is in KiB instead of MiB. */
  KibForSize: 0x2000,
  PrivateInProcess: 0x2_0000,
  StopOnHybridShutdown: 0x40_0000,
  PersistOnHybridShutdown: 0x80_0000,
  SystemLogger: 0x200_0000,
  Compressed: 0x400_0000,
  Independent: 0x800_0000,
} as const;

/** The words are shown in this order. Modes without a word concern only how Windows keeps its buffers. */
const MODE_WORDS: readonly (readonly [bit: number, word: string])[] = [
  [LogFileMode.Sequential, 'sequential file'],
  [LogFileMode.Circular, 'circular file'],
  [LogFileMode.Append, 'appended file'],
  [LogFileMode.NewFile, 'new file at a size'],
  [LogFileMode.Preallocate, 'preallocated'],
  [LogFileMode.Compressed, 'compressed'],
  [LogFileMode.Buffering, 'in memory'],
  [LogFileMode.RealTime, 'real time'],
  [LogFileMode.SystemLogger, 'system'],
  [LogFileMode.PrivateLogger, 'private'],
  [LogFileMode.PrivateInProcess, 'in process'],
  [LogFileMode.Independent, 'independent'],
  [LogFileMode.Secure, 'secure'],
  [LogFileMode.PersistOnHybridShutdown, 'persists'],
  [LogFileMode.StopOnHybridShutdown, 'stops on hybrid shutdown'],
];

/** @param mode LogFileMode */
export function sessionModeWords(mode: number): string[] {
  return MODE_WORDS.filter(([bit]) => (mode & bit) !== 0).map(([, word]) => word);
}

/** The codes of ControlTraceW. */
export const SessionControl = { Query: 0, Stop: 1, Update: 2, Flush: 3, IncrementFile: 4 } as const;
export type SessionControl = (typeof SessionControl)[keyof typeof SessionControl];

/** EnableFlags: the events of the kernel. */
export const KernelFlag = {
  process: 0x1,
  thread: 0x2,
  imageLoad: 0x4,
  contextSwitch: 0x10,
  deferredCall: 0x20,
  interrupt: 0x40,
  systemCall: 0x80,
  diskIo: 0x100,
  diskFileIo: 0x200,
  dispatcher: 0x800,
  pageFault: 0x1000,
  hardFault: 0x2000,
  virtualAlloc: 0x4000,
  network: 0x1_0000,
  registry: 0x2_0000,
  profile: 0x100_0000,
  fileIo: 0x200_0000,
  fileIoInit: 0x400_0000,
} as const;

/** The order is that of the structure. */
const NAMES = [
  'bufferKib',
  'minimumBuffers',
  'maximumBuffers',
  'maximumFileSize',
  'mode',
  'flushTimer',
  'enableFlags',
  'ageLimit',
  'buffers',
  'freeBuffers',
  'eventsLost',
  'buffersWritten',
  'logBuffersLost',
  'realTimeBuffersLost',
] as const;

/** Only ETW sets the numbers from `buffers` on. */
export type SessionNumbers = Readonly<Record<(typeof NAMES)[number], number>>;

/** Missing ones are 0, with which ETW chooses, or changes nothing. */
export function encodeSessionNumbers(numbers: Partial<SessionNumbers>): Uint32Array {
  return Uint32Array.from(NAMES, (name) => numbers[name] ?? 0);
}

export function decodeSessionNumbers(words: Uint32Array): SessionNumbers {
  return Object.fromEntries(NAMES.map((name, index) => [name, words[index] ?? 0])) as SessionNumbers;
}

/** TRACE_INFO_CLASS, of what TraceSetInformation sets. */
export const TraceInfoClass = { StackTracing: 3, SampledProfileInterval: 5 } as const;

/** A kind of event of the kernel: the GUID of its class in struct order, and its type. */
interface ClassicEventId {
  readonly guid: Uint8Array;
  readonly type: number;
}

const CLASSIC_EVENT_ID_SIZE = 24;

/** CLASSIC_EVENT_ID: GUID, type u8, 7 bytes of 0. */
export function encodeClassicEventIds(ids: readonly ClassicEventId[]): Uint8Array {
  const bytes = new Uint8Array(ids.length * CLASSIC_EVENT_ID_SIZE);
  ids.forEach(({ guid, type }, index) => {
    bytes.set(guid, index * CLASSIC_EVENT_ID_SIZE);
    bytes[index * CLASSIC_EVENT_ID_SIZE + guid.length] = type;
  });
  return bytes;
}

/** The processor's clock, as the source of samples. */
const PROFILE_TIME = 0;

/** TRACE_PROFILE_INTERVAL: source u32, interval u32 in units of 100 ns. */
export function encodeProfileInterval(units: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(PROFILE_TIME, units).buffer);
}
