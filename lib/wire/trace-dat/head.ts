/**
 * The head of trace-cmd's trace.dat: everything except the pages of the ring buffers, which are as the kernel wrote
 * them.
 *
 * Both versions begin with the magic bytes, the version as text, u8 byte order, u8 size of a long, u32 page size. In
 * version 6, the tracing data follow in a fixed order: formats, kernel symbols, printk formats, names of threads, u32
 * number of processors, then options and the positions of the pages. In version 7, the name of the compression follows,
 * then the u64 position of the first section of options; options contain the positions of all other sections. A section
 * has a header (u16 id, u16 flags, u32 description, u64 size), and is compressed if its first flag is set.
 *
 * Source: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 */

import { addressNumber } from '../../base/timed-ranges.ts';
import { type PageLayout, parsePageLayout } from '../ftrace/page-layout.ts';
import { readKernelSymbols } from '../kernel-symbols.ts';
import { Cursor } from '../perf-data/cursor.ts';
import { Piece, type Section } from '../perf-data/piece.ts';
import { PerfSession } from '../perf-data/session.ts';
import { parseTracepointFormat } from '../perf-data/tracepoint-format.ts';
import { readEventFormats, readFtraceFormats, readHeaderFormats } from '../perf-data/tracing-data.ts';
import { SymbolTable } from '../symbol-table.ts';
import { decodeUtf8 } from '../text.ts';
import { TraceError } from '../trace-error.ts';

/** 0x17 0x08 0x44 and `tracing`. */
const MAGIC = '\x17\bDtracing';

type Compression = 'none' | 'zlib' | 'zstd';

/** Requests a part of the file; `unpackedSize` is the size of a compressed part when decompressed. */
export interface ReadRequest extends Section {
  readonly compression?: Compression;
  readonly unpackedSize?: number;
}

/** The pages of one processor in one buffer. */
export interface ProcessorPages extends Section {
  readonly processor: number;
  readonly compression: Compression;
}

export interface TraceDatHead {
  readonly version: 6 | 7;
  /** Contains the formats of all events. */
  readonly session: PerfSession;
  readonly layout: PageLayout;
  /** The size is in bytes. */
  readonly pageSize: number;
  readonly pages: readonly ProcessorPages[];
  /** The difference between nanoseconds since 1970 and the events' clock, if recorded with `--date`. */
  readonly wallTimeOffsetNs: bigint | undefined;
}

/** Option numbers; a section has the number of the option with its position. */
const Option = {
  Done: 0,
  Date: 1,
  Buffer: 3,
  Clock: 4,
  System: 5,
  ProcessorCount: 8,
  Version: 9,
  HeaderFormats: 16,
  FtraceFormats: 17,
  EventFormats: 18,
  KernelSymbols: 19,
} as const;

const SECTION_HEAD_SIZE = 16;
const COMPRESSED = 1;
/** A compressed section has both sizes. */
const SIZES_SIZE = 8;

/** A name of 9 characters, as in version 6, and the NUL. */
const MARK_SIZE = 10;

/** The number of bytes read first for version 6, which does not contain the size of its descriptions. */
const FIRST_READ = 4 * 1024 * 1024;
/** The total limit, compressed or not: the formats of all tracepoints of a kernel take a few MB. */
const MAX_HEAD_SIZE = 256 * 1024 * 1024;
const MAX_SECTIONS = 1024;

/** Clocks of ftrace that count nanoseconds. */
const NANOSECOND_CLOCKS = ['local', 'global', 'perf', 'mono', 'mono_raw', 'boot', 'tai'];

/**
 * Reads everything except the pages, through whoever answers its requests: so it need not know where bytes come from.
 * @throws TraceError
 */
