/**
 * Writes a nettrace of version 4 or 6 as its events come, in pieces: one trace, of all of its own rounds.
 *
 * Each method does all of its work or none, even where it cannot run to its end: see `NetTraceBytes`.
 */
import { NetTracePieces } from './nettrace-pieces.ts';
import { type EventOrderGiven, NetTraceRounds } from './nettrace-rounds.ts';
import type { WrittenRound } from './round.ts';
import type {
  ThreadHandle,
  WrittenEvent,
  WrittenMetadata,
  WrittenThread,
  WrittenTrace,
  WrittenVersion,
} from './trace-parts.ts';

const NOTHING: readonly WrittenRound[] = [];

export class NetTraceWriter {
  private readonly rounds: NetTraceRounds;
  private readonly pieces: NetTracePieces;
  /** Those that no piece has yet: making one may have been given up. */
  private waiting = NOTHING;

  constructor(version: WrittenVersion, trace: WrittenTrace, order: EventOrderGiven = 'time') {
    this.rounds = new NetTraceRounds(version, trace.pointerSize, order);
    this.pieces = new NetTracePieces(version, trace);
  }

  /** About how many bytes `flush` has to give, without descriptions of events and threads. */
  get pendingBytes(): number {
    return this.rounds.pendingBytes;
  }

  /** Describes a kind of events. @returns its id */
  define(metadata: WrittenMetadata): number {
    return this.rounds.define(metadata);
  }

  /** Adds a thread. To be called once for each, since version 6 takes them for different ones. */
  thread(thread: WrittenThread): ThreadHandle {
    return this.rounds.thread(thread);
  }

  /** A thread that writes nothing from now on. Version 6 has its readers forget it. */
  removeThread(thread: ThreadHandle): void {
    this.rounds.removeThread(thread);
  }

  /** Takes the next event; see `NetTraceRounds.write`. */
  write(event: WrittenEvent): void {
    this.rounds.write(event);
  }

  /** Notes that events of the thread are missing. In the order of time, after its first one. */
  drop(thread: ThreadHandle, count: number): void {
    this.rounds.drop(thread, count);
  }

  /**
   * The next piece of the trace: everything up to here, and a sequence point if there have been events. Events
   * that come later are not to be older than those before.
   */
  flush(): Uint8Array {
    this.take(true);
    return this.piece(false);
  }

  /**
   * The same without a sequence point: in the order of threads, later events of other threads may be older still.
   * Readers keep the events until there is one.
   */
  flushOpen(): Uint8Array {
    this.take(false);
    return this.piece(false);
  }

  /** The last piece of the trace. */
  end(): Uint8Array {
    this.take(true);
    return this.piece(true);
  }

  private take(isComplete: boolean): void {
    const waiting = this.waiting.slice();
    const at = waiting.length;
    const round = this.rounds.take(isComplete);
    if (round === undefined) return;
    // No calls: the rounds have forgotten it.
    waiting[at] = round;
    this.waiting = waiting;
  }

  private piece(isLast: boolean): Uint8Array {
    const { pieces, waiting } = this;
    const piece = isLast ? pieces.end(waiting) : pieces.next(waiting);
    this.waiting = NOTHING;
    return piece;
  }
}
