/**
 * A nettrace of version 4 or 6, in pieces, made of the rounds of a `NetTraceRounds`.
 *
 * What events refer to (metadata, threads, stacks, labels) stands before them. A sequence point ends each complete
 * round: it tells the numbers of the threads' last events, by which readers notice that some are missing, and lets
 * them forget stacks and labels.
 *
 * A trace may begin with any round, and so may many with the same: what a block tells of the trace that it is in is
 * only the number of its first event.
 */
import { BlockKind, FormatVersion } from '../constants.ts';
import { MAX_VARINT_SIZE, putVarUint } from './byte-writer.ts';
import type { WrittenBlock } from './event-block.ts';
import { FramingV4, FramingV6, type WrittenFraming } from './framing.ts';
import type { WrittenRound } from './round.ts';
import { removals, sequencePoint, type ThreadNumber, type TouchedThread } from './sequence-points.ts';
import { traceBlock } from './trace-block.ts';
import type { WrittenTrace, WrittenVersion } from './trace-parts.ts';

/** Where version 4 has no number of a thread's yet: see `Numbering`. */
const FIRST_NUMBER = 1;

const NOTHING = new Uint8Array(0);

/** How a thread's events are numbered in the trace: as in the rounds, less the base. */
interface Numbering {
  readonly base: number;
  /**
   * Whether readers know a number of the thread's. Those of version 4 notice a gap only behind one that they know,
   * and that is not 0: events that are missing before the first one are told as missing behind it, as soon as there
   * is another number.
   */
  readonly isTold: boolean;
  readonly owed: number;
}

const AS_IN_ROUNDS: Numbering = { base: 0, isTold: false, owed: 0 };

/** What of the rounds before is in a trace that begins later. */
export interface RoundsBefore {
  readonly metadata: readonly Uint8Array[];
  readonly threadRows: readonly Uint8Array[];
  /** Of all threads. */
  readonly numbers: readonly ThreadNumber[];
}

/** What the trace has told. Replaced as a whole, when a piece is there. */
interface Told {
  /** Of threads that are not numbered as in the rounds, and in version 4 of all. */
  numberings: ReadonlyMap<number, Numbering>;
  /** The newest event's; before the first one, the start of the trace. */
  lastTicks: bigint;
  hasEvents: boolean;
  /** Whether events are left out, up to the next sequence point: labels and stacks are, too. */
  isSkipping: boolean;
}

export class NetTracePieces {
  private readonly isV4: boolean;
  private readonly framing: WrittenFraming;
  private told: Told;
  private isBehindPoint = true;

  constructor(version: WrittenVersion, trace: WrittenTrace, before?: RoundsBefore) {
    this.isV4 = version === FormatVersion.V4;
    this.framing = this.isV4 ? new FramingV4() : new FramingV6();
    this.framing.start();
    this.framing.block(BlockKind.Trace, traceBlock(version, trace));
    for (const rows of before?.metadata ?? []) this.framing.block(BlockKind.Metadata, rows);
    for (const rows of before?.threadRows ?? []) this.framing.block(BlockKind.Thread, rows);
    this.framing.bytes.kept = this.framing.bytes.length;
    const numberings = new Map<number, Numbering>();
    for (const { id, sequence } of before?.numbers ?? []) {
      numberings.set(id, { ...AS_IN_ROUNDS, base: sequence });
    }
    this.told = { numberings, lastTicks: trace.syncTicks, hasEvents: false, isSkipping: false };
  }

  /**
   * The next piece of the trace, with these rounds. The trace has them when this returns, and not where this throws.
   *
   * @param leavesOut whether the events of rounds that begin behind a sequence point are left out; they are told as
   *   missing
   */
  next(rounds: readonly WrittenRound[], leavesOut = false): Uint8Array {
    return this.piece(rounds, leavesOut, false);
  }

  /** The last piece. */
  end(rounds: readonly WrittenRound[]): Uint8Array {
    return this.piece(rounds, false, true);
  }

  private piece(rounds: readonly WrittenRound[], leavesOut: boolean, isLast: boolean): Uint8Array {
    const { framing } = this;
    const { bytes } = framing;
    // A chunk may have been abandoned halfway.
    bytes.length = bytes.kept;
    const told = { ...this.told };
    let isBehindPoint = this.isBehindPoint;
    for (const round of rounds) {
      if (isBehindPoint) told.isSkipping = leavesOut;
      this.addRound(round, told);
      isBehindPoint = round.isComplete;
    }
    if (isLast) framing.end();
    const piece = bytes.length === 0 ? NOTHING : bytes.copy();
    const size = piece.length;
    // No calls from here on: whoever gets the chunk can be sure that none of it comes again.
    this.told = told;
    this.isBehindPoint = isBehindPoint;
    framing.taken += size;
    bytes.length = 0;
    bytes.kept = 0;
    return piece;
  }

