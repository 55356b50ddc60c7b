/**
 * The event headers in an event block, of every version, compressed or not. One object is reused for all of them: a
 * compressed header contains only the differences from the previous one.
 */
import { BlobFlag, FormatVersion, UNKNOWN_PROCESSOR, UNSORTED_BIT } from './constants.ts';
import type { Cursor } from './cursor.ts';

const GUID_SIZE = 16;

export class EventHeader {
  /** 0 if the event is itself metadata, before version 6. */
  metadataId = 0;
  /** Whether no later event of the trace is older. */
  isSorted = false;
  /** Unsigned; in version 4 and later. */
  sequence = 0;
  captureThreadId = 0;
  threadId = 0;
  processor = UNKNOWN_PROCESSOR;
  stackId = 0;
  /** The halves of the timestamp, a signed integer: signed, and unsigned. */
  timeHigh = 0;
  timeLow = 0;
  /** The position of the ids in the block before version 6, or -1. */
  activityAt = -1;
  relatedActivityAt = -1;
  /** Only version 6 has labels. */
  labelListId = 0;
  /** Its position in the block. */
  payloadStart = 0;
  payloadEnd = 0;
  /** The stack follows the payload in version 3. */
  stackStart = 0;
  stackEnd = 0;

  /** Version 3: the whole event. Its events are in time order. */
  readV3(cursor: Cursor): void {
    const end = partEnd(cursor, cursor.uint32());
    this.metadataId = cursor.uint32();
    this.isSorted = true;
    this.threadId = cursor.uint32();
    this.captureThreadId = this.threadId;
    this.#readTime(cursor);
    this.#readActivities(cursor);
    this.#readPayload(cursor, cursor.uint32());
    cursor.offset = this.payloadEnd;
    const stackSize = cursor.uint32();
    this.stackStart = cursor.offset;
    cursor.skip(stackSize);
    this.stackEnd = cursor.offset;
    if (cursor.offset > end) cursor.fail('An event is longer than its declared size.');
    cursor.offset = Math.min(aligned(cursor, end), cursor.end);
  }

  readUncompressed(cursor: Cursor, formatVersion: number): void {
    const end = partEnd(cursor, cursor.uint32());
    const metadataId = cursor.uint32();
    this.metadataId = (metadataId & ~UNSORTED_BIT) >>> 0;
    this.isSorted = (metadataId & UNSORTED_BIT) === 0;
    this.sequence = cursor.uint32();
    this.threadId = cursor.id64();
    this.captureThreadId = cursor.id64();
    this.processor = cursor.uint32();
    this.stackId = cursor.uint32();
    this.#readTime(cursor);
    if (formatVersion >= FormatVersion.V6) this.labelListId = cursor.uint32();
    else this.#readActivities(cursor);
    this.#readPayload(cursor, cursor.uint32());
    if (this.payloadEnd > end) cursor.fail('An event is longer than its declared size.');
    cursor.offset = this.payloadEnd;
  }

  readCompressed(cursor: Cursor, formatVersion: number): void {
    const flags = cursor.uint8();
    if ((flags & BlobFlag.MetadataId) !== 0) this.metadataId = cursor.varUint32();
    if ((flags & BlobFlag.CaptureThread) !== 0) {
      this.sequence = (this.sequence + cursor.varUint32() + 1) >>> 0;
      this.captureThreadId = cursor.varId64();
      this.processor = cursor.varUint32();
    } else if (this.metadataId !== 0) {
      this.sequence = (this.sequence + 1) >>> 0;
    }
    if ((flags & BlobFlag.Thread) !== 0) this.threadId = cursor.varId64();
    if ((flags & BlobFlag.Stack) !== 0) this.stackId = cursor.varUint32();
    cursor.readVarUint64();
    const low = this.timeLow + cursor.low;
    this.timeLow = low >>> 0;
    this.timeHigh = (this.timeHigh + cursor.high + (low > 0xffff_ffff ? 1 : 0)) | 0;
    if (formatVersion >= FormatVersion.V6) {
      if ((flags & BlobFlag.LabelList) !== 0) this.labelListId = cursor.varUint32();
    } else {
      if ((flags & BlobFlag.ActivityId) !== 0) this.activityAt = readGuidPlace(cursor);
      if ((flags & BlobFlag.RelatedActivityId) !== 0) this.relatedActivityAt = readGuidPlace(cursor);
    }
    this.isSorted = (flags & BlobFlag.Sorted) !== 0;
    const size =
      (flags & BlobFlag.PayloadSize) !== 0 ? cursor.varUint32() : this.payloadEnd - this.payloadStart;
    this.#readPayload(cursor, size);
    cursor.offset = this.payloadEnd;
  }

  #readTime(cursor: Cursor): void {
    cursor.readWords();
    this.timeLow = cursor.low;
    this.timeHigh = cursor.high;
  }

  #readActivities(cursor: Cursor): void {
    this.activityAt = readGuidPlace(cursor);
    this.relatedActivityAt = readGuidPlace(cursor);
  }

  #readPayload(cursor: Cursor, size: number): void {
    this.payloadStart = cursor.offset;
    this.payloadEnd = partEnd(cursor, size);
  }
}

function readGuidPlace(cursor: Cursor): number {
  const at = cursor.offset;
  cursor.skip(GUID_SIZE);
  return at;
}

/** The end of a part of `size` bytes that starts here; it must not extend beyond the block. */
function partEnd(cursor: Cursor, size: number): number {
  const at = cursor.offset;
  cursor.skip(size);
  const end = cursor.offset;
  cursor.offset = at;
  return end;
}

/** The next multiple of 4 bytes in the trace. */
function aligned(cursor: Cursor, offset: number): number {
  return offset + (-(cursor.block.position + offset) & 3);
}
