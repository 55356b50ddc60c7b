/**
 * Makes a nettrace of version 4 or 6 in chunks from the rounds of a `NetTraceRounds`.
 *
 * What events refer to (metadata, threads, stacks, labels) precedes them. A sequence point ends each complete round: it
 * contains the numbers of the threads' last events, with which readers detect missing ones, and lets readers forget
 * stacks and labels.
 *
 * A trace may begin with any round, because the only part of a block that differs between traces is the number of its
 * first event.
 */

import { MAX_VARINT_SIZE, putVarUint } from '../../../base/byte-writer.ts';
import { BlockKind, FormatVersion } from '../constants.ts';
import type { WrittenBlock } from './event-block.ts';
import {
  FramingV4,
  FramingV6,
  NO_PIECE,
  type Piece,
  pieceBytes,
  pieceSize,
  type WrittenFraming,
} from './framing.ts';
import type { WrittenRound } from './round.ts';
import { removals, sequencePoint, type ThreadNumber, type TouchedThread } from './sequence-points.ts';
import { traceBlock } from './trace-block.ts';
import type { WrittenTrace, WrittenVersion } from './trace-parts.ts';

/** A thread without a number has this one in version 4: see `Numbering`. */
const FIRST_NUMBER = 1;

/** How a thread's events are numbered in the trace: as in the rounds, minus the base. */
interface Numbering {
  readonly base: number;
  /**
   * Whether readers know a number of the thread. Readers of version 4 detect a gap only after a known number that is
   * not 0: events missing before the first one are reported after it, with the next number.
   */
  readonly isTold: boolean;
  readonly owed: number;
}

const AS_IN_ROUNDS: Numbering = { base: 0, isTold: false, owed: 0 };

/** What a trace that begins later needs from earlier rounds. */
export interface RoundsBefore {
  readonly metadata: readonly Uint8Array[];
  readonly threadRows: readonly Uint8Array[];
  /** The numbers of all threads. */
  readonly numbers: readonly ThreadNumber[];
}

/** A chunk of a trace. */
export interface TraceChunk {
  readonly piece: Piece;
  /** The size is in bytes. */
  readonly size: number;
  /** The number of events in the trace up to its end. */
  readonly events: number;
}

/** The state of the trace so far. Replaced as a whole when a chunk is complete. */
interface Told {
  /** Holds threads that are numbered differently from the rounds and, in version 4, all threads. */
  numberings: ReadonlyMap<number, Numbering>;
  /** The time of the newest event; before the first one, the start of the trace. */
  lastTicks: bigint;
  hasEvents: boolean;
  /** Whether events are omitted until the next sequence point, including labels and stacks. */
  isSkipping: boolean;
  events: number;
  /** The number of omitted events. */
  leftOut: number;
}

export class NetTracePieces {
  readonly #isV4: boolean;
  readonly #framing: WrittenFraming;
  /** The trace's start, until the first chunk contains it. */
  #head: Piece;
  #told: Told;
  #isBehindPoint = true;

  /** @param continuedAt the size of the existing part of the trace: its start, and blocks up to a sequence point */
  constructor(version: WrittenVersion, trace: WrittenTrace, before?: RoundsBefore, continuedAt = 0) {
    this.#isV4 = version === FormatVersion.V4;
    this.#framing = this.#isV4 ? new FramingV4() : new FramingV6();
    this.#framing.taken = continuedAt;
    if (continuedAt === 0) {
      this.#framing.start();
      this.#framing.block(BlockKind.Trace, traceBlock(version, trace));
    }
    for (const rows of before?.metadata ?? []) this.#framing.block(BlockKind.Metadata, rows);
    for (const rows of before?.threadRows ?? []) this.#framing.block(BlockKind.Thread, rows);
    this.#head = this.#framing.piece();
    this.#framing.taken += pieceSize(this.#head);
    const numberings = new Map<number, Numbering>();
    for (const { id, sequence } of before?.numbers ?? []) {
      numberings.set(id, { ...AS_IN_ROUNDS, base: sequence });
    }
    const counts = { events: 0, leftOut: 0 };
    this.#told = { numberings, lastTicks: trace.syncTicks, hasEvents: false, isSkipping: false, ...counts };
  }

  /** The number of omitted events. */
  get leftOut(): number {
    return this.#told.leftOut;
  }

  /**
   * The next chunk of the trace, with these rounds. If this throws, the trace does not contain them yet.
   *
   * @param leavesOut whether to omit the events of rounds that begin after a sequence point, and report them as missing
   */
  next(rounds: readonly WrittenRound[], leavesOut = false): TraceChunk {
    return this.#piece(rounds, leavesOut, false, chunk);
  }

  /** The last chunk. */
  end(rounds: readonly WrittenRound[]): TraceChunk {
    return this.#piece(rounds, false, true, chunk);
  }

  /** The next or last chunk, in a single part. */
  bytes(rounds: readonly WrittenRound[], isLast: boolean): Uint8Array {
    return this.#piece(rounds, false, isLast, pieceBytes);
  }

