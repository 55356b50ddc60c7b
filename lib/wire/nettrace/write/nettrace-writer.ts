/**
 * Writes a nettrace of version 4 or 6 as its events come, in pieces.
 *
 * What events refer to (metadata, threads, stacks, labels) stands before them. A sequence point ends each piece:
 * it tells the numbers of the threads' last events, by which readers notice that some are missing, and lets them
 * forget stacks and labels.
 */
import { BlockKind, FormatVersion } from '../constants.ts';
import { NetTraceBytes } from './byte-writer.ts';
import { EventBlocks, writeEventBlockHead } from './event-block.ts';
import { FramingV4, FramingV6, type WrittenFraming } from './framing.ts';
import { labelListKey, writeLabelList } from './label-list-row.ts';
import { writeMetadataRowV4 } from './metadata-v4-row.ts';
import { writeMetadataRowV6 } from './metadata-v6-row.ts';
import { BLOCK_SIZE, NumberedRows, RowBlocks } from './row-blocks.ts';
import { writeThreadRow } from './thread-row.ts';
import { traceBlock } from './trace-block.ts';
import type {
  ThreadHandle,
  WrittenEvent,
  WrittenMetadata,
  WrittenThread,
  WrittenTrace,
  WrittenVersion,
} from './written.ts';

/**
 * - `time`: all events come in the order of time. Readers show them as early as they come, and in this order
 * - `thread`: only those of each thread do; between two calls of `flush`, threads may come in any order
 */
export type EventOrderGiven = 'time' | 'thread';

/** A block has less than 16 MiB, with what stands in it before: an event with a larger payload is dropped. */
const MAX_PAYLOAD_SIZE = (1 << 24) - 2 * BLOCK_SIZE;
/** More than so many missing events, of one thread between two sequence points, readers do not take for such. */
const MAX_DROPPED = 0x7fff_ffff;
/** Threads come and go, and the memory for the events of one has about 100 KB: of so many it is kept. */
const MAX_SPARE = 16;

interface Thread extends ThreadHandle {
  sequence: number;
  /** Where events are in the order of their threads: those since the last flush. */
  events: EventBlocks | undefined;
}

export class NetTraceWriter {
  private readonly version: WrittenVersion;
  private readonly pointerSize: 4 | 8;
  private readonly framing: WrittenFraming;
  private readonly metadata: RowBlocks;
  private readonly threadRows = new RowBlocks(() => {});
  private readonly stacks = new NumberedRows();
  private readonly labelLists = new NumberedRows();
  private lastThreadIndex = 0;
  /** Of version 4, whose ids are the system's: one that comes back has its numbers go on. */
  private readonly threadsById = new Map<number, Thread>();
  /** Of version 6: those that end with the next sequence point. */
  private readonly removed = new Set<Thread>();
  /** Where events are in the order of time, those of all threads. */
  private readonly events: EventBlocks | undefined;
  /** Threads with events or losses since the last sequence point. */
  private readonly touched = new Set<Thread>();
  private readonly spare: EventBlocks[] = [];
  /** In the blocks of all threads. */
  private eventBytes = 0;
  private lastMetadataId = 0;
  /** The newest event's; before the first one, the trace's start. */
  private lastTicks: bigint;
  private hasEvents = false;

  constructor(version: WrittenVersion, trace: WrittenTrace, order: EventOrderGiven = 'time') {
    const isV6 = version === FormatVersion.V6;
    this.version = version;
    this.pointerSize = trace.pointerSize;
    this.lastTicks = trace.syncTicks;
    this.framing = isV6 ? new FramingV6() : new FramingV4();
    this.metadata = new RowBlocks(isV6 ? (bytes) => bytes.uint16(0) : writeEventBlockHead);
    this.events = order === 'time' ? new EventBlocks(version) : undefined;
    this.framing.start();
    this.framing.block(BlockKind.Trace, traceBlock(version, trace));
  }

  /** About how many bytes `flush` has to give, without descriptions of events and threads. */
  get pendingBytes(): number {
    const { framing, stacks, labelLists } = this;
    return framing.pendingBytes + stacks.pendingBytes + labelLists.pendingBytes + this.eventBytes;
  }

  /** Describes a kind of events. @returns its id */
  define(metadata: WrittenMetadata): number {
    const id = ++this.lastMetadataId;
    const writeRow = this.version === FormatVersion.V6 ? writeMetadataRowV6 : writeMetadataRowV4;
    this.metadata.add((bytes) => writeRow(bytes, id, metadata));
    return id;
  }

