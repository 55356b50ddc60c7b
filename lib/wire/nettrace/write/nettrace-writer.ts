/**
 * Writes a nettrace of version 4 or 6 as its events come, in pieces.
 *
 * What events refer to (metadata, threads, stacks, labels) stands before them. A sequence point ends each piece:
 * it tells the numbers of the threads' last events, by which readers notice that some are missing, and lets them
 * forget stacks and labels.
 *
 * Each method does all of its work or none, even where it cannot run to its end: an application that catches its
 * stack overflow goes on writing events. See `NetTraceBytes`.
 */
import { BlockKind, FormatVersion } from '../constants.ts';
import { EventBlocks } from './event-block.ts';
import { FramingV4, FramingV6, type WrittenFraming } from './framing.ts';
import { labelListKey, writeLabelList } from './label-list-row.ts';
import { writeMetadataRowV4 } from './metadata-v4-row.ts';
import { writeMetadataRowV6 } from './metadata-v6-row.ts';
import { newEpoch, Round } from './round.ts';
import { BLOCK_SIZE } from './row-blocks.ts';
import { MAX_DROPPED, removals, sequencePoints, settleLosses, type Thread } from './sequence-points.ts';
import { writeThreadRow } from './thread-row.ts';
import { traceBlock } from './trace-block.ts';
import type {
  ThreadHandle,
  WrittenEvent,
  WrittenMetadata,
  WrittenThread,
  WrittenTrace,
  WrittenVersion,
} from './trace-parts.ts';

/**
 * - `time`: all events come in the order of time. Readers show them as early as they come, and in this order
 * - `thread`: only those of each thread do; between two calls of `flush`, threads may come in any order
 */
export type EventOrderGiven = 'time' | 'thread';

/** A block has less than 16 MiB, with what stands in it before: an event with a larger payload is dropped. */
const MAX_PAYLOAD_SIZE = (1 << 24) - 2 * BLOCK_SIZE;
/** Threads come and go, and the memory for the events of one has about 100 KB: of so many it is kept. */
const MAX_SPARE = 16;
const NOTHING = new Uint8Array(0);

export class NetTraceWriter {
  private readonly version: WrittenVersion;
  private readonly pointerSize: 4 | 8;
  private readonly order: EventOrderGiven;
  private readonly framing: WrittenFraming;
  private lastThreadIndex = 0;
  /** Of version 4, whose ids are the system's: one that comes back has its numbers go on. */
  private readonly threadsById = new Map<number, Thread>();
  private round: Round;
  private lastMetadataId = 0;
  /** The newest event's; before the first one, the trace's start. */
  private lastTicks: bigint;
  private hasEvents = false;

  constructor(version: WrittenVersion, trace: WrittenTrace, order: EventOrderGiven = 'time') {
    this.version = version;
    this.pointerSize = trace.pointerSize;
    this.order = order;
    this.lastTicks = trace.syncTicks;
    this.round = new Round(1, newEpoch(1), version, []);
    this.framing = version === FormatVersion.V6 ? new FramingV6() : new FramingV4();
    this.framing.start();
    this.framing.block(BlockKind.Trace, traceBlock(version, trace));
    this.framing.bytes.kept = this.framing.bytes.length;
  }

  /** About how many bytes `flush` has to give, without descriptions of events and threads. */
  get pendingBytes(): number {
    const { stacks, labelLists, eventBytes } = this.round;
    return this.framing.bytes.kept + stacks.pendingBytes + labelLists.pendingBytes + eventBytes;
  }

  /** Describes a kind of events. @returns its id */
  define(metadata: WrittenMetadata): number {
    const id = this.lastMetadataId + 1;
    const writeRow = this.version === FormatVersion.V6 ? writeMetadataRowV6 : writeMetadataRowV4;
    this.round.metadata.add((bytes) => writeRow(bytes, id, metadata));
    this.lastMetadataId = id;
    return id;
  }

  /** Adds a thread. To be called once for each, since version 6 takes them for different ones. */
  thread(thread: WrittenThread): ThreadHandle {
    const isV6 = this.version === FormatVersion.V6;
    const id = isV6 ? this.lastThreadIndex + 1 : (thread.threadId ?? 0);
    const known = this.threadsById.get(id);
    if (known !== undefined) return known;
    const added: Thread = {
      id,
      sequence: 0,
      round: 0,
      blocksAt: 0,
      lostBefore: 0,
      lostIn: 0,
    };
    if (isV6) this.round.threadRows.add((bytes) => writeThreadRow(bytes, id, thread));
    else this.threadsById.set(id, added);
    this.lastThreadIndex++;
    return added;
  }

  /** A thread that writes nothing from now on. Version 6 has its readers forget it. */
  removeThread(thread: ThreadHandle): void {
    if (this.version === FormatVersion.V6) this.round.epoch.removed.add(thread as Thread);
  }

