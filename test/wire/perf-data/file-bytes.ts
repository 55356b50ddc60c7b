/**
 * Assembles perf.data files for tests: one tracepoint, in either byte order. The layout is that of
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */

/** Collects numbers and text in one byte order. */
export class Bytes {
  readonly #littleEndian: boolean;
  readonly #parts: number[] = [];

  constructor(littleEndian: boolean) {
    this.#littleEndian = littleEndian;
  }

  get length(): number {
    return this.#parts.length;
  }

  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#parts.push(byte);
    return this;
  }

  integer(value: number | bigint, size: 1 | 2 | 4 | 8): this {
    const bytes = Array.from({ length: size }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn));
    return this.raw(this.#littleEndian ? bytes : bytes.reverse());
  }

  u16 = (value: number) => this.integer(value, 2);
  u32 = (value: number) => this.integer(value, 4);
  u64 = (value: number | bigint) => this.integer(value, 8);

  text(value: string): this {
    return this.raw(new TextEncoder().encode(value));
  }

  /** Zeros up to a multiple of `size`. */
  pad(size: number): this {
    while (this.#parts.length % size !== 0) this.#parts.push(0);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#parts);
  }
}

export const TRACEPOINT_ID = 1234;
export const EVENT_ID = 77n;
/** IP, TID, TIME, ADDR, CPU, PERIOD, CALLCHAIN, RAW, IDENTIFIER. */
export const SAMPLE_TYPE = 0x105afn;

/** Head, then what `fill` puts into the body. */
export function record(littleEndian: boolean, type: number, fill: (body: Bytes) => void): Uint8Array {
  const body = new Bytes(littleEndian);
  fill(body);
  body.pad(8);
  return new Bytes(littleEndian)
    .u32(type)
    .u16(0)
    .u16(8 + body.length)
    .raw(body.done())
    .done();
}

/** The ids at the end of a record that is not a sample: TID, TIME, CPU, IDENTIFIER. */
export function ids(body: Bytes, timeNs: bigint): void {
  body.u32(10).u32(11).u64(timeNs).u32(3).u32(0).u64(EVENT_ID);
}

export interface SampleParts {
  readonly timeNs: bigint;
  /** Behind the common fields. */
  readonly payload: Iterable<number>;
  readonly id?: bigint;
  /** Whether zeros follow, up to the next multiple of eight, as perf has them. */
  readonly isPadded?: boolean;
}

export function sample(littleEndian: boolean, parts: SampleParts): Uint8Array {
  const { timeNs, payload, id = EVENT_ID, isPadded = true } = parts;
  return record(littleEndian, 9, (body) => {
    const raw = new Bytes(littleEndian).u16(TRACEPOINT_ID).raw([0, 0]).u32(10).raw(payload);
    while (isPadded && raw.length % 8 !== 4) raw.raw([0]);
    body.u64(id).u64(0x1000).u32(10).u32(11).u64(timeNs).u64(0x2000).u32(3).u32(0).u64(1);
    body.u64(2).u64(0x3000).u64(0x4000);
    body.u32(raw.length).raw(raw.done());
  });
}

export const finishedRound = (littleEndian: boolean) => record(littleEndian, 68, () => {});

export interface FileParts {
  readonly littleEndian?: boolean;
  readonly records: readonly Uint8Array[];
  /** The tracepoint's own fields, as lines of its format. */
  readonly fields?: string;
  readonly tracepoint?: string;
  readonly features?: ReadonlyMap<number, Uint8Array>;
}

const HEADER_SIZE = 104;
const ATTR_SIZE = 136;

/** perf_event_attr: type, size, config, period, sample type, read format, flags (sample_id_all). */
function attr(littleEndian: boolean): Uint8Array {
  const bytes = new Bytes(littleEndian)
    .u32(2)
    .u32(ATTR_SIZE)
    .u64(TRACEPOINT_ID)
    .u64(1)
    .u64(SAMPLE_TYPE)
    .u64(0);
  return bytes
    .u64(littleEndian ? 1n << 18n : 1n << 45n)
    .raw(new Array(ATTR_SIZE - 48).fill(0))
    .done();
}

/** The same through a pipe: all that stands around a file's data comes as records before it. */
export function pipeBytes(parts: FileParts): Uint8Array {
  const littleEndian = parts.littleEndian ?? true;
  const pipe = new Bytes(littleEndian).u64(0x32454c4946524550n).u64(16);
  pipe.raw(record(littleEndian, 64, (body) => body.raw(attr(littleEndian)).u64(EVENT_ID)));
  for (const [bit, content] of parts.features ?? []) {
    pipe.raw(record(littleEndian, 80, (body) => body.u64(bit).raw(content)));
  }
  const formats = new Bytes(littleEndian);
  formats.raw(tracingData(littleEndian, parts.tracepoint ?? 'P_L5K1', parts.fields ?? EVENT_HEADER_FIELDS));
  const padded = formats.pad(8).done();
  pipe.u32(66).u16(0).u16(12).u32(padded.length).raw(padded);
  return pipe.raw(parts.records.flatMap((bytes) => [...bytes])).done();
}

/** A file with one attribute. */
export function fileBytes(parts: FileParts): Uint8Array {
  const littleEndian = parts.littleEndian ?? true;
  const features = new Map(parts.features);
  features.set(
    1,
    tracingData(littleEndian, parts.tracepoint ?? 'P_L5K1', parts.fields ?? EVENT_HEADER_FIELDS),
  );
  const attrOffset = HEADER_SIZE + 8;
  const dataOffset = attrOffset + ATTR_SIZE + 16;
  const data = parts.records.flatMap((bytes) => [...bytes]);
  const bits = [...features.keys()].sort((a, b) => a - b);

  const file = new Bytes(littleEndian)
    .u64(0x32454c4946524550n)
    .u64(HEADER_SIZE)
    .u64(ATTR_SIZE + 16);
  file
    .u64(attrOffset)
    .u64(ATTR_SIZE + 16)
    .u64(dataOffset)
    .u64(data.length)
    .u64(0)
    .u64(0);
  file
    .u64(bits.reduce((word, bit) => word | (1n << BigInt(bit)), 0n))
    .u64(0)
    .u64(0)
    .u64(0);
  file.u64(EVENT_ID);
  file.raw(attr(littleEndian));
  file.u64(HEADER_SIZE).u64(8);
  file.raw(data);
  let offset = file.length + 16 * bits.length;
  for (const bit of bits) {
    const size = features.get(bit)?.length ?? 0;
    file.u64(offset).u64(size);
    offset += size;
  }
  for (const bit of bits) file.raw(features.get(bit) ?? []);
  return file.done();
}

export const EVENT_HEADER_FIELDS =
  '\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n' +
  '\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n';

/** A tracepoint's format as tracefs gives it. */
export function formatText(name: string, fields: string): string {
  return `name: ${name}\nID: ${TRACEPOINT_ID}\nformat:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

${fields}
print fmt: ""\n`;
}

function tracingData(littleEndian: boolean, name: string, fields: string): Uint8Array {
  const format = new TextEncoder().encode(formatText(name, fields));
  const bytes = new Bytes(littleEndian).raw([0x17, 8, 0x44]).text('tracing').text('0.6\0');
  bytes.raw([littleEndian ? 0 : 1, 8]).u32(4096);
  bytes.text('header_page\0').u64(3).text('abc').text('header_event\0').u64(0);
  bytes.u32(1).u64(2).text('xy');
  return bytes.u32(1).text('user_events\0').u32(1).u64(format.length).raw(format).u32(0).u32(0).done();
}