  /** Adds a thread. To be called once for each, since version 6 takes them for different ones. */
  thread(thread: WrittenThread): ThreadHandle {
    const isV6 = this.version === FormatVersion.V6;
    const id = isV6 ? ++this.lastThreadIndex : (thread.threadId ?? 0);
    const known = this.threadsById.get(id);
    if (known !== undefined) return known;
    const added: Thread = { id, sequence: 0, events: undefined };
    if (isV6) this.threadRows.add((bytes) => writeThreadRow(bytes, id, thread));
    else this.threadsById.set(id, added);
    return added;
  }

  /** A thread that writes nothing from now on. Version 6 has its readers forget it. */
  removeThread(thread: ThreadHandle): void {
    if (this.version === FormatVersion.V6) this.removed.add(thread as Thread);
  }

  /** Takes the next event. Of one that is too large for the format, the trace tells that it is missing. */
  write(event: WrittenEvent): void {
    const thread = event.thread as Thread;
    if (event.payload.length > MAX_PAYLOAD_SIZE) {
      this.drop(thread, 1);
      return;
    }
    thread.sequence = (thread.sequence + 1) >>> 0;
    this.touched.add(thread);
    if (event.ticks > this.lastTicks || !this.hasEvents) this.lastTicks = event.ticks;
    this.hasEvents = true;
    const events = this.events ?? this.eventsOf(thread);
    const before = events.pendingBytes;
    events.add(event, this.stackOf(event), this.labelListOf(event), this.events !== undefined);
    this.eventBytes += events.pendingBytes - before;
  }

  /** Notes that events of the thread are missing. */
  drop(thread: ThreadHandle, count: number): void {
    const dropped = thread as Thread;
    dropped.sequence = (dropped.sequence + Math.min(count, MAX_DROPPED)) >>> 0;
    this.touched.add(dropped);
  }

  /**
   * The next piece of the trace: everything up to here, and a sequence point if there have been events. Events
   * that come later are not to be older than those before.
   */
  flush(): Uint8Array {
    this.addBlocks();
    if (this.touched.size > 0) {
      this.framing.block(BlockKind.SequencePoint, this.sequencePoint());
      this.stacks.forget();
      this.labelLists.forget();
    }
    if (this.removed.size > 0) this.framing.block(BlockKind.RemoveThread, this.removals());
    return this.framing.take();
  }

  /**
   * The same without a sequence point: in the order of threads, later events of other threads may be older still.
   * Readers keep the events until there is one.
   */
  flushOpen(): Uint8Array {
    this.addBlocks();
    return this.framing.take();
  }

  /** The last piece of the trace. */
  end(): Uint8Array {
    const last = this.flush();
    this.framing.end();
    return Buffer.concat([last, this.framing.take()]);
  }

  private addBlocks(): void {
    const { framing } = this;
    const add = (kind: number, blocks: readonly Uint8Array[]): void => {
      for (const block of blocks) framing.block(kind, block);
    };
    add(BlockKind.Metadata, this.metadata.take());
    add(BlockKind.Thread, this.threadRows.take());
    add(BlockKind.Stack, this.stacks.take());
    add(BlockKind.LabelList, this.labelLists.take());
    if (this.events !== undefined) add(BlockKind.Event, this.events.take());
    else for (const thread of this.touched) add(BlockKind.Event, this.takeEventsOf(thread));
    this.eventBytes = 0;
  }

  private eventsOf(thread: Thread): EventBlocks {
    thread.events ??= this.spare.pop() ?? new EventBlocks(this.version);
    return thread.events;
  }

  private takeEventsOf(thread: Thread): readonly Uint8Array[] {
    const { events } = thread;
    if (events === undefined) return [];
    thread.events = undefined;
    if (this.spare.length < MAX_SPARE) this.spare.push(events);
    return events.take();
  }

  private stackOf({ stack }: WrittenEvent): number {
    if (stack === undefined || stack.length === 0) return 0;
    return this.stacks.numberOf(stack.join(), (bytes) => {
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
    return key === '' ? 0 : this.labelLists.numberOf(key, (bytes) => writeLabelList(bytes, event));
  }

  private sequencePoint(): Uint8Array {
    const bytes = new NetTraceBytes();
    bytes.uint64(this.lastTicks);
    const isV6 = this.version === FormatVersion.V6;
    if (isV6) bytes.uint32(0);
    bytes.uint32(this.touched.size);
    for (const { id, sequence } of this.touched) {
      if (isV6) {
        bytes.varUint(id);
        bytes.varUint(sequence);
      } else {
        bytes.uint64(BigInt(id));
        bytes.uint32(sequence);
      }
    }
    this.touched.clear();
    return bytes.take();
  }

  /** Behind the sequence point, which may speak of the threads. */
  private removals(): Uint8Array {
    const bytes = new NetTraceBytes();
    for (const { id, sequence } of this.removed) {
      bytes.varUint(id);
      bytes.varUint(sequence);
    }
    this.removed.clear();
    return bytes.take();
  }
}
