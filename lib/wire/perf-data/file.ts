/**
 * A perf.data file as `perf record` leaves it on disk: header, attributes, data, features.
 *
 * Layout of the header: magic `PERFILE2` (as a u64 in the file's byte order), its size u64, the size of an
 * attribute entry u64, the sections of attributes, data and event types (offset u64, size u64 each), 256
 * feature bits. An attribute entry is a `perf_event_attr` and the section of its ids. Behind the data stands
 * a section for each feature bit that is set.
 * Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import { viewOf } from '../bytes.ts';
import { type PerfAttr, readAttr } from './attr.ts';
import { FEATURE_BITS, Feature } from './constants.ts';
import { Cursor } from './cursor.ts';
import { PerfDataError } from './error.ts';
import { type PerfRecord, readRecords } from './records.ts';
import type { PerfSession, Section } from './session.ts';
import { readTracingData } from './tracing-data.ts';

/** `PERFILE2` read as a u64 in the file's own byte order. */
const MAGIC = 0x32454c4946524550n;
const MAGIC_SIZE = 8;
/** The header of what `perf record -o -` writes: magic and this size, then records only. */
const PIPE_HEADER_SIZE = 16;
const SECTION_SIZE = 16;

export interface PerfDataFile extends PerfSession {
  /**
   * What to add to a record's time to get nanoseconds since 1970. Known only where perf was told which
   * clock to use (`perf record -k`).
   */
  readonly wallTimeOffsetNs?: bigint;
  /**
   * The records in file order, read as they are asked for.
   * @throws PerfDataError where a record is damaged, after all before it have been given
   */
  records(): Iterable<PerfRecord>;
}

/**
 * Opens a perf.data file: reads all but its records.
 *
 * @param bytes the whole file
 * @throws PerfDataError
 */
export function readPerfData(bytes: Uint8Array): PerfDataFile {
  const littleEndian = byteOrderOf(bytes);
  const cursor = new Cursor(bytes, littleEndian, MAGIC_SIZE, bytes.length, 'the header');
  if (cursor.size64() === PIPE_HEADER_SIZE) {
    throw new PerfDataError(
      MAGIC_SIZE,
      'This is perf.data in pipe mode, which is not supported; record into a file.',
    );
  }
  const attrEntrySize = cursor.size64();
  const attrSection = readSection(cursor);
  const data = readSection(cursor);
  if (data.start === data.end) {
    throw new PerfDataError(
      cursor.offset,
      'The file says that it has no data: `perf record` was not ended properly.',
    );
  }
  readSection(cursor); // event types, empty since 2013
  const features = readFeatures(bytes, cursor, data.end);
  if (features.has(Feature.Compressed)) {
    throw new PerfDataError(
      cursor.offset,
      'The records are compressed, which is not supported; record without -z.',
    );
  }

  const tracingData = features.get(Feature.TracingData);
  const names = readEventNames(bytes, littleEndian, features.get(Feature.EventDesc));
  const session: PerfSession = {
    littleEndian,
    attrs: readAttrs(bytes, littleEndian, attrSection, attrEntrySize, names),
    tracepoints:
      tracingData === undefined ? new Map() : readTracingData(bytes, tracingData.start, tracingData.end),
  };
  const wallTimeOffsetNs = readWallTimeOffset(bytes, littleEndian, features.get(Feature.ClockData));
  const records = () => readRecords(bytes, data, session);
  return wallTimeOffsetNs === undefined ? { ...session, records } : { ...session, records, wallTimeOffsetNs };
}

function byteOrderOf(bytes: Uint8Array): boolean {
  if (bytes.length >= MAGIC_SIZE) {
    const view = viewOf(bytes);
    if (view.getBigUint64(0, true) === MAGIC) return true;
    if (view.getBigUint64(0, false) === MAGIC) return false;
  }
  throw new PerfDataError(0, 'This is not perf.data: it does not start with PERFILE2.');
}

function readSection(cursor: Cursor): Section {
  const start = cursor.size64();
  return { start, end: start + cursor.size64() };
}

/** The sections of the features that the file has, by feature bit. */
function readFeatures(bytes: Uint8Array, header: Cursor, dataEnd: number): Map<number, Section> {
  const words = Array.from({ length: FEATURE_BITS / 64 }, () => header.uint64());
  const features: number[] = [];
  for (let bit = 0; bit < FEATURE_BITS; bit++) {
    if ((((words[bit >>> 6] as bigint) >> BigInt(bit & 63)) & 1n) === 1n) features.push(bit);
  }
  const end = dataEnd + features.length * SECTION_SIZE;
  const cursor = new Cursor(bytes, header.littleEndian, dataEnd, end, 'the table of features');
  return new Map(features.map((feature) => [feature, readSection(cursor)]));
}

function readAttrs(
  bytes: Uint8Array,
  littleEndian: boolean,
  section: Section,
  entrySize: number,
  names: ReadonlyMap<bigint, string>,
): PerfAttr[] {
  const cursor = new Cursor(bytes, littleEndian, section.start, section.end, 'the attributes');
  if (entrySize <= SECTION_SIZE) {
    throw new PerfDataError(MAGIC_SIZE + 8, `An attribute entry cannot have ${entrySize} bytes.`);
  }
  const attrs: PerfAttr[] = [];
  while (cursor.left >= entrySize) {
    const entryEnd = cursor.offset + entrySize;
    const attr = readAttr(cursor);
    cursor.offset = entryEnd - SECTION_SIZE;
    const idSection = readSection(cursor);
    const idCursor = new Cursor(
      bytes,
      littleEndian,
      idSection.start,
      idSection.end,
      'the ids of an attribute',
    );
    const ids: bigint[] = [];
    while (idCursor.left >= 8) ids.push(idCursor.uint64());
    const name = names.get(ids[0] ?? 0n);
    attrs.push(name === undefined ? { ...attr, ids } : { ...attr, ids, name });
  }
  if (attrs.length === 0) throw new PerfDataError(section.start, 'The file has no attributes.');
  return attrs;
}

/** Names of events by id. Layout: count u32, attribute size u32; of each: attribute, ids u32, name, ids. */
function readEventNames(
  bytes: Uint8Array,
  littleEndian: boolean,
  section: Section | undefined,
): Map<bigint, string> {
  const names = new Map<bigint, string>();
  if (section === undefined) return names;
  const cursor = new Cursor(bytes, littleEndian, section.start, section.end, 'the event descriptions');
  const count = cursor.uint32();
  const attrSize = cursor.uint32();
  for (let i = 0; i < count; i++) {
    cursor.skip(attrSize);
    const idCount = cursor.uint32();
    const name = cursor.paddedText(cursor.uint32());
    for (let j = 0; j < idCount; j++) names.set(cursor.uint64(), name);
  }
  return names;
}

/** Layout: version u32, clock id u32, wall clock ns u64, that clock's ns at the same moment u64. */
function readWallTimeOffset(
  bytes: Uint8Array,
  littleEndian: boolean,
  section: Section | undefined,
): bigint | undefined {
  if (section === undefined) return undefined;
  const cursor = new Cursor(bytes, littleEndian, section.start, section.end, 'the clock data');
  cursor.skip(8);
  const wallNs = cursor.uint64();
  return wallNs - cursor.uint64();
}
