/**
 * Writes a single nettrace of version 4 or 6 in chunks, as its events arrive.
 *
 * Each method completes or has no effect, even if it is interrupted: see `NetTraceBytes`.
 */
import { NetTracePieces } from './nettrace-pieces.ts';
import { type EventOrderGiven, NetTraceRounds } from './nettrace-rounds.ts';
import type { WrittenRound } from './round.ts';
import type {
  EventSink,
  ThreadHandle,
  WrittenEvent,
  WrittenMetadata,
  WrittenThread,
  WrittenTrace,
  WrittenVersion,
} from './trace-parts.ts';

const NOTHING: readonly WrittenRound[] = [];

export class NetTraceWriter implements EventSink {
  readonly #rounds: NetTraceRounds;
  readonly #pieces: NetTracePieces;
  /** Rounds that no chunk contains yet: producing one may have been interrupted. */
  #waiting = NOTHING;

  constructor(version: WrittenVersion, trace: WrittenTrace, order: EventOrderGiven = 'time') {
    this.#rounds = new NetTraceRounds(version, trace.pointerSize, order);
    this.#pieces = new NetTracePieces(version, trace);
  }

  /** The approximate number of bytes for `flush`, without descriptions of events and threads. */
  get pendingBytes(): number {
    return this.#rounds.pendingBytes;
  }

  /** Describes a kind of events. @returns its id */
  define(metadata: WrittenMetadata): number {
    return this.#rounds.define(metadata);
  }

  /** Adds a thread. Call it once per thread, because version 6 treats each call as a new thread. */
  thread(thread: WrittenThread): ThreadHandle {
    return this.#rounds.thread(thread);
  }

  /** A thread that will not write again. Version 6 tells its readers to forget it. */
  removeThread(thread: ThreadHandle): void {
    this.#rounds.removeThread(thread);
  }

  /** Takes the next event; see `NetTraceRounds.write`. */
  write(event: WrittenEvent): void {
    this.#rounds.write(event);
  }

  /** Records that events of the thread are missing. In time order, only after its first event. */
  drop(thread: ThreadHandle, count: number): void {
    this.#rounds.drop(thread, count);
  }

  /**
   * The next chunk of the trace: everything so far, and a sequence point if there have been events. Later events must
   * not be older than these.
   */
  flush(): Uint8Array {
    this.#take(true);
    return this.#piece(false);
  }

  /**
   * Flushes without a sequence point: the events are grouped by thread, and later events of other threads may still be
   * older. Readers hold the events back until there is one.
   */
  flushOpen(): Uint8Array {
    this.#take(false);
    return this.#piece(false);
  }

  /** The last chunk of the trace. */
  end(): Uint8Array {
    this.#take(true);
    return this.#piece(true);
  }

  #take(isComplete: boolean): void {
    const waiting = this.#waiting.slice();
    const at = waiting.length;
    const round = this.#rounds.take(isComplete);
    if (round === undefined) return;
    // No calls: the rounds no longer contain it.
    waiting[at] = round;
    this.#waiting = waiting;
  }

  #piece(isLast: boolean): Uint8Array {
    const bytes = this.#pieces.bytes(this.#waiting, isLast);
    this.#waiting = NOTHING;
    return bytes;
  }
}
