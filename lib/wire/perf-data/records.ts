/**
 * The records of a perf.data file, one after the other.
 *
 * Every record has a head (type u32, misc u16, size u16 with the head). The kernel's records that are not
 * samples end with ids if the attribute says so. Source: Linux `perf_event.h` and
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import type { PerfAttr } from './attr.ts';
import { PERF_TYPE_TRACEPOINT, RECORD_HEAD_SIZE, RecordType } from './constants.ts';
import { Cursor } from './cursor.ts';
import { PerfDataError } from './error.ts';
import {
  idOffsetFromEnd,
  idOffsetInSample,
  idsSize,
  type RecordIds,
  readIds,
  readSample,
  type SampleFields,
} from './sample.ts';
import type { PerfSession, Section } from './session.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

interface RecordHead {
  /** Where the record stands in the file. */
  readonly offset: number;
}

export interface SampleRecord extends RecordHead, Readonly<SampleFields> {
  readonly kind: 'sample';
  readonly attr: PerfAttr;
  /** Of a tracepoint's sample, if the file has its format. */
  readonly tracepoint?: TracepointFormat;
}

/** A thread has got a name. */
export interface CommRecord extends RecordHead {
  readonly kind: 'comm';
  readonly pid: number;
  readonly tid: number;
  readonly comm: string;
  readonly ids: RecordIds;
}

/** A file has been mapped into memory to be executed. */
export interface MmapRecord extends RecordHead {
  readonly kind: 'mmap';
  readonly pid: number;
  readonly tid: number;
  readonly start: bigint;
  readonly length: bigint;
  /** Where in the file the mapping starts, in bytes. */
  readonly fileOffset: bigint;
  readonly filename: string;
  readonly ids: RecordIds;
}

/** A thread has started or ended. */
export interface ThreadRecord extends RecordHead {
  readonly kind: 'fork' | 'exit';
  readonly pid: number;
  readonly parentPid: number;
  readonly tid: number;
  readonly parentTid: number;
  readonly timeNs: bigint;
  readonly ids: RecordIds;
}

/** Records or samples did not fit into the buffer. */
export interface LostRecord extends RecordHead {
  readonly kind: 'lost';
  readonly count: bigint;
  readonly ids: RecordIds;
}

/** What follows comes no earlier than all that stood before the previous record of this kind. */
export interface FinishedRoundRecord extends RecordHead {
  readonly kind: 'finishedRound';
}

/** A record of a type that is not read here. */
export interface OtherRecord extends RecordHead {
  readonly kind: 'other';
  /** Linux's number of it. */
  readonly type: number;
  readonly misc: number;
  /** Behind the head; a view of the file's own bytes. */
  readonly body: Uint8Array;
  readonly ids: RecordIds;
}

export type PerfRecord =
  | SampleRecord
  | CommRecord
  | MmapRecord
  | ThreadRecord
  | LostRecord
  | FinishedRoundRecord
  | OtherRecord;

/** mmap2 has the file's device, inode and protection between its numbers and its name. */
const MMAP2_EXTRA_SIZE = 32;

/**
 * @param bytes the whole file
 * @throws PerfDataError
 */
export function* readRecords(bytes: Uint8Array, data: Section, session: PerfSession): Generator<PerfRecord> {
  const reader = new RecordReader(session);
  const cursor = new Cursor(bytes, session.littleEndian, data.start, data.end, 'the data');
  while (cursor.left > 0) {
    const offset = cursor.offset;
    const type = cursor.uint32();
    const misc = cursor.uint16();
    const size = cursor.uint16();
    if (size < RECORD_HEAD_SIZE) {
      throw new PerfDataError(
        offset,
        `A record cannot have ${size} bytes: its head alone has ${RECORD_HEAD_SIZE}.`,
      );
    }
    const end = offset + size;
    if (end > data.end) throw new PerfDataError(offset, `The data ends inside a record of ${size} bytes.`);
    yield reader.read(new Cursor(bytes, session.littleEndian, cursor.offset, end, 'a record'), type, misc);
    cursor.skip(size - RECORD_HEAD_SIZE);
    // The trace of a processor stands behind its record, not in it.
    if (type === RecordType.Auxtrace) cursor.skip(auxtraceSize(bytes, session, offset, end));
  }
}

function auxtraceSize(bytes: Uint8Array, session: PerfSession, offset: number, end: number): number {
  return new Cursor(bytes, session.littleEndian, offset + RECORD_HEAD_SIZE, end, 'a record').size64();
}

class RecordReader {
  private readonly session: PerfSession;
  private readonly attrById = new Map<bigint, PerfAttr>();
  private readonly firstAttr: PerfAttr;

  constructor(session: PerfSession) {
    this.session = session;
    this.firstAttr = session.attrs[0] as PerfAttr;
    for (const attr of session.attrs) for (const id of attr.ids) this.attrById.set(id, attr);
  }

