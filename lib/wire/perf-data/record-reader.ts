/**
 * Reads the records of a perf.data from its bytes, chunk by chunk. Records that describe the session (attributes,
 * names, features, as in a pipe) are added to it.
 *
 * The kernel's records other than samples end with ids if the attribute says so. Source: Linux `perf_event.h` and, for
 * the records of the perf tool, `tools/lib/perf/include/perf/event.h`.
 */

import { hexText } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { type PerfAttr, readAttr, readIdList } from './attr.ts';
import {
  EVENT_UPDATE_NAME,
  Feature,
  FIRST_TYPE_OF_TOOL,
  MISC_DROPPED_BY_FILTER,
  MISC_MMAP_BUILD_ID,
  RecordType,
} from './constants.ts';
import type { Cursor } from './cursor.ts';
import { readFeature } from './features.ts';
import type { Piece } from './piece.ts';
import { idOffsetFromEnd, idsSize, type RecordIds, readIds } from './record-ids.ts';
import { RecordSplitter } from './record-splitter.ts';
import type { MmapRecord, PerfRecord, ThreadRecord } from './records.ts';
import type { SampleKind } from './sample.ts';
import type { PerfSession } from './session.ts';

/** An attribute's id takes this many bytes. */
const ID_SIZE = 8;

/** A cursor: its properties describe the current record. */
export class RecordReader {
  /** The record; for a sample, of which files contain millions, its kind: `piece` contains its body. */
  record: PerfRecord | SampleKind | undefined = undefined;
  readonly #session: PerfSession;
  readonly #splitter: RecordSplitter;
  /** The keys are ids of 32 bits; they are known for this many attributes. */
  readonly #kinds = new Map<number, SampleKind>();
  #attrCount = 0;

  constructor(session: PerfSession) {
    this.#session = session;
    this.#splitter = new RecordSplitter(session.littleEndian);
  }

  get piece(): Piece {
    return this.#splitter.piece;
  }

  /** The position of the record's body in the piece. */
  get start(): number {
    return this.#splitter.start;
  }

  get end(): number {
    return this.#splitter.end;
  }

  /** Adds the next chunk. Call it only when `next` has returned false. */
  push(piece: Piece): void {
    this.#splitter.push(piece);
  }

  /**
   * Advances to the next record.
   *
   * @returns false if more bytes are needed
   * @throws TraceError if it is damaged
   */
  next(): boolean {
    const splitter = this.#splitter;
    if (!splitter.next()) return false;
    const { type } = splitter;
    if (type === RecordType.Sample) this.record = this.#readSample();
    else if (type < FIRST_TYPE_OF_TOOL) this.record = this.#readOfKernel(splitter.body, splitter);
    else this.record = this.#readOfTool(splitter.body, splitter);
    return true;
  }

  /** @throws TraceError if the bytes have ended inside a record */
  finish(): void {
    this.#splitter.finish();
  }

