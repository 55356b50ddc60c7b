/** Assembles .etl files for tests: records of every kind, buffers, whole files. Little-endian. */
import { guidBytes } from '../../../lib/wire/guid.ts';
import { Bytes } from '../perf-data/file-bytes.ts';

const le = () => new Bytes(true);

/** The raw time of the file's header, which is `START_TIME`. */
export const RAW_START = 1_000_000n;
/** 2024-01-01T00:00:00Z as FILETIME. */
export const START_TIME = 133_485_408_000_000_000n;
export const START_NS = 1_704_067_200_000_000_000n;

export const PROVIDER = '01234567-89ab-cdef-0123-456789abcdef';
export const ACTIVITY = '11111111-2222-3333-4444-555555555555';
export const RELATED = '66666666-7777-8888-9999-aaaaaaaaaaaa';

const marked = (type: number) => 0xc000 | type;

export interface KernelParts {
  readonly type?: number;
  readonly version?: number;
  readonly group: number;
  readonly opcode: number;
  readonly time: bigint;
  readonly threadId?: number;
  readonly processId?: number;
  /** Performance counters behind the header. */
  readonly counters?: number;
  readonly payload?: Iterable<number>;
}

/** SYSTEM (types 1 and 2), COMPACT (3 and 4) or PERFINFO (0x10 and 0x11). */
export function kernelRecord(parts: KernelParts): Uint8Array {
  const { type = 2, version = 2, group, opcode, time, threadId = 11, processId = 10, counters = 0 } = parts;
  const payload = [...(parts.payload ?? [])];
  const headerSize = type >= 0x10 ? 0x10 : type >= 3 ? 0x18 : 0x20;
  const bytes = le()
    .u16(version | (counters << 8))
    .u16(marked(type))
    .u16(headerSize + 8 * counters + payload.length)
    .raw([opcode, group]);
  if (type < 0x10) bytes.u32(threadId).u32(processId);
  bytes.u64(time);
  if (type < 3) bytes.u32(5).u32(6);
  for (let i = 0; i < counters; i++) bytes.u64(i);
  return bytes.raw(payload).done();
}

export interface ClassicParts {
  readonly type?: number;
  readonly opcode?: number;
  readonly level?: number;
  readonly version?: number;
  readonly time: bigint;
  readonly guid?: string;
  readonly payload?: Iterable<number>;
}

/** FULL (0x0A and 0x14) or INSTANCE (0x0B and 0x15). */
export function classicRecord(parts: ClassicParts): Uint8Array {
  const { type = 0x14, opcode = 7, level = 4, version = 3, time, guid = PROVIDER } = parts;
  const payload = [...(parts.payload ?? [])];
  const isInstance = type === 0x0b || type === 0x15;
  const bytes = le()
    .u16((isInstance ? 0x48 : 0x30) + payload.length)
    .u16(marked(type))
    .raw([opcode, level])
    .u16(version)
    .u32(11)
    .u32(10)
    .u64(time)
    .raw(guidBytes(guid))
    .u64(0);
  if (isInstance) bytes.u32(1).u32(2).raw(guidBytes(RELATED));
  return bytes.raw(payload).done();
}

export interface ItemParts {
  readonly type: number;
  readonly data: Iterable<number>;
}

export interface EventParts {
  readonly type?: number;
  readonly time: bigint;
  readonly provider?: string;
  readonly id?: number;
  readonly version?: number;
  readonly opcode?: number;
  readonly activityId?: string;
  readonly processId?: number;
  readonly items?: readonly ItemParts[];
  readonly payload?: Iterable<number>;
}

/** EVENT_HEADER (0x12 and 0x13). */
export function eventRecord(parts: EventParts): Uint8Array {
  const { type = 0x13, time, provider = PROVIDER, id = 5, version = 1, opcode = 1, items = [] } = parts;
  const rest = le();
  for (const [index, item] of items.entries()) {
    const data = [...item.data];
    rest
      .u16(8 + Math.ceil(data.length / 8) * 8)
      .u16(item.type)
      .u16(index < items.length - 1 ? 1 : 0)
      .u16(data.length)
      .raw(data)
      .pad(8);
  }
  rest.raw(parts.payload ?? []);
  return le()
    .u16(0x50 + rest.length)
    .u16(marked(type))
    .u16(items.length > 0 ? 1 : 0)
    .u16(0)
    .u32(11)
    .u32(parts.processId ?? 10)
    .u64(time)
    .raw(guidBytes(provider))
    .u16(id)
    .raw([version, 16, 4, opcode])
    .u16(3)
    .u64(0x8000_0000_0000_0001n)
    .u64(0)
    .raw(parts.activityId === undefined ? new Uint8Array(16) : guidBytes(parts.activityId))
    .raw(rest.done())
    .done();
}