export function* readTraceDatHead(): Generator<ReadRequest, TraceDatHead, Uint8Array> {
  const start = cursorOf(yield { start: 0, end: 128 }, 0, 'the header');
  if (decodeUtf8(start.take(MAGIC.length)) !== MAGIC) start.fail('This is not a trace.dat.', 0);
  const version = start.terminatedText();
  if (version !== '6' && version !== '7') {
    throw new TraceError(
      'unsupported',
      MAGIC.length,
      `Version ${version} of trace.dat is not supported, only 6 and 7.`,
    );
  }
  if (start.uint8() !== 0) {
    throw new TraceError(
      'unsupported',
      start.position,
      'A trace.dat of a big-endian machine is not supported.',
    );
  }
  const longSize = start.uint8() === 4 ? 4 : 8;
  const pageSize = start.uint32();
  return version === '6'
    ? yield* readVersion6(longSize, pageSize, start.offset)
    : yield* readVersion7(longSize, pageSize, start);
}

/** What has been read so far. */
class HeadDraft {
  readonly session = new PerfSession(true);
  pageSize: number;
  layout: PageLayout | undefined = undefined;
  readonly pages: ProcessorPages[] = [];
  #clock = '';
  #wallTimeOffsetNs: bigint | undefined;

  constructor(longSize: 4 | 8, pageSize: number) {
    this.session.pointerSize = longSize;
    this.pageSize = pageSize;
  }

  addHeaderFormats(cursor: Cursor): void {
    this.layout = parsePageLayout(readHeaderFormats(cursor));
  }

  addFtraceFormats(cursor: Cursor): void {
    for (const text of readFtraceFormats(cursor)) {
      const format = parseTracepointFormat('ftrace', text);
      if (format !== undefined) this.session.tracepoints.set(format.id, format);
    }
  }

  addEventFormats(cursor: Cursor): void {
    readEventFormats(cursor, this.session);
  }

  addKernelSymbols(text: Uint8Array): void {
    let table: SymbolTable | undefined;
    this.session.kernelFunctionAt = (address) => {
      table ??= readKernelSymbols(decodeUtf8(text)) ?? new SymbolTable([]);
      return table.nameAt(addressNumber(address));
    };
  }

  /** An option that concerns the whole recording. */
  addFact(option: number, content: Cursor): void {
    if (option === Option.Date) this.#wallTimeOffsetNs = microseconds(textOf(content)) * 1000n;
    else if (option === Option.Clock) this.setClock(/\[(\w+)\]/.exec(textOf(content))?.[1] ?? '');
    else if (option === Option.System) this.session.properties.SYSTEM = textOf(content);
    else if (option === Option.Version) this.session.properties.VERSION = `trace-cmd ${textOf(content)}`;
    else if (option === Option.ProcessorCount) this.session.processors = content.uint32();
  }