  #readOfKernel(cursor: Cursor, { type, misc, position }: RecordSplitter): PerfRecord {
    const ids = this.#readIds(cursor);
    const head = { offset: position, ids };
    switch (type) {
      case RecordType.Comm: {
        const pid = cursor.uint32();
        return { kind: 'comm', ...head, pid, tid: cursor.uint32(), comm: cursor.terminatedText() };
      }
      case RecordType.Mmap:
        return readMmap(cursor, head, () => undefined);
      case RecordType.Mmap2:
        return readMmap(cursor, head, () => readFileId(cursor, (misc & MISC_MMAP_BUILD_ID) !== 0));
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

  #readOfTool(cursor: Cursor, { type, misc, position: offset }: RecordSplitter): PerfRecord {
    const session = this.#session;
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

  #readSample(): SampleKind {
    const session = this.#session;
    const splitter = this.#splitter;
    const { piece, start, end } = splitter;
    const idOffset = session.firstAttr(splitter).layout.id;
    const kind =
      idOffset === undefined || start + idOffset + ID_SIZE > end
        ? session.kindOf(this.#attrAt(splitter.body, idOffset))
        : this.#kindAt(piece, start + idOffset);
    if (!kind.fits(piece, start, end)) kind.check(splitter.body);
    return kind;
  }

  /** The kind of the sample with the id at this position. */
  #kindAt(piece: Piece, at: number): SampleKind {
    const { littleEndian, attrs } = this.#session;
    const low = piece.view.getUint32(littleEndian ? at : at + 4, littleEndian);
    const high = piece.view.getUint32(littleEndian ? at + 4 : at, littleEndian);
    if (this.#attrCount !== attrs.length) {
      this.#kinds.clear();
      this.#attrCount = attrs.length;
    }
    const known = high === 0 ? this.#kinds.get(low) : undefined;
    if (known !== undefined) return known;
    const kind = this.#session.kindOf(this.#session.attrOf(high, low, piece.positionOf(at)));
    if (high === 0) this.#kinds.set(low, kind);
    return kind;
  }

  /** The ids at the end of the record's body. */
  #readIds(cursor: Cursor): RecordIds {
    const first = this.#session.attrs[0];
    const size = first === undefined ? 0 : idsSize(first);
    if (first === undefined || size === 0) return {};
    const bodyStart = cursor.offset;
    const bodySize = cursor.left;
    requireRoom(cursor, size);
    const fromEnd = idOffsetFromEnd(first.sampleType);
    const attr = this.#attrAt(cursor, fromEnd === undefined ? undefined : bodySize - fromEnd);
    cursor.offset = bodyStart;
    const attrIdsSize = idsSize(attr);
    requireRoom(cursor, attrIdsSize);
    cursor.offset = cursor.end - attrIdsSize;
    const ids = readIds(cursor, attr);
    cursor.offset = bodyStart;
    return ids;
  }

  /** The attribute whose id is this many bytes ahead. */
  #attrAt(cursor: Cursor, idOffset: number | undefined): PerfAttr {
    if (idOffset === undefined) return this.#session.firstAttr(cursor);
    cursor.skip(idOffset);
    const { position } = cursor;
    const id = cursor.uint64();
    return this.#session.attrOf(Number(id >> 32n), Number(id & 0xffff_ffffn), position);
  }
}

function requireRoom(cursor: Cursor, size: number): void {
  if (size <= cursor.left) return;
  throw new TraceError(
    'malformed',
    cursor.position,
    `A record of ${cursor.left} bytes has no room for its ids.`,
  );
}

interface Head {
  readonly offset: number;
  readonly ids: RecordIds;
}

/**
 * What MMAP2 says of the file: device u32, u32, inode u64, generation u64, or size of the build id u8, reserved u8, u16,
 * build id of 20 bytes; then access rights and flags, u32 each.
 */
function readFileId(cursor: Cursor, hasBuildId: boolean): string | undefined {
  const id = cursor.take(24);
  cursor.skip(8);
  return hasBuildId ? hexText(id.subarray(4, 4 + Math.min(id[0] as number, 20))) : undefined;
}

function readMmap(cursor: Cursor, head: Head, readId: () => string | undefined): MmapRecord {
  const pid = cursor.uint32();
  const tid = cursor.uint32();
  const start = cursor.uint64();
  const length = cursor.uint64();
  const fileOffset = cursor.uint64();
  const buildId = readId();
  const filename = cursor.terminatedText();
  return { kind: 'mmap', ...head, pid, tid, start, length, fileOffset, filename, buildId };
}

function readThread(cursor: Cursor, head: Head, kind: 'fork' | 'exit'): ThreadRecord {
  const pid = cursor.uint32();
  const parentPid = cursor.uint32();
  const tid = cursor.uint32();
  const parentTid = cursor.uint32();
  return { kind, ...head, pid, parentPid, tid, parentTid, timeNs: cursor.uint64() };
}