  #piece<Result>(
    rounds: readonly WrittenRound[],
    leavesOut: boolean,
    isLast: boolean,
    resultOf: (piece: Piece, told: Told) => Result,
  ): Result {
    const framing = this.#framing;
    framing.beginPiece();
    const told = { ...this.#told };
    let isBehindPoint = this.#isBehindPoint;
    for (const round of rounds) {
      if (isBehindPoint) told.isSkipping = leavesOut;
      this.#addRound(round, told);
      isBehindPoint = round.isComplete;
    }
    if (isLast) framing.end();
    const next = framing.piece();
    const size = pieceSize(next);
    const result = resultOf(this.#head.length === 0 ? next : [...this.#head, ...next], told);
    // No calls from here on: the caller gets each chunk exactly once.
    this.#told = told;
    this.#isBehindPoint = isBehindPoint;
    framing.taken += size;
    this.#head = NO_PIECE;
    framing.before = NO_PIECE;
    return result;
  }

  #addRound(round: WrittenRound, told: Told): void {
    this.#addBlocks(BlockKind.Metadata, round.metadata);
    this.#addBlocks(BlockKind.Thread, round.threadRows);
    if (told.isSkipping) told.leftOut += round.eventCount;
    else {
      told.events += round.eventCount;
      this.#addBlocks(BlockKind.Stack, round.stacks);
      this.#addBlocks(BlockKind.LabelList, round.labelLists);
      for (const block of round.events) this.#addEvents(block, told);
      const { ticks } = round;
      if (ticks !== undefined && (ticks > told.lastTicks || !told.hasEvents)) told.lastTicks = ticks;
      told.hasEvents ||= ticks !== undefined;
    }
    if (round.touched.length > 0) this.#addSequencePoints(round.touched, told);
    if (round.removed.length > 0) this.#addRemovals(round.removed, told);
  }

  #addBlocks(kind: number, blocks: readonly Uint8Array[]): void {
    for (const block of blocks) this.#framing.block(kind, block);
  }

  #addEvents({ bytes, thread, sequence, sequenceAt, sequenceEnd }: WrittenBlock, told: Told): void {
    const number = thread === undefined ? sequence : this.#numberOf(thread.id, sequence, true, told);
    if (number === sequence) {
      this.#framing.block(BlockKind.Event, bytes);
      return;
    }
    const varint = new Uint8Array(MAX_VARINT_SIZE);
    // Relative to the previous event's number, minus 1.
    const size = putVarUint(varint, 0, (number - 1) >>> 0);
    const before = bytes.subarray(0, sequenceAt);
    this.#framing.block(BlockKind.Event, before, varint.subarray(0, size), bytes.subarray(sequenceEnd));
  }

  /** The number of the thread's event in the trace; readers know it from then on. */
  #numberOf(id: number, sequence: number, isEvent: boolean, told: Told): number {
    const { base, isTold, owed } = told.numberings.get(id) ?? AS_IN_ROUNDS;
    const number = (sequence - base) >>> 0;
    if (!this.#isV4) return number;
    if (!isTold && isEvent) {
      const missing = number - FIRST_NUMBER;
      setNumbering(told, id, { base: base + missing, isTold: true, owed: missing });
      return FIRST_NUMBER;
    }
    if (owed > 0) setNumbering(told, id, { base: base - owed, isTold, owed: 0 });
    return (number + owed) >>> 0;
  }

  #addSequencePoints(touched: readonly TouchedThread[], told: Told): void {
    if (this.#isV4) this.#tellFirstNumbers(touched, told);
    const numbers = touched.map(({ id, sequence }) => ({
      id,
      sequence: this.#numberOf(id, sequence, false, told),
    }));
    this.#framing.block(BlockKind.SequencePoint, sequencePoint(this.#isV4, told.lastTicks, numbers));
  }

  /** Gives threads that lost events and have no number one that no event has, after which losses can be reported. */
  #tellFirstNumbers(touched: readonly TouchedThread[], told: Told): void {
    const silent: ThreadNumber[] = [];
    for (const { id, hasEvents } of touched) {
      const { base, isTold } = told.numberings.get(id) ?? AS_IN_ROUNDS;
      if (isTold) continue;
      setNumbering(told, id, { base: hasEvents ? base : base - FIRST_NUMBER, isTold: true, owed: 0 });
      if (!hasEvents) silent.push({ id, sequence: FIRST_NUMBER });
    }
    if (silent.length === 0) return;
    this.#framing.block(BlockKind.SequencePoint, sequencePoint(this.#isV4, told.lastTicks, silent));
  }

  #addRemovals(removed: readonly ThreadNumber[], told: Told): void {
    const numbers = removed.map(({ id, sequence }) => ({
      id,
      sequence: this.#numberOf(id, sequence, false, told),
    }));
    this.#framing.block(BlockKind.RemoveThread, removals(numbers));
    if (!removed.some(({ id }) => told.numberings.has(id))) return;
    const left = new Map(told.numberings);
    for (const { id } of removed) left.delete(id);
    told.numberings = left;
  }
}

const chunk = (piece: Piece, { events }: Told): TraceChunk => ({ piece, size: pieceSize(piece), events });

function setNumbering(told: Told, id: number, numbering: Numbering): void {
  told.numberings = new Map(told.numberings).set(id, numbering);
}
