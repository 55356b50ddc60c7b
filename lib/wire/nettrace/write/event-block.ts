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
import type { WrittenEvent, WrittenVersion } from './written.ts';

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
  private full: Uint8Array[] = [];
  private fullSize = 0;
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

  get pendingBytes(): number {
    return this.fullSize + this.bytes.length;
  }

  /**
   * @param stackId 0 for none
   * @param labelListId of version 6; 0 for none
   * @param isSorted whether no event that is written later is older
   */
  add(event: WrittenEvent, stackId: number, labelListId: number, isSorted: boolean): void {
    const { bytes } = this;
    const isFirst = bytes.length === 0;
    if (isFirst) this.startBlock(event.ticks);
    const flagsAt = bytes.length;
    bytes.uint8(0);
    let flags = isSorted ? BlobFlag.Sorted : 0;
    if (event.metadataId !== this.metadataId) {
      flags |= BlobFlag.MetadataId;
      this.metadataId = event.metadataId;
      bytes.varUint(event.metadataId);
    }
    flags |= this.writeThread(event, isFirst);
    if (stackId !== this.stackId) {
      flags |= BlobFlag.Stack;
      this.stackId = stackId;
      bytes.varUint(stackId);
    }
    this.writeTime(event.ticks);
    flags |=
      this.version === FormatVersion.V6 ? this.writeLabelList(labelListId) : this.writeActivities(event);
    const { payload } = event;
    if (payload.length !== this.payloadSize) {
      flags |= BlobFlag.PayloadSize;
      this.payloadSize = payload.length;
      bytes.varUint(payload.length);
    }
    bytes.bytes(payload);
    bytes.current()[flagsAt] = flags;
    if (bytes.length >= BLOCK_SIZE) this.close();
  }

  /** The blocks of all events since the last call. */
  take(): readonly Uint8Array[] {
    if (this.bytes.length > 0) this.close();
    const blocks = this.full;
    this.full = [];
    this.fullSize = 0;
    return blocks;
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
    this.bytes.setInt64(MIN_TIME_AT, this.minTicks);
    this.bytes.setInt64(MAX_TIME_AT, this.maxTicks);
    this.fullSize += this.bytes.length;
    this.full.push(this.bytes.take());
  }

  private writeThread(event: WrittenEvent, isFirst: boolean): number {
    const { thread, ofThread = thread, processor = UNKNOWN_PROCESSOR } = event;
    const delta = (thread.sequence - this.sequence - 1) >>> 0;
    const isSame = thread.id === this.captureThreadId && processor === this.processor && delta === 0;
    this.sequence = thread.sequence;
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

  private writeTime(ticks: bigint): void {
    this.bytes.varUint64(ticks - this.ticks);
    this.ticks = ticks;
    if (ticks < this.minTicks) this.minTicks = ticks;
    if (ticks > this.maxTicks) this.maxTicks = ticks;
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
