/**
 * Encodes events into rounds: each contains the blocks of a period of time. Any number of traces can be made from the
 * rounds, each beginning with a different round; see `NetTracePieces`.
 *
 * Each method completes or has no effect, even if it is interrupted: an application that catches its stack overflow
 * continues to write events. See `NetTraceBytes`.
 */
import { FormatVersion } from '../constants.ts';
import { EventBlocks } from './event-block.ts';
import { LabelPlaces } from './label-lists.ts';
import { writeMetadataRowV4 } from './metadata-v4-row.ts';
import { writeMetadataRowV6 } from './metadata-v6-row.ts';
import type { RoundsBefore } from './nettrace-pieces.ts';
import { Epoch, Round, type Thread, type WrittenRound } from './round.ts';
import { BLOCK_SIZE, RowBlocks } from './row-blocks.ts';
import { writeThreadRow } from './thread-row.ts';
import type {
  EventSink,
  ThreadHandle,
  WrittenEvent,
  WrittenMetadata,
  WrittenThread,
  WrittenVersion,
} from './trace-parts.ts';

/**
 * - `time`: all events arrive in time order. Readers can show them immediately, and in this order
 * - `thread`: only each thread's events do; until a round is complete, threads may arrive in any order
 */
export type EventOrderGiven = 'time' | 'thread';

/** A block has less than 16 MiB, including what precedes the payload: an event with a larger payload is dropped. */
const MAX_PAYLOAD_SIZE = (1 << 24) - 2 * BLOCK_SIZE;
/** Readers do not accept more missing events of one thread between two sequence points. */
const MAX_DROPPED = 0x7fff_ffff;
/** The memory for one thread's events is about 100 KB and is reused: at most this many are retained. */
const MAX_SPARE = 16;

/** The ids of kinds and threads that another thread assigns in the same trace start here. */
export const APART = 0x1000_0000;

/** Bytes of metadata retained for traces that begin later. */
const MAX_KEPT = 1 << 20;

export class NetTraceRounds implements EventSink {
  readonly #version: WrittenVersion;
  readonly #pointerSize: 4 | 8;
  readonly #order: EventOrderGiven;
  readonly #places = new LabelPlaces();
  #lastThreadIndex: number;
  /** Running threads. In version 4, their ids are the system's: if an id is reused, its numbers continue. */
  readonly #threads = new Map<number, { readonly thread: Thread; readonly described: WrittenThread }>();
  #round: Round;
  #lastMetadataId: number;
  /** All metadata, for traces that begin later; undefined if there can be none. */
  #metadata: readonly Uint8Array[] | undefined;

  /**
   * @param isShared whether traces may begin with a later round than the first
   * @param idsBefore the first ids come after it
   */
  constructor(
    version: WrittenVersion,
    pointerSize: 4 | 8,
    order: EventOrderGiven,
    isShared = false,
    idsBefore = 0,
  ) {
    this.#lastMetadataId = idsBefore;
    this.#lastThreadIndex = idsBefore;
    this.#metadata = isShared ? [] : undefined;
    this.#version = version;
    this.#pointerSize = pointerSize;
    this.#order = order;
    this.#round = new Round(1, new Epoch(1), version, this.#places, []);
  }

  /** The approximate size of the next round, without descriptions of events and threads. */
  get pendingBytes(): number {
    const { stacks, labelLists, eventBytes } = this.#round;
    return stacks.pendingBytes + labelLists.pendingBytes + eventBytes;
  }

  /** Describes a kind of events. @returns its id */
  define(metadata: WrittenMetadata): number {
    const id = this.#lastMetadataId + 1;
    const writeRow = this.#version === FormatVersion.V6 ? writeMetadataRowV6 : writeMetadataRowV4;
    this.#round.metadata.add((bytes) => writeRow(bytes, id, metadata));
    this.#lastMetadataId = id;
    return id;
  }

  /** Adds a thread. Call it once per thread, because version 6 treats each call as a new thread. */
  thread(thread: WrittenThread): ThreadHandle {
    const isV6 = this.#version === FormatVersion.V6;
    const id = isV6 ? this.#lastThreadIndex + 1 : (thread.threadId ?? 0);
    const known = isV6 ? undefined : this.#threads.get(id);
    if (known !== undefined) return known.thread;
    const added = newThread(id, 0);
    // If interrupted after this, the next thread replaces it.
    this.#threads.set(id, { thread: added, described: thread });
    if (isV6) this.#round.threadRows.add((bytes) => writeThreadRow(bytes, id, thread));
    this.#lastThreadIndex++;
    return added;
  }

