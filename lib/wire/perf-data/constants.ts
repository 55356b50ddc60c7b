/**
 * The numbers of the perf.data format. Sources: Linux `include/uapi/linux/perf_event.h` (attributes, samples, kernel
 * records) and `tools/perf/Documentation/perf.data-file-format.txt` (file, features, the records of perf itself, whose
 * layouts are in `tools/lib/perf/include/perf/event.h`).
 */

/** Record types. */
export const RecordType = {
  Mmap: 1,
  Lost: 2,
  Comm: 3,
  Exit: 4,
  Fork: 7,
  Sample: 9,
  Mmap2: 10,
  LostSamples: 13,
  HeaderAttr: 64,
  /** Described events until 2013. Readers skip it. */
  EventType: 65,
  TracingData: 66,
  FinishedRound: 68,
  Auxtrace: 71,
  EventUpdate: 78,
  HeaderFeature: 80,
  Compressed: 81,
  Compressed2: 83,
} as const;

/** Record types from here on are those of the perf tool. */
export const FIRST_TYPE_OF_TOOL = 64;

/** The size of a record header: type u32, misc u16, size u16. */
export const RECORD_HEAD_SIZE = 8;

/** `misc` of LOST_SAMPLES has this bit if a filter dropped them, as intended by the user. */
export const MISC_DROPPED_BY_FILTER = 1 << 15;

/** `misc` of MMAP2 has this bit if the record has the build id of the file, instead of its inode. */
export const MISC_MMAP_BUILD_ID = 1 << 14;

/** What an EVENT_UPDATE says about its event; the others are a unit, a scale and processors. */
export const EVENT_UPDATE_NAME = 2;

/** Bits of `sample_type`: what a sample contains. For their order in the sample see `sample.ts`. */
export const SampleType = {
  Ip: 1n << 0n,
  Tid: 1n << 1n,
  Time: 1n << 2n,
  Addr: 1n << 3n,
  Read: 1n << 4n,
  Callchain: 1n << 5n,
  Id: 1n << 6n,
  Cpu: 1n << 7n,
  Period: 1n << 8n,
  StreamId: 1n << 9n,
  Raw: 1n << 10n,
  Identifier: 1n << 16n,
} as const;

/** Call chains have marks between kernel and user addresses: the highest 4095 numbers. */
export const FIRST_CALLCHAIN_MARK = 2n ** 64n - 4095n;

/** Bits of `read_format`: what a counter's reading contains. */
export const ReadFormat = {
  TotalTimeEnabled: 1n << 0n,
  TotalTimeRunning: 1n << 1n,
  Id: 1n << 2n,
  Group: 1n << 3n,
  Lost: 1n << 4n,
} as const;

/** `type` of an attribute. For a tracepoint, `config` is its id. */
export const PerfType = {
  Hardware: 0,
  Software: 1,
  Tracepoint: 2,
  HardwareCache: 3,
  Raw: 4,
  Breakpoint: 5,
} as const;

/** What perf stores besides the records: sections after the data, by their bit in the header, or records. */
export const Feature = {
  TracingData: 1,
  BuildId: 2,
  Hostname: 3,
  OsRelease: 4,
  Version: 5,
  Arch: 6,
  ProcessorCount: 7,
  CpuDescription: 8,
  CpuId: 9,
  TotalMemory: 10,
  CommandLine: 11,
  EventDescriptions: 12,
  SampleTime: 21,
  ClockData: 29,
} as const;
/** The number of feature bits in the file header. */
export const FEATURE_BITS = 256;