  /**
   * Takes the next event. Of one that is too large for the format, the trace tells that it is missing. The event
   * is in the trace when this returns, and not where this throws.
   */
  write(event: WrittenEvent): void {
    const thread = event.thread as Thread;
    if (event.payload.length > MAX_PAYLOAD_SIZE) {
      this.drop(thread, 1);
      return;
    }
    const { round } = this;
    settleLosses(thread, round.epoch.number);
    round.epoch.touched.add(thread);
    const events = this.eventsOf(thread);
    const stackId = this.stackOf(event);
    const labelListId = this.labelListOf(event);
    const sequence = (thread.sequence + 1) >>> 0;
    const { ticks } = event;
    const isNewest = ticks > this.lastTicks || !this.hasEvents;
    const size = events.add(event, sequence, stackId, labelListId, this.order === 'time');
    // No calls from here on: the event is there.
    thread.sequence = (sequence + thread.lostBefore) >>> 0;
    thread.lostBefore = 0;
    if (isNewest) this.lastTicks = ticks;
    this.hasEvents = true;
    round.eventBytes += size;
  }

  /** Notes that events of the thread are missing. */
  drop(thread: ThreadHandle, count: number): void {
    const dropped = thread as Thread;
    const { epoch } = this.round;
    const noted = Math.min(count, MAX_DROPPED);
    settleLosses(dropped, epoch.number);
    epoch.touched.add(dropped);
    if (this.version === FormatVersion.V4 && dropped.sequence === 0) {
      dropped.lostBefore += noted;
      dropped.lostIn = epoch.number;
    } else {
      dropped.sequence = (dropped.sequence + noted) >>> 0;
    }
  }

  /**
   * The next piece of the trace: everything up to here, and a sequence point if there have been events. Events
   * that come later are not to be older than those before.
   */
  flush(): Uint8Array {
    return this.takePiece(true, false);
  }

  /**
   * The same without a sequence point: in the order of threads, later events of other threads may be older still.
   * Readers keep the events until there is one.
   */
  flushOpen(): Uint8Array {
    return this.takePiece(false, false);
  }

  /** The last piece of the trace. */
  end(): Uint8Array {
    return this.takePiece(true, true);
  }

  /** What is not whole in the end is as it was before, to be taken by the next call. */
  private takePiece(isComplete: boolean, isLast: boolean): Uint8Array {
    const { framing, round } = this;
    const { bytes } = framing;
    // A piece may have been given up amid.
    bytes.length = bytes.kept;
    const { touched, removed } = round.epoch;
    this.addBlocks();
    let { epoch } = round;
    if (isComplete && touched.size > 0) {
      const points = sequencePoints(this.version, this.lastTicks, touched);
      for (const point of points) framing.block(BlockKind.SequencePoint, point);
      epoch = newEpoch(epoch.number + 1);
    }
    if (isComplete && removed.size > 0) {
      framing.block(BlockKind.RemoveThread, removals(removed));
      epoch = { ...epoch, removed: new Set() };
    }
    if (isLast) framing.end();
    if (bytes.length === 0) return NOTHING;
    const spare = [...round.spare, ...round.blocks].slice(0, MAX_SPARE);
    const next = new Round(round.number + 1, epoch, this.version, spare);
    const piece = bytes.copy();
    const size = piece.length;
    // No calls from here on: whoever gets the piece can be sure that nothing of it comes again.
    this.round = next;
    framing.taken += size;
    bytes.length = 0;
    bytes.kept = 0;
    return piece;
  }

  private addBlocks(): void {
    const { framing, round } = this;
    const add = (kind: number, blocks: readonly Uint8Array[]): void => {
      for (const block of blocks) framing.block(kind, block);
    };
    add(BlockKind.Metadata, round.metadata.blocks());
    add(BlockKind.Thread, round.threadRows.blocks());
    add(BlockKind.Stack, round.stacks.blocks());
    add(BlockKind.LabelList, round.labelLists.blocks());
    for (const events of round.blocks) add(BlockKind.Event, events.blocks());
  }

  private eventsOf(thread: Thread): EventBlocks {
    const { number, blocks } = this.round;
    if (this.order === 'time') return blocks[0] ?? this.newBlocks();
    if (thread.round === number) return blocks[thread.blocksAt] as EventBlocks;
    const events = this.newBlocks();
    thread.round = number;
    thread.blocksAt = blocks.length - 1;
    return events;
  }

  private newBlocks(): EventBlocks {
    const { spare, blocks } = this.round;
    const events = spare.pop() ?? new EventBlocks(this.version);
    events.clear();
    blocks.push(events);
    return events;
  }

  private stackOf({ stack }: WrittenEvent): number {
    if (stack === undefined || stack.length === 0) return 0;
    return this.round.stacks.numberOf(stack.join(), (bytes) => {
      bytes.uint32(stack.length * this.pointerSize);
      for (const address of stack) {
        if (this.pointerSize === 8) bytes.uint64(address);
        else bytes.uint32(Number(BigInt.asUintN(32, address)));
      }
    });
  }

  private labelListOf(event: WrittenEvent): number {
    if (this.version !== FormatVersion.V6) return 0;
    const key = labelListKey(event);
    return key === '' ? 0 : this.round.labelLists.numberOf(key, (bytes) => writeLabelList(bytes, event));
  }
}
