/**
 * Reads the records of a perf.data from its bytes, chunk by chunk. Records that describe the session (attributes,
 * names, features, as in a pipe) are added to it.
 *
 * The kernel's records other than samples end with ids if the attribute says so. Source: Linux `perf_event.h` and, for
 * the records of the perf tool, `tools/lib/perf/include/perf/event.h`.
 */
import { type PerfAttr, readAttr, readIdList } from './attr.ts';
import {
  EVENT_UPDATE_NAME,
  Feature,
  FIRST_TYPE_OF_TOOL,
  MISC_DROPPED_BY_FILTER,
  PerfType,
  RecordType,
} from './constants.ts';
import type { Cursor } from './cursor.ts';
import { PerfDataError } from './error.ts';
import { readFeature } from './features.ts';
import type { Piece } from './piece.ts';
import { idOffsetFromEnd, idsSize, type RecordIds, readIds } from './record-ids.ts';
import { bodyOf, type RawRecord, RecordSplitter } from './record-splitter.ts';
import type { MmapRecord, PerfRecord, ThreadRecord } from './records.ts';
import { SampleRecord } from './sample.ts';
import type { PerfSession } from './session.ts';

/** mmap2 has the file's device, inode and protection between its numbers and its name. */
const MMAP2_EXTRA_SIZE = 32;

export class RecordReader {
  private readonly session: PerfSession;
  private readonly splitter: RecordSplitter;

  constructor(session: PerfSession) {
    this.session = session;
    this.splitter = new RecordSplitter(session.littleEndian);
  }

  /**
   * The records that end in this chunk; all must be consumed before the next chunk.
   * @throws PerfDataError if a record is damaged
   */
  *push(piece: Piece): Generator<PerfRecord> {
    for (const raw of this.splitter.push(piece)) yield this.read(raw);
  }

  /** @throws PerfDataError if the bytes have ended inside a record */
  end(): void {
    this.splitter.end();
  }

  private read(raw: RawRecord): PerfRecord {
    const cursor = bodyOf(raw, this.session.littleEndian);
    if (raw.type === RecordType.Sample) return this.readSample(cursor, raw);
    return raw.type < FIRST_TYPE_OF_TOOL ? this.readOfKernel(cursor, raw) : this.readOfTool(cursor, raw);
  }

  private readOfKernel(cursor: Cursor, { type, misc, position }: RawRecord): PerfRecord {
    const ids = this.readIds(cursor);
    const head = { offset: position, ids };
    switch (type) {
      case RecordType.Comm: {
        const pid = cursor.uint32();
        return { kind: 'comm', ...head, pid, tid: cursor.uint32(), comm: cursor.terminatedText() };
      }
      case RecordType.Mmap:
        return readMmap(cursor, head, 0);
      case RecordType.Mmap2:
        return readMmap(cursor, head, MMAP2_EXTRA_SIZE);
      case RecordType.Fork:
        return readThread(cursor, head, 'fork');
      case RecordType.Exit:
        return readThread(cursor, head, 'exit');
      case RecordType.Lost:
        cursor.skip(8); // the id of the event that lost them
        return { kind: 'lost', ...head, count: cursor.uint64() };
      case RecordType.LostSamples:
        // What a filter dropped was not wanted, so it is not lost.
        if ((misc & MISC_DROPPED_BY_FILTER) !== 0) break;
        return { kind: 'lostSamples', ...head, count: cursor.uint64() };
    }
    return { kind: 'other', ...head, type, misc, body: cursor.take(cursor.left) };
  }

  private readOfTool(cursor: Cursor, { type, misc, position: offset }: RawRecord): PerfRecord {
    const { session } = this;
    switch (type) {
      case RecordType.FinishedRound:
        return { kind: 'finishedRound', offset };
      case RecordType.Compressed:
        return { kind: 'compressed', offset, data: cursor.take(cursor.left) };
      case RecordType.Compressed2:
        return { kind: 'compressed', offset, data: cursor.take(cursor.size64()) };
      case RecordType.HeaderAttr:
        session.addAttr({ ...readAttr(cursor), ids: readIdList(cursor) });
        return { kind: 'header', offset };
      case RecordType.TracingData:
        readFeature(Feature.TracingData, cursor, session);
        return { kind: 'header', offset };
      case RecordType.HeaderFeature:
        readFeature(cursor.size64(), cursor, session);
        return { kind: 'header', offset };
      case RecordType.EventUpdate: {
        const what = cursor.size64();
        const id = cursor.uint64();
        if (what === EVENT_UPDATE_NAME) session.addName(id, cursor.paddedText(cursor.left));
        return { kind: 'header', offset };
      }
      default:
        return { kind: 'other', offset, type, misc, body: cursor.take(cursor.left), ids: {} };
    }
  }

  private readSample(cursor: Cursor, raw: RawRecord): SampleRecord {
    const { session } = this;
    const bodyStart = cursor.offset;
    const attr = this.attrAt(cursor, session.firstAttr(raw.position).layout.id);
    cursor.offset = bodyStart;
    const tracepoint =
      attr.type === PerfType.Tracepoint ? session.tracepoints.get(Number(attr.config)) : undefined;
    return new SampleRecord(raw.piece, cursor, attr, tracepoint);
  }

  /** The ids at the end of the record's body. */
  private readIds(cursor: Cursor): RecordIds {
    const first = this.session.attrs[0];
    const size = first === undefined ? 0 : idsSize(first);
    if (first === undefined || size === 0) return {};
    const bodyStart = cursor.offset;
    const bodySize = cursor.left;
    requireRoom(cursor, size);
    const fromEnd = idOffsetFromEnd(first.sampleType);
    const attr = this.attrAt(cursor, fromEnd === undefined ? undefined : bodySize - fromEnd);
    cursor.offset = bodyStart;
    const attrIdsSize = idsSize(attr);
    requireRoom(cursor, attrIdsSize);
    cursor.offset = cursor.end - attrIdsSize;
    const ids = readIds(cursor, attr);
    cursor.offset = bodyStart;
    return ids;
  }

  /** The attribute whose id is this many bytes ahead. */
  private attrAt(cursor: Cursor, idOffset: number | undefined): PerfAttr {
    if (idOffset === undefined) return this.session.firstAttr(cursor.position);
    cursor.skip(idOffset);
    const at = cursor.position;
    return this.session.attrOf(cursor.uint64(), at);
  }
}

function requireRoom(cursor: Cursor, size: number): void {
  if (size <= cursor.left) return;
  throw new PerfDataError(
    'malformed',
    cursor.position,
    `A record of ${cursor.left} bytes has no room for its ids.`,
  );
}

interface Head {
  readonly offset: number;
  readonly ids: RecordIds;
}

function readMmap(cursor: Cursor, head: Head, extraSize: number): MmapRecord {
  const pid = cursor.uint32();
  const tid = cursor.uint32();
  const start = cursor.uint64();
  const length = cursor.uint64();
  const fileOffset = cursor.uint64();
  cursor.skip(extraSize);
  return { kind: 'mmap', ...head, pid, tid, start, length, fileOffset, filename: cursor.terminatedText() };
}

function readThread(cursor: Cursor, head: Head, kind: 'fork' | 'exit'): ThreadRecord {
  const pid = cursor.uint32();
  const parentPid = cursor.uint32();
  const tid = cursor.uint32();
  const parentTid = cursor.uint32();
  return { kind, ...head, pid, parentPid, tid, parentTid, timeNs: cursor.uint64() };
}