/** A message of WPP; `parts` must be what `options` says. */
export function messageRecord(number: number, options: number, parts: Iterable<number>): Uint8Array {
  const rest = [...parts];
  return le()
    .u16(8 + rest.length)
    .u16(0x9000)
    .u16(number)
    .u16(options)
    .raw(rest)
    .done();
}

/** A record whose contents nobody knows. */
export function otherRecord(type: number): Uint8Array {
  return le().u16(16).u16(marked(type)).u32(0).u64(0).done();
}

export interface HeaderParts {
  readonly is32Bit?: boolean;
  readonly clockType?: number;
  readonly frequency?: bigint;
  readonly cpuMHz?: number;
  readonly mode?: number;
  readonly buffersWritten?: number;
  readonly eventsLost?: number;
  readonly buffersLost?: number;
  readonly endTime?: bigint;
  /** This and the next: one instant, on the log's clock and as FILETIME. */
  readonly rawTime?: bigint;
  readonly startTime?: bigint;
  readonly bootTime?: bigint;
  /** Version 1 of the header, and 5.1 of Windows. */
  readonly isXp?: boolean;
  readonly names?: Iterable<number>;
}

export const utf16 = (text: string): number[] => [...Buffer.from(text, 'utf16le')];

/** TRACE_LOGFILE_HEADER, as the record that it is. */
export function logFileHeader(parts: HeaderParts = {}): Uint8Array {
  const pointer = parts.is32Bit === true ? 4 : 8;
  const payload = le()
    .u32(65536)
    .raw(parts.isXp === true ? [5, 1, 1, 0] : [10, 0, 1, 5])
    .u32(parts.isXp === true ? 2600 : 19045)
    .u32(4)
    .u64(parts.endTime ?? START_TIME + 600_000_000n)
    .u32(156250)
    .u32(100)
    .u32(parts.mode ?? 1)
    .u32(parts.buffersWritten ?? 0)
    .u32(1)
    .u32(pointer)
    .u32(parts.eventsLost ?? 0)
    .u32(parts.cpuMHz ?? 2000)
    .integer(0, pointer)
    .integer(0, pointer)
    .integer(-60, 4)
    .raw(new Array(0xb0 - 4).fill(0))
    .u64(parts.bootTime ?? START_TIME - 1_000_000_000n)
    .u64(parts.frequency ?? 10_000_000n)
    .u64(parts.startTime ?? START_TIME)
    .u32(parts.clockType ?? 1)
    .u32(parts.buffersLost ?? 0)
    .raw(parts.names ?? [...utf16('Session\0'), ...utf16('C:\\trace.etl\0')]);
  const type = parts.is32Bit === true ? 1 : 2;
  const version = parts.isXp === true ? 1 : 2;
  return kernelRecord({
    type,
    version,
    group: 0,
    opcode: 0,
    time: parts.rawTime ?? RAW_START,
    payload: payload.done(),
  });
}

export interface BufferParts {
  readonly processor?: number;
  readonly flags?: number;
  /** Of the buffer; by default as much as is needed, and some more. */
  readonly size?: number;
  /** FilledBytes. */
  readonly filled?: number;
  readonly savedOffset?: number;
  readonly type?: number;
}

/** A buffer of these records, each at a multiple of 8, and unused bytes behind them. */
export function bufferBytes(records: readonly Uint8Array[], parts: BufferParts = {}): Uint8Array {
  const body = le();
  for (const record of records) body.pad(8).raw(record);
  return bufferOf(body.done(), { ...parts, size: parts.size ?? 0x48 + body.length + 24 });
}

/** A buffer of this body. */
export function bufferOf(body: Uint8Array, parts: BufferParts = {}): Uint8Array {
  const { processor = 0, flags = 0, size = 0x48 + body.length, type = 0 } = parts;
  const filled = parts.filled ?? 0x48 + body.length;
  const bytes = le()
    .u32(size)
    .u32(parts.savedOffset ?? filled)
    .u32(filled + 8)
    .u32(0)
    .u64(0)
    .u64(1)
    .u64(0)
    .u16(processor)
    .u16(1)
    .u32(3)
    .u32(filled)
    .u16(flags)
    .u16(type)
    .raw(new Array(16).fill(0))
    .raw(body);
  while (bytes.length < size) bytes.raw([0xff]);
  return bytes.done();
}

/** A file: a header buffer with `first` behind the header, and then these buffers. */
export function etlBytes(
  buffers: readonly Uint8Array[],
  header: HeaderParts = {},
  first: readonly Uint8Array[] = [],
): Uint8Array {
  return Buffer.concat([
    bufferBytes([logFileHeader(header), ...first], { type: header.isXp === true ? 0 : 4 }),
    ...buffers,
  ]);
}
