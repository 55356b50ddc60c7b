/**
 * Event blocks with compressed headers: what is as in the event before is left out.
 *
 * Source: perfview's NetTraceFormat_v5.md and NetTraceFormat_v6.md; "Compressed event blob".
 */
import { guidBytes } from '../../guid.ts';
import {
  BlobFlag,
  COMPRESSED_HEADERS,
  EVENT_BLOCK_HEADER_SIZE,
  FormatVersion,
  UNKNOWN_PROCESSOR,
} from '../constants.ts';
import { NetTraceBytes } from './byte-writer.ts';
import { BLOCK_SIZE } from './row-blocks.ts';
import type { WrittenEvent, WrittenVersion } from './trace-parts.ts';

const NOTHING: readonly Uint8Array[] = [];

const MIN_TIME_AT = 4;
const MAX_TIME_AT = 12;
const NO_ACTIVITY = new Uint8Array(16);

/** What stands before the events of an event block, and before the metadata of version 4; the times can be set later. */
export function writeEventBlockHead(bytes: NetTraceBytes): void {
  bytes.uint16(EVENT_BLOCK_HEADER_SIZE);
  bytes.uint16(COMPRESSED_HEADERS);
  bytes.uint64(0n);
  bytes.uint64(0n);
}

export class EventBlocks {
  private readonly bytes = new NetTraceBytes();
  private readonly version: WrittenVersion;
  private full = NOTHING;
  private minTicks = 0n;
  private maxTicks = 0n;
  // Of the event before; at the start of a block zero or nothing.
  private metadataId = 0;
  private sequence = 0;
  private captureThreadId = 0;
  private processor = UNKNOWN_PROCESSOR;
  private threadId = 0;
  private stackId = 0;
  private ticks = 0n;
  private activityId: string | undefined;
  private relatedActivityId: string | undefined;
  private labelListId = 0;
  private payloadSize = 0;

  constructor(version: WrittenVersion) {
    this.version = version;
  }

  /**
   * @param sequence the event's number among those of its thread
   * @param stackId 0 for none
   * @param labelListId of version 6; 0 for none
   * @param isSorted whether no event that is written later is older
   * @returns its size. It is in its block when this returns, and not where this throws
   */
  add(
    event: WrittenEvent,
    sequence: number,
    stackId: number,
    labelListId: number,
    isSorted: boolean,
  ): number {
    const { bytes } = this;
    const { ticks } = event;
    if (bytes.length !== bytes.kept) this.takeBack();
    if (bytes.kept >= BLOCK_SIZE) this.close();
    const start = bytes.kept;
    const isFirst = start === 0;
    if (isFirst) this.startBlock(ticks);
    const flagsAt = bytes.length;
    bytes.uint8(0);
    let flags = isSorted ? BlobFlag.Sorted : 0;
    if (event.metadataId !== this.metadataId) {
      flags |= BlobFlag.MetadataId;
      this.metadataId = event.metadataId;
      bytes.varUint(event.metadataId);
    }
    flags |= this.writeThread(event, sequence, isFirst);
    if (stackId !== this.stackId) {
      flags |= BlobFlag.Stack;
      this.stackId = stackId;
      bytes.varUint(stackId);
    }
    bytes.varUint64(ticks - this.ticks);
    flags |=
      this.version === FormatVersion.V6 ? this.writeLabelList(labelListId) : this.writeActivities(event);
    const { payload } = event;
    const payloadSize = payload.length;
    if (payloadSize !== this.payloadSize) {
      flags |= BlobFlag.PayloadSize;
      this.payloadSize = payloadSize;
      bytes.varUint(payloadSize);
    }
    bytes.bytes(payload);
    bytes.setBits(flagsAt, flags);
    let { minTicks, maxTicks } = this;
    if (ticks < minTicks) minTicks = ticks;
    if (ticks > maxTicks) maxTicks = ticks;
    // No calls from here on: all of this happens, or nothing.
    this.ticks = ticks;
    this.minTicks = minTicks;
    this.maxTicks = maxTicks;
    bytes.kept = bytes.length;
    return bytes.kept - start;
  }

  /** All whole events since `clear`, in blocks that are there until the next event. */
  blocks(): readonly Uint8Array[] {
    if (this.bytes.kept === 0) return this.full;
    this.setTimes();
    return [...this.full, this.bytes.whole()];
  }

  /** Starts anew, with the memory that is there. */
  clear(): void {
    this.full = NOTHING;
    this.bytes.length = 0;
    this.bytes.kept = 0;
  }

  /** An event was given up amid. What comes next cannot refer to it, as events of one block do. */
  private takeBack(): void {
    if (this.bytes.kept > 0) this.close();
    else this.bytes.length = 0;
  }

  private startBlock(ticks: bigint): void {
    writeEventBlockHead(this.bytes);
    this.minTicks = ticks;
    this.maxTicks = ticks;
    this.metadataId = 0;
    this.sequence = 0;
    this.captureThreadId = 0;
    this.threadId = 0;
    this.stackId = 0;
    this.ticks = 0n;
    this.activityId = undefined;
    this.relatedActivityId = undefined;
    this.labelListId = 0;
    this.payloadSize = 0;
  }

  private close(): void {
    this.setTimes();
    const full = [...this.full, this.bytes.wholeCopy()];
    this.full = full;
    this.bytes.length = 0;
    this.bytes.kept = 0;
  }

  private setTimes(): void {
    this.bytes.setInt64(MIN_TIME_AT, this.minTicks);
    this.bytes.setInt64(MAX_TIME_AT, this.maxTicks);
  }

  private writeThread(event: WrittenEvent, sequence: number, isFirst: boolean): number {
    const { thread, ofThread = thread, processor = UNKNOWN_PROCESSOR } = event;
    const delta = (sequence - this.sequence - 1) >>> 0;
    const isSame = thread.id === this.captureThreadId && processor === this.processor && delta === 0;
    this.sequence = sequence;
    let flags = 0;
    if (isFirst || !isSame) {
      flags |= BlobFlag.CaptureThread;
      this.captureThreadId = thread.id;
      this.processor = processor;
      this.bytes.varUint(delta);
      this.bytes.varId64(thread.id);
      this.bytes.varUint(processor);
    }
    if (ofThread.id !== this.threadId) {
      flags |= BlobFlag.Thread;
      this.threadId = ofThread.id;
      this.bytes.varId64(ofThread.id);
    }
    return flags;
  }

  private writeLabelList(labelListId: number): number {
    if (labelListId === this.labelListId) return 0;
    this.labelListId = labelListId;
    this.bytes.varUint(labelListId);
    return BlobFlag.LabelList;
  }

  private writeActivities({ activityId, relatedActivityId }: WrittenEvent): number {
    let flags = 0;
    if (activityId !== this.activityId) {
      flags |= BlobFlag.ActivityId;
      this.activityId = activityId;
      this.bytes.bytes(activityId === undefined ? NO_ACTIVITY : guidBytes(activityId));
    }
    if (relatedActivityId !== this.relatedActivityId) {
      flags |= BlobFlag.RelatedActivityId;
      this.relatedActivityId = relatedActivityId;
      this.bytes.bytes(relatedActivityId === undefined ? NO_ACTIVITY : guidBytes(relatedActivityId));
    }
    return flags;
  }
}
