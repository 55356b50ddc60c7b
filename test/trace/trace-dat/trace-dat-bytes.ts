/** Files of trace-cmd, made by hand: both versions, with and without compression. */
import { deflateSync } from 'node:zlib';
import { ByteWriter } from '../../../lib/base/byte-writer.ts';
import { tracingData } from '../../../lib/wire/perf-data/write/tracing-data.ts';
import { HEADER_PAGE } from '../../wire/ftrace/page-bytes.ts';

const FORMAT = `name: Tick
ID: 700
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:u32 number;	offset:8;	size:4;	signed:0;
`;

const MARKER_FORMAT = FORMAT.replace('Tick', 'print').replace('700', '5');

const FUNCTION_FORMAT = `${FORMAT.replace('Tick', 'function').replace('700', '1').split('\tfield:u32')[0]}\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;
`;

export const FUNCTION = 1;
export const TICK = 700;
export const MARKER = 5;

export interface TraceDatParts {
  /** Pages of each processor. */
  readonly pages?: readonly (readonly Uint8Array[])[];
  /** Of a further buffer. */
  readonly instance?: readonly (readonly Uint8Array[])[];
  readonly clock?: string;
  /** What `--date` adds, as text. */
  readonly date?: string;
  /** Lines of the file kallsyms of /proc; version 7 only. */
  readonly symbols?: string;
  readonly compression?: 'none' | 'zlib' | 'zstd';
}

const utf8 = (text: string) => Buffer.from(text);
const headerPage = utf8(HEADER_PAGE);
const eventFormats = new Map([['user_events', [utf8(FORMAT)]]]);

function formats(): { header: Uint8Array; ftrace: Uint8Array; events: Uint8Array } {
  const sized = (writer: ByteWriter, bytes: Uint8Array) => writer.uint64(bytes.length).bytes(bytes);
  const header = new ByteWriter().terminatedUtf8('header_page');
  sized(header, headerPage).terminatedUtf8('header_event').uint64(0);
  const ftrace = new ByteWriter().uint32(2);
  for (const format of [MARKER_FORMAT, FUNCTION_FORMAT]) sized(ftrace, utf8(format));
  const events = sized(new ByteWriter().uint32(1).terminatedUtf8('user_events').uint32(1), utf8(FORMAT));
  return { header: header.current(), ftrace: ftrace.current(), events: events.current() };
}

function option(writer: ByteWriter, number: number, content: Uint8Array): ByteWriter {
  return writer.uint16(number).uint32(content.length).bytes(content);
}

/** A version 6, as trace-cmd wrote by default before 3.0. */
export function version6({ pages = [[]], instance, clock = 'local', date }: TraceDatParts): Uint8Array {
  const data = { pageSize: 4096, headerPage, headerEvent: new Uint8Array(), formats: eventFormats };
  // The recorder's own writer of the same layout, but for the version.
  const described = Buffer.from(tracingData({ ...data, savedCommandLines: utf8('71 node\n') }));
  const versioned = Buffer.concat([
    described.subarray(0, 10),
    utf8('6\0'),
    described.subarray(described.indexOf('0.6\0') + 4),
  ]);
  const start = new ByteWriter().bytes(versioned).uint32(pages.length).terminatedUtf8('options  ');
  option(start, 4, utf8(`global [${clock}] mono\n\0`));
  if (date !== undefined) option(start, 1, utf8(`${date}\0`));
  const tableSize = (table: readonly unknown[]) => 10 + 16 * table.length;
  const instanceAt = start.length + (instance === undefined ? 2 : 2 + 6 + 8 + 5);
  let at = instanceAt + tableSize(pages) + (instance === undefined ? 0 : tableSize(instance));
  if (instance !== undefined)
    option(
      start,
      3,
      new ByteWriter()
        .uint64(instanceAt + tableSize(pages))
        .terminatedUtf8('mine')
        .current(),
    );
  start.uint16(0);
  const all: Uint8Array[] = [];
  for (const buffer of instance === undefined ? [pages] : [pages, instance]) {
    start.terminatedUtf8('flyrecord');
    for (const ofProcessor of buffer) {
      const bytes = Buffer.concat(ofProcessor);
      start.uint64(at).uint64(bytes.length);
      at += bytes.length;
      all.push(bytes);
    }
  }
  return Buffer.concat([start.current(), ...all]);
}

/** A version 7, as trace-cmd writes since 3.0. */
export function version7({
  pages = [[]],
  clock = 'local',
  date,
  compression = 'none',
  symbols,
}: TraceDatParts): Uint8Array {
  const out = new ByteWriter()
    .bytes(Uint8Array.of(0x17, 8, 0x44))
    .terminatedUtf8('tracing7')
    .uint8(0)
    .uint8(8)
    .uint32(4096)
    .terminatedUtf8(compression)
    .terminatedUtf8('1');
  const optionsAt = out.length;
  out.uint64(0);
  const { header, ftrace, events } = formats();
  const section = (id: number, content: Uint8Array) => {
    const at = out.length;
    const bytes = compression === 'none' ? content : packed(content, compression);
    const flags = compression === 'none' ? 0 : 1;
    out.uint16(id).uint16(flags).uint32(0).uint64(bytes.length).bytes(bytes);
    return new ByteWriter().uint64(at).current();
  };
  const options = new ByteWriter();
  option(options, 16, section(16, header));
  option(options, 17, section(17, ftrace));
  option(options, 18, section(18, events));
  if (symbols !== undefined) {
    const sized = new ByteWriter().uint32(symbols.length).bytes(utf8(symbols));
    option(options, 19, section(19, sized.current()));
  }
  const bufferAt = out.length;
  out
    .uint16(3)
    .uint16(compression === 'none' ? 0 : 1)
    .uint32(0)
    .uint64(0);
  const buffer = new ByteWriter().uint64(bufferAt).terminatedUtf8('').terminatedUtf8(clock);
  buffer.uint32(4096).uint32(pages.length);
  for (const [processor, ofProcessor] of pages.entries()) {
    const at = out.length;
    const bytes = Buffer.concat(ofProcessor);
    if (compression === 'none') out.bytes(bytes);
    else out.uint32(ofProcessor.length);
    if (compression !== 'none') for (const page of ofProcessor) out.bytes(packed(page, compression));
    // The count of chunks is not part of the size.
    buffer
      .uint32(processor)
      .uint64(at)
      .uint64(out.length - at - (compression === 'none' ? 0 : 4));
  }
  option(options, 3, buffer.current());
  if (date !== undefined) option(options, 1, utf8(`${date}\0`));
  option(options, 0, new ByteWriter().uint64(0).current());
  const file = Buffer.from(out.current());
  const at = file.length;
  file.writeBigUInt64LE(BigInt(at), optionsAt);
  const content = options.current();
  const head = new ByteWriter().uint16(0).uint16(0).uint32(0).uint64(content.length);
  return Buffer.concat([file, head.current(), content]);
}

function packed(content: Uint8Array, compression: 'zlib' | 'zstd'): Uint8Array {
  const bytes = compression === 'zlib' ? deflateSync(content) : storedFrame(content);
  return new ByteWriter().uint32(bytes.length).uint32(content.length).bytes(bytes).current();
}

/** Zstandard without compression, which every Node.js can write: a window of 128 KiB, one block as it is. */
function storedFrame(content: Uint8Array): Uint8Array {
  const head = (content.length << 3) | 1;
  const bytes = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, head & 0xff, (head >>> 8) & 0xff, head >>> 16];
  return Buffer.concat([Uint8Array.from(bytes), content]);
}