  /** A thread that will not write again. Version 6 tells its readers to forget it. */
  removeThread(thread: ThreadHandle): void {
    if (this.#version !== FormatVersion.V6) return;
    this.#round.epoch.removed.add(thread as Thread);
    this.#threads.delete(thread.id);
  }

  /**
   * Takes the next event. One that is too large for the format is reported as missing. The event is in the round if
   * this returns, and not if this throws.
   */
  write(event: WrittenEvent): void {
    const thread = event.thread as Thread;
    if ((event.payloadSize ?? event.payload.length) > MAX_PAYLOAD_SIZE) {
      this.drop(thread, 1);
      return;
    }
    const round = this.#round;
    if (thread.epoch !== round.epoch.number) this.#touch(thread);
    const events =
      thread.round === round.number ? (round.blocks[thread.blocksAt] as EventBlocks) : this.#eventsOf(thread);
    const stackId = event.stack === undefined ? 0 : this.#stackOf(event.stack);
    const labelListId = this.#version === FormatVersion.V6 ? round.labelLists.numberOf(event) : 0;
    const sequence = (thread.sequence + 1) >>> 0;
    const size = events.add(event, sequence, stackId, labelListId, this.#order === 'time');
    // No calls from here on: the event is in the round.
    thread.sequence = sequence;
    thread.eventEpoch = round.epoch.number;
    round.eventBytes += size;
    round.eventCount++;
  }

  /** Records that events of the thread are missing. In time order, only after its first event. */
  drop(thread: ThreadHandle, count: number): void {
    const dropped = thread as Thread;
    this.#touch(dropped);
    dropped.sequence = (dropped.sequence + Math.min(count, MAX_DROPPED)) >>> 0;
  }

  /**
   * The round of everything so far; undefined if it is empty.
   *
   * @param isComplete whether all events up to now have arrived: see `WrittenRound.isComplete`
   */
  take(isComplete: boolean): WrittenRound | undefined {
    const round = this.#round;
    const { epoch, blocks } = round;
    const hasTold = isComplete && epoch.touched.size + epoch.removed.size > 0;
    if (!hasTold && round.isEmpty) return undefined;
    const taken: WrittenRound = {
      metadata: round.metadata.blocks(),
      threadRows: round.threadRows.blocks(),
      stacks: round.stacks.blocks(),
      labelLists: round.labelLists.blocks(),
      events: blocks.flatMap((events) => events.blocks()),
      eventCount: round.eventCount,
      ticks: newest(blocks),
      isComplete,
      touched: isComplete ? Array.from(epoch.touched, (thread) => epoch.touchedThread(thread)) : [],
      removed: isComplete ? Array.from(epoch.removed, (thread) => epoch.touchedThread(thread)) : [],
    };
    const nextEpoch = isComplete ? new Epoch(epoch.number + 1) : epoch;
    const spare = [...round.spare, ...blocks].slice(0, MAX_SPARE);
    const metadata = kept(this.#metadata, taken.metadata);
    const next = new Round(round.number + 1, nextEpoch, this.#version, this.#places, spare);
    // No calls: the caller gets each round exactly once.
    this.#round = next;
    this.#metadata = metadata;
    return taken;
  }

  /**
   * What a trace that begins with the next round needs; undefined if none can begin there, because this round is not
   * empty, or there is too much metadata.
   */
  before(): RoundsBefore | undefined {
    const round = this.#round;
    const metadata = this.#metadata;
    if (metadata === undefined || !round.isEmpty || round.epoch.touched.size > 0) return undefined;
    const isV6 = this.#version === FormatVersion.V6;
    const threads = [...this.#threads.values()].filter(
      ({ thread: { id } }) => !isV6 || id <= this.#lastThreadIndex,
    );
    const rows = new RowBlocks(() => {});
    if (isV6) {
      for (const { thread, described } of threads) {
        rows.add((bytes) => writeThreadRow(bytes, thread.id, described));
      }
    }
    const numbers = threads.map(({ thread: { id, sequence } }) => ({ id, sequence }));
    return { metadata, threadRows: rows.blocks(), numbers };
  }

  /** Additional rounds for a single trace: their ids continue after all ids so far. */
  apart(): NetTraceRounds {
    const apart = new NetTraceRounds(this.#version, this.#pointerSize, this.#order);
    apart.#lastMetadataId = this.#lastMetadataId;
    apart.#lastThreadIndex = this.#lastThreadIndex;
    return apart;
  }

  /** A thread of other rounds, whose numbers continue. */
  adopted({ id, sequence }: ThreadHandle): ThreadHandle {
    return newThread(id, sequence);
  }

  #touch(thread: Thread): void {
    const { epoch } = this.#round;
    epoch.touched.add(thread);
    thread.epoch = epoch.number;
  }

  #eventsOf(thread: Thread): EventBlocks {
    const { number, blocks } = this.#round;
    if (this.#order === 'time') return blocks[0] ?? this.#newBlocks();
    const events = this.#newBlocks();
    thread.blocksAt = blocks.length - 1;
    thread.round = number;
    return events;
  }

  #newBlocks(): EventBlocks {
    const { spare, blocks } = this.#round;
    const events = spare.pop() ?? new EventBlocks(this.#version);
    events.clear();
    blocks.push(events);
    return events;
  }

  #stackOf(stack: readonly bigint[]): number {
    if (stack.length === 0) return 0;
    return this.#round.stacks.numberOf(stack.join(), (bytes) => {
      bytes.uint32(stack.length * this.#pointerSize);
      for (const address of stack) {
        if (this.#pointerSize === 8) bytes.uint64(address);
        else bytes.uint32(Number(BigInt.asUintN(32, address)));
      }
    });
  }
}

function newThread(id: number, sequence: number): Thread {
  return { id, sequence, round: 0, blocksAt: 0, epoch: 0, eventEpoch: 0 };
}

/** Returns undefined if there is too much. */
function kept(
  before: readonly Uint8Array[] | undefined,
  added: readonly Uint8Array[],
): readonly Uint8Array[] | undefined {
  if (before === undefined || added.length === 0) return before;
  const all = [...before, ...added];
  return all.reduce((size, { length }) => size + length, 0) > MAX_KEPT ? undefined : all;
}

function newest(blocks: readonly EventBlocks[]): bigint | undefined {
  let ticks: bigint | undefined;
  for (const { newestTicks } of blocks) {
    if (newestTicks !== undefined && (ticks === undefined || newestTicks > ticks)) ticks = newestTicks;
  }
  return ticks;
}
