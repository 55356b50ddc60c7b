/**
 * Event blocks with compressed headers, which omit what is the same as in the previous event.
 *
 * Source: perfview's NetTraceFormat_v5.md and NetTraceFormat_v6.md; "Compressed event blob".
 */
import { MAX_VARINT_SIZE, putVarUint, putVarUint64 } from '../../../base/byte-writer.ts';
import { viewOf } from '../../../base/bytes.ts';
import { type GuidWords, isSameGuid, NO_GUID } from '../../guid.ts';
import { scratch, scratchView } from '../../scratch.ts';
import {
  BlobFlag,
  COMPRESSED_HEADERS,
  EVENT_BLOCK_HEADER_SIZE,
  FormatVersion,
  UNKNOWN_PROCESSOR,
} from '../constants.ts';
import { GUID_SIZE, NetTraceBytes, putGuid } from './byte-writer.ts';
import { BLOCK_SIZE } from './row-blocks.ts';
import type { ThreadHandle, WrittenEvent, WrittenVersion } from './trace-parts.ts';

/** The bytes of a block, and the position of its first event's number in them. */
export interface WrittenBlock {
  readonly bytes: Uint8Array;
  /** The thread of all its events; undefined in time order, where a block contains events of several threads. */
  readonly thread: ThreadHandle | undefined;
  readonly sequence: number;
  readonly sequenceAt: number;
  readonly sequenceEnd: number;
}

const NOTHING: readonly WrittenBlock[] = [];

const MIN_TIME_AT = 4;
const MAX_TIME_AT = 12;
/** The maximum size before the first event's payload: a block header, nine numbers and two GUIDs. */
const MAX_HEAD_SIZE = EVENT_BLOCK_HEADER_SIZE + 9 * MAX_VARINT_SIZE + 2 * GUID_SIZE + 1;
/** Payloads up to this size are copied word by word, which is faster than a call. */
const SMALL_PAYLOAD = 128;
const WORD_SIZE = 4;
const TWO_TO_32 = 0x1_0000_0000;

/** A 64-bit time and its halves, which allow subtraction without bigint. */
const time = new BigInt64Array(1);
const timeHalves = new Uint32Array(time.buffer);
const LOW = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;

/** The head of an event block, and of the metadata block of version 4; its times can be set later. */
export function writeEventBlockHead(bytes: NetTraceBytes): void {
  bytes.uint16(EVENT_BLOCK_HEADER_SIZE);
  bytes.uint16(COMPRESSED_HEADERS);
  bytes.uint64(0n);
  bytes.uint64(0n);
}

export class EventBlocks {
  readonly #bytes = new NetTraceBytes();
  readonly #version: WrittenVersion;
  #full = NOTHING;
  /** The times of the block's events. */
  #minTicks = 0n;
  #maxTicks = 0n;
  /** The newest time of the earlier blocks. */
  #newestOfFull: bigint | undefined;
  // These belong to the first event of the block.
  #firstThread: ThreadHandle | undefined;
  #firstSequence = 0;
  #firstSequenceAt = 0;
  #firstSequenceEnd = 0;
  /** Approximations of `minTicks` and `maxTicks`, and the previous event's time, relative to the first event's. */
  #minTime = 0;
  #maxTime = 0;
  #lastTime = 0;
  // The values of the previous event; zero or absent at the start of a block.
  #metadataId = 0;
  #sequence = 0;
  #captureThreadId = 0;
  #processor = UNKNOWN_PROCESSOR;
  #threadId = 0;
  #stackId = 0;
  #lastTicks = 0n;
  #ticksLow = 0;
  #ticksHigh = 0;
  #activityId: GuidWords | undefined;
  #relatedActivityId: GuidWords | undefined;
  #labelListId = 0;
  #payloadSize = 0;

  constructor(version: WrittenVersion) {
    this.#version = version;
  }

