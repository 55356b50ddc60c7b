/**
 * What precedes and follows the records of a perf.data. In a file: a header, the attributes before the data, and a
 * section for each feature after it. In a pipe (`perf record -o -`): a header of two words; everything else is in
 * records.
 *
 * Layout of a file's header: magic `PERFILE2` (as a u64 in the file's byte order), its size u64, the size of an
 * attribute entry u64, the sections of attributes, data and event types (offset u64, size u64 each), 256 feature bits.
 * An attribute entry is a `perf_event_attr` and the section of its ids. After the data comes a section for each set
 * feature bit. Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { viewOf } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { readAttr, readIdList } from './attr.ts';
import { FEATURE_BITS } from './constants.ts';
import { Cursor } from './cursor.ts';
import { isFeatureRead, noteUnread, readFeature } from './features.ts';
import { Piece, type Section } from './piece.ts';
import { PerfSession } from './session.ts';

/** `PERFILE2` read as a u64 in the file's own byte order. */
const MAGIC = 0x32454c4946524550n;
const MAGIC_SIZE = 8;
const PIPE_HEADER_SIZE = 16;
const FILE_HEADER_SIZE = 104;
const SECTION_SIZE = 16;
/** The maximum number of bytes read in total: sections may overlap, so the file's size is not a limit. */
const MAX_HEAD_SIZE = 512 * 1024 * 1024;

/** Requests a part of the file, and receives what there is of it. */
type ReadRequest = Section;

export interface PerfDataHead {
  /** A pipe's session knows only its byte order yet. */
  readonly session: PerfSession;
  /** Where the records start. */
  readonly start: number;
  /** Where they end; undefined for the end of the pipe or file. */
  readonly end: number | undefined;
  /**
   * Why data after the records is missing, if the file or its recording was cut off: all features, and with them the
   * formats of tracepoints, so that their fields stay unknown.
   */
  readonly fault?: TraceError;
}

/** Whether a perf.data that starts with these bytes, at least 16, comes from a pipe. */
export function isPipeMode(start: Uint8Array): boolean {
  if (start.length < PIPE_HEADER_SIZE) return false;
  return viewOf(start).getBigUint64(MAGIC_SIZE, byteOrderOf(start)) === BigInt(PIPE_HEADER_SIZE);
}

/**
 * Reads everything except the records, through whoever answers its requests: so it need not know where bytes come from.
 * @throws TraceError
 */
export function* readHead(): Generator<ReadRequest, PerfDataHead, Uint8Array> {
  const headerBytes = yield { start: 0, end: FILE_HEADER_SIZE };
  const littleEndian = byteOrderOf(headerBytes);
  const session = new PerfSession(littleEndian);
  if (isPipeMode(headerBytes)) return { session, start: PIPE_HEADER_SIZE, end: undefined };

  const parts = new PartReader(littleEndian);
  const header = parts.cursorOf(headerBytes, { start: 0, end: FILE_HEADER_SIZE }, 'the header');
  header.skip(PIPE_HEADER_SIZE);
  const attrEntrySize = header.size64();
  const attrs = readSection(header);
  const data = readSection(header);
  readSection(header); // event types, empty since 2013
  const words = Array.from({ length: FEATURE_BITS / 64 }, () => header.uint64());

  yield* readAttrs(parts, session, attrs, attrEntrySize);
  if (data.start === data.end) {
    // perf writes the size of the data at the end.
    const sentence = 'The file says that it has no data: `perf record` was not ended properly.';
    return {
      session,
      start: data.start,
      end: undefined,
      fault: new TraceError('truncated', data.start, sentence),
    };
  }
  try {
    yield* readFeatures(parts, session, words, data.end);
  } catch (error) {
    if (!(error instanceof TraceError) || error.code !== 'truncated') throw error;
    return { session, ...data, fault: error };
  }
  return { session, ...data };
}

function byteOrderOf(bytes: Uint8Array): boolean {
  if (bytes.length >= MAGIC_SIZE) {
    const view = viewOf(bytes);
    if (view.getBigUint64(0, true) === MAGIC) return true;
    if (view.getBigUint64(0, false) === MAGIC) return false;
  }
  throw new TraceError('unrecognized', 0, 'This is not perf.data: it does not start with PERFILE2.');
}

function readSection(cursor: Cursor): Section {
  const start = cursor.size64();
  return { start, end: start + cursor.size64() };
}

/** Requests parts of the file and checks that they are present. */
class PartReader {
  readonly #littleEndian: boolean;
  #size = 0;

  constructor(littleEndian: boolean) {
    this.#littleEndian = littleEndian;
  }

  /** @param what the part's name, for errors: `the header` */
  *read(part: Section, what: string): Generator<ReadRequest, Cursor, Uint8Array> {
    const size = this.#size + part.end - part.start;
    if (size > MAX_HEAD_SIZE) {
      throw new TraceError(
        'unsupported',
        part.start,
        `With ${what}, the file's attributes and features exceed the limit: they have ${size} bytes.`,
      );
    }
    const bytes = yield part;
    this.#size += bytes.length;
    return this.cursorOf(bytes, part, what);
  }

  cursorOf(bytes: Uint8Array, part: Section, what: string): Cursor {
    if (bytes.length < part.end - part.start) {
      throw new TraceError(
        'truncated',
        part.start + bytes.length,
        `The file ends before ${what}, which should be at ${part.start} to ${part.end}.`,
      );
    }
    return new Cursor(new Piece(bytes, part.start), this.#littleEndian, what);
  }
}

function* readAttrs(
  parts: PartReader,
  session: PerfSession,
  section: Section,
  entrySize: number,
): Generator<ReadRequest, void, Uint8Array> {
  if (entrySize <= SECTION_SIZE) {
    throw new TraceError('malformed', PIPE_HEADER_SIZE, `An attribute entry cannot have ${entrySize} bytes.`);
  }
  const cursor = yield* parts.read(section, 'the attributes');
  while (cursor.left >= entrySize) {
    const attr = readAttr(cursor, entrySize - SECTION_SIZE);
    const ids = readIdList(yield* parts.read(readSection(cursor), 'the ids of an attribute'));
    session.addAttr({ ...attr, ids });
  }
  if (session.attrs.length === 0) {
    throw new TraceError('malformed', section.start, 'The file has no attributes.');
  }
}

/** @param tableStart the position of the feature section table: after the data */
function* readFeatures(
  parts: PartReader,
  session: PerfSession,
  words: readonly bigint[],
  tableStart: number,
): Generator<ReadRequest, void, Uint8Array> {
  const features: number[] = [];
  for (let bit = 0; bit < FEATURE_BITS; bit++) {
    if ((((words[bit >>> 6] as bigint) >> BigInt(bit & 63)) & 1n) === 1n) features.push(bit);
  }
  const tableEnd = tableStart + features.length * SECTION_SIZE;
  const table = yield* parts.read({ start: tableStart, end: tableEnd }, 'the table of features');
  for (const feature of features) {
    const entry = table.part(SECTION_SIZE);
    if (!isFeatureRead(feature)) continue;
    try {
      readFeature(feature, yield* parts.read(readSection(entry), `feature ${feature}`), session);
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      noteUnread(feature, error, session);
    }
  }
}