  private addRound(round: WrittenRound, told: Told): void {
    this.addBlocks(BlockKind.Metadata, round.metadata);
    this.addBlocks(BlockKind.Thread, round.threadRows);
    if (!told.isSkipping) {
      this.addBlocks(BlockKind.Stack, round.stacks);
      this.addBlocks(BlockKind.LabelList, round.labelLists);
      for (const block of round.events) this.addEvents(block, told);
      const { ticks } = round;
      if (ticks !== undefined && (ticks > told.lastTicks || !told.hasEvents)) told.lastTicks = ticks;
      told.hasEvents ||= ticks !== undefined;
    }
    if (round.touched.length > 0) this.addSequencePoints(round.touched, told);
    if (round.removed.length > 0) this.addRemovals(round.removed, told);
  }

  private addBlocks(kind: number, blocks: readonly Uint8Array[]): void {
    for (const block of blocks) this.framing.block(kind, block);
  }

  private addEvents({ bytes, thread, sequence, sequenceAt, sequenceEnd }: WrittenBlock, told: Told): void {
    const number = thread === undefined ? sequence : this.numberOf(thread.id, sequence, true, told);
    if (number === sequence) {
      this.framing.block(BlockKind.Event, bytes);
      return;
    }
    const varint = new Uint8Array(MAX_VARINT_SIZE);
    // Less that of the event before, and 1.
    const size = putVarUint(varint, 0, (number - 1) >>> 0);
    const before = bytes.subarray(0, sequenceAt);
    this.framing.block(BlockKind.Event, before, varint.subarray(0, size), bytes.subarray(sequenceEnd));
  }

  /** The number that the trace tells of the thread's event, which is known from then on. */
  private numberOf(id: number, sequence: number, isEvent: boolean, told: Told): number {
    const { base, isTold, owed } = told.numberings.get(id) ?? AS_IN_ROUNDS;
    const number = (sequence - base) >>> 0;
    if (!this.isV4) return number;
    if (!isTold && isEvent) {
      const missing = number - FIRST_NUMBER;
      setNumbering(told, id, { base: base + missing, isTold: true, owed: missing });
      return FIRST_NUMBER;
    }
    if (owed > 0) setNumbering(told, id, { base: base - owed, isTold, owed: 0 });
    return (number + owed) >>> 0;
  }

  private addSequencePoints(touched: readonly TouchedThread[], told: Told): void {
    if (this.isV4) this.tellFirstNumbers(touched, told);
    const numbers = touched.map(({ id, sequence }) => ({
      id,
      sequence: this.numberOf(id, sequence, false, told),
    }));
    this.framing.block(BlockKind.SequencePoint, sequencePoint(this.isV4, told.lastTicks, numbers));
  }

  /** Of threads that have had losses and no event: a number that no event has, behind which they can be told. */
  private tellFirstNumbers(touched: readonly TouchedThread[], told: Told): void {
    const silent: ThreadNumber[] = [];
    for (const { id, hasEvents } of touched) {
      const { base, isTold } = told.numberings.get(id) ?? AS_IN_ROUNDS;
      if (isTold) continue;
      setNumbering(told, id, { base: hasEvents ? base : base - FIRST_NUMBER, isTold: true, owed: 0 });
      if (!hasEvents) silent.push({ id, sequence: FIRST_NUMBER });
    }
    if (silent.length === 0) return;
    this.framing.block(BlockKind.SequencePoint, sequencePoint(this.isV4, told.lastTicks, silent));
  }

  private addRemovals(removed: readonly ThreadNumber[], told: Told): void {
    const numbers = removed.map(({ id, sequence }) => ({
      id,
      sequence: this.numberOf(id, sequence, false, told),
    }));
    this.framing.block(BlockKind.RemoveThread, removals(numbers));
    if (!removed.some(({ id }) => told.numberings.has(id))) return;
    const left = new Map(told.numberings);
    for (const { id } of removed) left.delete(id);
    told.numberings = left;
  }
}

function setNumbering(told: Told, id: number, numbering: Numbering): void {
  told.numberings = new Map(told.numberings).set(id, numbering);
}