  /**
   * @param sequence the event's number within its thread
   * @param stackId 0 for none
   * @param labelListId for version 6; 0 for none
   * @param isSorted whether no later event is older
   * @returns its size. The event is in its block if this returns, and not if this throws
   */
  add(
    event: WrittenEvent,
    sequence: number,
    stackId: number,
    labelListId: number,
    isSorted: boolean,
  ): number {
    const bytes = this.#bytes;
    if (bytes.kept >= BLOCK_SIZE) this.#close();
    const { metadataId, thread, ofThread = thread, processor = UNKNOWN_PROCESSOR, ticks, payload } = event;
    const { payloadSize = payload.length } = event;
    const start = bytes.kept;
    bytes.length = start;
    bytes.reserve(MAX_HEAD_SIZE + payloadSize + WORD_SIZE);
    const isFirst = start === 0;
    if (isFirst) this.#startBlock();
    const { buffer, view } = bytes;
    const flagsAt = bytes.length;
    let at = flagsAt + 1;
    let flags = isSorted ? BlobFlag.Sorted : 0;
    if (metadataId !== this.#metadataId) {
      flags |= BlobFlag.MetadataId;
      at = putVarUint(buffer, at, metadataId);
    }
    const delta = (sequence - this.#sequence - 1) >>> 0;
    const sequenceAt = at;
    let sequenceEnd = at;
    if (isFirst || delta !== 0 || thread.id !== this.#captureThreadId || processor !== this.#processor) {
      flags |= BlobFlag.CaptureThread;
      sequenceEnd = putVarUint(buffer, at, delta);
      at = putVarId64(buffer, sequenceEnd, thread.id);
      at = putVarUint(buffer, at, processor);
    }
    if (ofThread.id !== this.#threadId) {
      flags |= BlobFlag.Thread;
      at = putVarId64(buffer, at, ofThread.id);
    }
    if (stackId !== this.#stackId) {
      flags |= BlobFlag.Stack;
      at = putVarUint(buffer, at, stackId);
    }
    time[0] = ticks;
    const ticksLow = timeHalves[LOW] as number;
    const ticksHigh = timeHalves[1 - LOW] as number;
    const passed = isFirst ? 0 : (ticksHigh - this.#ticksHigh) * TWO_TO_32 + (ticksLow - this.#ticksLow);
    if (!isFirst && passed >= 0 && passed <= Number.MAX_SAFE_INTEGER) at = putVarUint(buffer, at, passed);
    else at = putVarUint64(buffer, at, isFirst ? ticks : ticks - this.#lastTicks);
    let activityId = this.#activityId;
    let relatedActivityId = this.#relatedActivityId;
    if (this.#version === FormatVersion.V6) {
      if (labelListId !== this.#labelListId) {
        flags |= BlobFlag.LabelList;
        at = putVarUint(buffer, at, labelListId);
      }
    } else {
      if (!isSameGuid(event.activityId, activityId)) {
        flags |= BlobFlag.ActivityId;
        activityId = event.activityId;
        at = putGuid(view, at, activityId ?? NO_GUID);
      }
      if (!isSameGuid(event.relatedActivityId, relatedActivityId)) {
        flags |= BlobFlag.RelatedActivityId;
        relatedActivityId = event.relatedActivityId;
        at = putGuid(view, at, relatedActivityId ?? NO_GUID);
      }
    }
    if (payloadSize !== this.#payloadSize) {
      flags |= BlobFlag.PayloadSize;
      at = putVarUint(buffer, at, payloadSize);
    }
    putPayload(bytes, at, payload, payloadSize);
    at += payloadSize;
    buffer[flagsAt] = flags;
    const now = isFirst ? 0 : this.#lastTime + passed;
    // No calls from here on: either all of this happens, or nothing.
    if (isFirst) {
      this.#firstThread = isSorted ? undefined : thread;
      this.#firstSequence = sequence;
      this.#firstSequenceAt = sequenceAt;
      this.#firstSequenceEnd = sequenceEnd;
    }
    this.#lastTime = now;
    this.#lastTicks = ticks;
    if (isFirst || now < this.#minTime) {
      this.#minTime = now;
      this.#minTicks = ticks;
    }
    if (isFirst || now > this.#maxTime) {
      this.#maxTime = now;
      this.#maxTicks = ticks;
    }
    this.#metadataId = metadataId;
    this.#sequence = sequence;
    this.#captureThreadId = thread.id;
    this.#processor = processor;
    this.#threadId = ofThread.id;
    this.#stackId = stackId;
    this.#ticksLow = ticksLow;
    this.#ticksHigh = ticksHigh;
    this.#activityId = activityId;
    this.#relatedActivityId = relatedActivityId;
    this.#labelListId = labelListId;
    this.#payloadSize = payloadSize;
    bytes.length = at;
    bytes.kept = at;
    return at - start;
  }

  /** All complete events since `clear`, as blocks with their own memory. */
  blocks(): readonly WrittenBlock[] {
    return this.#bytes.kept === 0 ? this.#full : [...this.#full, this.#block()];
  }

  /** The time of the newest event; undefined if there is none. */
  get newestTicks(): bigint | undefined {
    const newestOfFull = this.#newestOfFull;
    const maxTicks = this.#maxTicks;
    if (this.#bytes.kept === 0) return newestOfFull;
    return newestOfFull === undefined || maxTicks > newestOfFull ? maxTicks : newestOfFull;
  }

  /** Starts over, reusing the memory. */
  clear(): void {
    this.#full = NOTHING;
    this.#newestOfFull = undefined;
    this.#bytes.length = 0;
    this.#bytes.kept = 0;
  }

  /** Prepares a block for its first event. */
  #startBlock(): void {
    writeEventBlockHead(this.#bytes);
    this.#metadataId = 0;
    this.#sequence = 0;
    this.#captureThreadId = 0;
    this.#threadId = 0;
    this.#stackId = 0;
    this.#activityId = undefined;
    this.#relatedActivityId = undefined;
    this.#labelListId = 0;
    this.#payloadSize = 0;
  }

  #close(): void {
    const full = [...this.#full, this.#block()];
    const { newestTicks } = this;
    // No calls: the block is added once.
    this.#full = full;
    this.#newestOfFull = newestTicks;
    this.#bytes.length = 0;
    this.#bytes.kept = 0;
  }

  #block(): WrittenBlock {
    const bytes = this.#bytes.wholeCopy();
    const view = viewOf(bytes);
    view.setBigInt64(MIN_TIME_AT, this.#minTicks, true);
    view.setBigInt64(MAX_TIME_AT, this.#maxTicks, true);
    return {
      bytes,
      thread: this.#firstThread,
      sequence: this.#firstSequence,
      sequenceAt: this.#firstSequenceAt,
      sequenceEnd: this.#firstSequenceEnd,
    };
  }
}

/** An id; -1 and the like become 64 unsigned bits. */
function putVarId64(buffer: Uint8Array, offset: number, value: number): number {
  return value >= 0 ? putVarUint(buffer, offset, value) : putVarUint64(buffer, offset, BigInt(value));
}

function putPayload({ buffer, view }: NetTraceBytes, at: number, payload: Uint8Array, size: number): void {
  if (payload === scratch && size <= SMALL_PAYLOAD) {
    for (let i = 0; i < size; i += WORD_SIZE) view.setInt32(at + i, scratchView.getInt32(i, true), true);
  } else if (size === payload.length) {
    buffer.set(payload, at);
  } else {
    // A Buffer's `subarray` takes half as long again.
    buffer.set(new Uint8Array(payload.buffer, payload.byteOffset, size), at);
  }
}