  setClock(clock: string): void {
    if (clock === '' || this.#clock !== '') return;
    this.#clock = clock;
    this.session.properties.CLOCK = clock;
  }

  finished(version: 6 | 7): TraceDatHead {
    const { session, layout, pages } = this;
    if (layout === undefined || pages.length === 0) {
      throw new TraceError(
        'truncated',
        0,
        'The trace.dat does not say where its events are: trace-cmd was not ended properly. Try "trace-cmd restore".',
      );
    }
    if (this.#clock !== '' && !NANOSECOND_CLOCKS.includes(this.#clock)) {
      session.problems.push(`The times are counts of the clock "${this.#clock}", not nanoseconds.`);
    }
    const pageSize = Math.max(this.pageSize, layout.size);
    return { version, session, layout, pageSize, pages, wallTimeOffsetNs: this.#wallTimeOffsetNs };
  }
}

function* readVersion6(
  longSize: 4 | 8,
  pageSize: number,
  start: number,
): Generator<ReadRequest, TraceDatHead, Uint8Array> {
  for (let size = FIRST_READ; ; size *= 4) {
    const bytes = yield { start: 0, end: size };
    const draft = new HeadDraft(longSize, pageSize);
    const cursor = new StartCursor(new Piece(bytes, 0), true, 'the descriptions');
    cursor.skip(start);
    let instances: readonly number[];
    try {
      instances = readDescriptions6(draft, cursor);
    } catch (error) {
      // Nothing contains the size of the descriptions.
      const isCutOff = error instanceof TraceError && error.code === 'truncated';
      if (!isCutOff || bytes.length < size || size >= MAX_HEAD_SIZE) throw error;
      continue;
    }
    const processors = draft.session.processors ?? 0;
    for (const offset of instances) {
      const end = offset + MARK_SIZE + processors * 16;
      readTable6(draft, cursorOf(yield { start: offset, end }, offset, 'a buffer of an instance'));
    }
    return draft.finished(6);
  }
}

/** Reads the start of a file: what ends with these bytes may go on behind them. */
class StartCursor extends Cursor {
  protected override failAtEnd(reason: string): never {
    throw new TraceError('truncated', this.position, reason);
  }
}

/** @returns the positions of additional buffers, those of instances */
function readDescriptions6(draft: HeadDraft, cursor: Cursor): readonly number[] {
  draft.addHeaderFormats(cursor);
  draft.addFtraceFormats(cursor);
  draft.addEventFormats(cursor);
  draft.addKernelSymbols(cursor.take(cursor.uint32()));
  cursor.skip(cursor.uint32()); // printk formats
  cursor.skip(cursor.size64()); // names of threads
  draft.session.processors = cursor.uint32();
  const instances: number[] = [];
  const at = cursor.offset;
  if (cursor.paddedText(MARK_SIZE) === 'options  ') {
    for (const { option, content } of optionsOf(cursor, 6)) {
      if (option === Option.Buffer) instances.push(content.size64());
      else draft.addFact(option, content);
    }
  } else {
    cursor.offset = at;
  }
  readTable6(draft, cursor);
  return instances;
}

function readTable6(draft: HeadDraft, cursor: Cursor): void {
  const kind = cursor.paddedText(MARK_SIZE);
  if (kind !== 'flyrecord') {
    cursor.fail(
      `A trace.dat has its events as "flyrecord", and this one as "${kind.trim()}": read it with "trace-cmd report".`,
    );
  }
  const count = draft.session.processors ?? 0;
  for (let processor = 0; processor < count; processor++) {
    const start = cursor.size64();
    draft.pages.push({ processor, start, end: start + cursor.size64(), compression: 'none' });
  }
}

function* readVersion7(
  longSize: 4 | 8,
  pageSize: number,
  start: Cursor,
): Generator<ReadRequest, TraceDatHead, Uint8Array> {
  const sections = new Sections(compressionOf(start.terminatedText(), start));
  start.terminatedText(); // the version of the compression
  const draft = new HeadDraft(longSize, pageSize);
  let next = start.size64();
  while (next !== 0) {
    const options = optionsOf(yield* sections.read(next, 'the options'), 7);
    next = 0;
    for (const { option, content } of options) {
      if (option === Option.Done) next = content.size64();
      else if (option === Option.Buffer) yield* readBuffer7(draft, sections, content);
      else if (option === Option.HeaderFormats)
        draft.addHeaderFormats(yield* sections.read(content.size64(), 'the header formats'));
      else if (option === Option.FtraceFormats)
        draft.addFtraceFormats(yield* sections.read(content.size64(), "the formats of ftrace's events"));
      else if (option === Option.EventFormats)
        draft.addEventFormats(yield* sections.read(content.size64(), 'the formats of events'));
      else if (option === Option.KernelSymbols) {
        const symbols = yield* sections.read(content.size64(), 'the symbols of the kernel');
        draft.addKernelSymbols(symbols.take(symbols.uint32()));
      } else draft.addFact(option, content);
    }
  }
  return draft.finished(7);
}

function compressionOf(name: string, cursor: Cursor): Compression {
  if (name === 'none' || name === 'zlib' || name === 'zstd') return name;
  return cursor.fail(`The compression "${name}" is not supported, only zlib and zstd.`);
}

/**
 * Layout: u64 position, name, clock, u32 page size, u32 number of processors; for each, u32 id, u64 position, u64 size.
 */
function* readBuffer7(
  draft: HeadDraft,
  sections: Sections,
  content: Cursor,
): Generator<ReadRequest, void, Uint8Array> {
  const compression = yield* sections.compressionAt(content.size64());
  content.terminatedText(); // of the instance
  draft.setClock(content.terminatedText());
  draft.pageSize = content.uint32();
  const count = content.uint32();
  for (let i = 0; i < count; i++) {
    const processor = content.uint32();
    const start = content.size64();
    draft.pages.push({ processor, start, end: start + content.size64(), compression });
  }
}

/** Requests sections, so many that no file keeps its reader busy for ever. */
class Sections {
  readonly #compression: Compression;
  #count = 0;
  #size = 0;

  constructor(compression: Compression) {
    this.#compression = compression;
  }

  *read(at: number, what: string): Generator<ReadRequest, Cursor, Uint8Array> {
    const { flags, size } = yield* this.#head(at, what);
    const start = at + SECTION_HEAD_SIZE;
    if ((flags & COMPRESSED) === 0) {
      this.#add(size, at, what);
      return cursorOf(yield { start, end: start + size }, start, what);
    }
    const sizes = cursorOf(yield { start, end: start + SIZES_SIZE }, start, what);
    const packedStart = start + SIZES_SIZE;
    const end = packedStart + sizes.uint32();
    const unpackedSize = sizes.uint32();
    this.#add(end - packedStart + unpackedSize, at, what);
    const bytes = yield { start: packedStart, end, compression: this.#compression, unpackedSize };
    return new Cursor(new Piece(bytes, packedStart, true), true, what);
  }

  *compressionAt(at: number): Generator<ReadRequest, Compression, Uint8Array> {
    const { flags } = yield* this.#head(at, 'a buffer');
    return (flags & COMPRESSED) === 0 ? 'none' : this.#compression;
  }

  *#head(at: number, what: string): Generator<ReadRequest, { flags: number; size: number }, Uint8Array> {
    if (++this.#count > MAX_SECTIONS) {
      throw new TraceError('malformed', at, `A trace.dat has at most ${MAX_SECTIONS} sections.`);
    }
    const head = cursorOf(yield { start: at, end: at + SECTION_HEAD_SIZE }, at, what);
    head.skip(2);
    const flags = head.uint16();
    head.skip(4);
    return { flags, size: head.size64() };
  }

  #add(size: number, at: number, what: string): void {
    this.#size += size;
    if (this.#size <= MAX_HEAD_SIZE) return;
    throw new TraceError(
      'unsupported',
      at,
      `With ${what}, the descriptions exceed the limit of ${MAX_HEAD_SIZE} bytes.`,
    );
  }
}

/** Layout of each: u16 number, u32 size, that many bytes. The last one has number 0, and in version 6 no size. */
function* optionsOf(cursor: Cursor, version: 6 | 7): Generator<{ option: number; content: Cursor }> {
  while (cursor.left > 0) {
    const option = cursor.uint16();
    if (option === Option.Done && version === 6) return;
    yield { option, content: cursor.part(cursor.uint32()) };
    if (option === Option.Done) return;
  }
}

function cursorOf(bytes: Uint8Array, start: number, what: string): Cursor {
  return new Cursor(new Piece(bytes, start), true, what);
}

function textOf(content: Cursor): string {
  return content.paddedText(content.left).trim();
}

/** Reads decimal or hexadecimal, as C's `strtoll` does. */
function microseconds(text: string): bigint {
  return /^-?(?:0x[\da-f]{1,16}|\d{1,19})$/i.test(text)
    ? text.startsWith('-')
      ? -BigInt(text.slice(1))
      : BigInt(text)
    : 0n;
}