  /** @param cursor the record's body */
  read(cursor: Cursor, type: number, misc: number): PerfRecord {
    const offset = cursor.offset - RECORD_HEAD_SIZE;
    if (type === RecordType.Sample) return this.readSample(cursor, offset);
    if (type === RecordType.FinishedRound) return { kind: 'finishedRound', offset };
    if (type === RecordType.Compressed || type === RecordType.Compressed2) {
      throw new PerfDataError(
        offset,
        'The records are compressed, which is not supported; record without -z.',
      );
    }
    const body = cursor.take(cursor.left);
    cursor.offset -= body.length;
    const ids = type < RecordType.FirstOfTool ? this.readIds(cursor, body.length) : {};
    switch (type) {
      case RecordType.Comm:
        return {
          kind: 'comm',
          offset,
          pid: cursor.uint32(),
          tid: cursor.uint32(),
          comm: cursor.terminatedText(),
          ids,
        };
      case RecordType.Mmap:
        return readMmap(cursor, offset, 0, ids);
      case RecordType.Mmap2:
        return readMmap(cursor, offset, MMAP2_EXTRA_SIZE, ids);
      case RecordType.Fork:
        return readThread(cursor, offset, 'fork', ids);
      case RecordType.Exit:
        return readThread(cursor, offset, 'exit', ids);
      case RecordType.Lost:
        cursor.skip(8); // the id of the event that lost them
        return { kind: 'lost', offset, count: cursor.uint64(), ids };
      case RecordType.LostSamples:
        return { kind: 'lost', offset, count: cursor.uint64(), ids };
      default:
        return { kind: 'other', offset, type, misc, body, ids };
    }
  }

  private readSample(cursor: Cursor, offset: number): SampleRecord {
    const bodyStart = cursor.offset;
    const attr = this.attrAt(cursor, idOffsetInSample(this.firstAttr.sampleType));
    cursor.offset = bodyStart;
    const sample: { -readonly [Key in keyof SampleRecord]: SampleRecord[Key] } = {
      kind: 'sample',
      offset,
      attr,
    };
    readSample(cursor, attr, sample);
    const tracepoint =
      attr.type === PERF_TYPE_TRACEPOINT ? this.session.tracepoints.get(Number(attr.config)) : undefined;
    if (tracepoint !== undefined) sample.tracepoint = tracepoint;
    return sample;
  }

  /** The ids at the end of the record's body. */
  private readIds(cursor: Cursor, bodySize: number): RecordIds {
    const bodyStart = cursor.offset;
    const size = idsSize(this.firstAttr);
    if (size === 0) return {};
    if (size > bodySize)
      throw new PerfDataError(bodyStart, `A record of ${bodySize} bytes has no room for its ids.`);
    const fromEnd = idOffsetFromEnd(this.firstAttr.sampleType);
    const attr = this.attrAt(cursor, fromEnd === undefined ? undefined : bodySize - fromEnd);
    const attrIdsSize = idsSize(attr);
    if (attrIdsSize > bodySize)
      throw new PerfDataError(bodyStart, `A record of ${bodySize} bytes has no room for its ids.`);
    cursor.offset = cursor.end - attrIdsSize;
    const ids = readIds(cursor, attr);
    cursor.offset = bodyStart;
    return ids;
  }

  /** The attribute whose id stands so many bytes from here. Id 0 is perf's own: the first attribute. */
  private attrAt(cursor: Cursor, idOffset: number | undefined): PerfAttr {
    if (idOffset === undefined) return this.firstAttr;
    cursor.skip(idOffset);
    const at = cursor.offset;
    const id = cursor.uint64();
    const attr = id === 0n ? this.firstAttr : this.attrById.get(id);
    if (attr === undefined) throw new PerfDataError(at, `No attribute of the file has the id ${id}.`);
    return attr;
  }
}

function readMmap(cursor: Cursor, offset: number, extraSize: number, ids: RecordIds): MmapRecord {
  const pid = cursor.uint32();
  const tid = cursor.uint32();
  const start = cursor.uint64();
  const length = cursor.uint64();
  const fileOffset = cursor.uint64();
  cursor.skip(extraSize);
  return {
    kind: 'mmap',
    offset,
    pid,
    tid,
    start,
    length,
    fileOffset,
    filename: cursor.terminatedText(),
    ids,
  };
}

function readThread(cursor: Cursor, offset: number, kind: 'fork' | 'exit', ids: RecordIds): ThreadRecord {
  const pid = cursor.uint32();
  const parentPid = cursor.uint32();
  const tid = cursor.uint32();
  const parentTid = cursor.uint32();
  return { kind, offset, pid, parentPid, tid, parentTid, timeNs: cursor.uint64(), ids };
}
