/** A running session: converts its group's events to a nettrace, and writes that to its output. */
import { thrownText } from '../base/value-text.ts';
import { warnInTime } from '../listen/at-exit.ts';
import { NO_PIECE } from '../wire/nettrace/write/framing.ts';
import { NetTracePieces, type TraceChunk } from '../wire/nettrace/write/nettrace-pieces.ts';
import type { WrittenRound } from '../wire/nettrace/write/round.ts';
import type { WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';
import type { RoundLink } from './group-rounds.ts';
import { traceOfThisProcess } from './process-info.ts';
import type { ProviderRequests } from './requests.ts';
import { type GroupMember, SessionGroup } from './session-group.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';

/** The result of a session. */
export interface SessionResult {
  /** The number of events taken: all of them are in the trace. After a `problem`, those that the output has. */
  readonly events: number;
  /**
   * The number of events for which there was no room, that could not be encoded, or that were interrupted by a stack
   * overflow or lack of memory. The trace reports them as missing. Includes events written by exit handlers after the
   * end of the trace, and after a `problem`, those that had been taken and did not reach the output.
   */
  readonly dropped: number;
  /** The number of bytes written. */
  readonly bytes: number;
  /** Why the session ended before it was stopped, as a sentence. */
  readonly problem: string | undefined;
}

/** A chunk of the trace that the output has not accepted yet, or the last one that it has. */
interface Unsent {
  chunk: TraceChunk;
  next: Unsent | undefined;
}

/** The options of a session. */
export interface SessionSettings<Output extends SessionOutput> {
  readonly requests: ProviderRequests;
  readonly version: WrittenVersion;
  /** How many bytes may wait to be written. */
  readonly bufferSize: number;
  /** Whether the trace ends with the process information that .NET's tools expect. */
  readonly rundown: boolean;
  /** Whether CPU samples start in a later turn of the event loop, which holds the application for a shorter time. */
  readonly samplesLater?: boolean;
  /** Opens the output, which reports when it fails. */
  readonly openOutput: (onFailed: OnOutputFailed) => Output;
  /** The size of a trace begun by another thread, whose kinds and threads have ids from `APART` on. */
  readonly continuedAt?: number | undefined;
  /** Called when too many bytes are waiting; without it, events are dropped. */
  readonly makeRoom?: ((output: Output) => void) | undefined;
}

/** A session's part in its group. */
interface Share {
  readonly group: SessionGroup;
  readonly pieces: NetTracePieces;
  /** The group's counts when this session joined. */
  readonly before: EventCounts;
}

const NO_CHUNK: TraceChunk = { piece: NO_PIECE, size: 0, events: 0 };

/** How far the trace is with a chunk: in events, and in bytes. The chunk itself would stay in memory for the next one. */
interface Mark {
  readonly of: Unsent;
  readonly events: number;
  readonly end: number;
}

interface EventCounts {
  readonly events: number;
  readonly dropped: number;
}

export class EventPipeSession<Output extends SessionOutput> implements GroupMember {
  readonly #settings: SessionSettings<Output>;
  readonly #output: Output;
  /** The share is undefined if the output could not be opened. */
  readonly #share: Share | undefined;
  /** The link of the first round that no chunk contains. */
  #next: RoundLink = { round: undefined, next: undefined };
  /** The last chunk that the output accepted, and the last one of all. */
  #sent: Unsent = { chunk: NO_CHUNK, next: undefined };
  #newest: Unsent = this.#sent;
  /** The marks of the chunks that the output has not written, after the last that it has. */
  #marks: readonly Mark[] = [{ of: this.#sent, events: 0, end: 0 }];
  #hasBegun = false;
  #isOver = false;
  /** The group's counts when this session left. */
  #after: (EventCounts & { readonly late: number }) | undefined;
  #isExiting = false;
  #problem: string | undefined;

  constructor(settings: SessionSettings<Output>) {
    const { requests, version, bufferSize, samplesLater, openOutput, makeRoom, continuedAt } = settings;
    this.#settings = settings;
    this.#output = openOutput((problem) => this.#fail(problem));
    if (this.#problem !== undefined) return;
    const waits = makeRoom !== undefined;
    const { group, before } = SessionGroup.of({ requests, version, bufferSize, waits, samplesLater });
    const { events, dropped, unfinished, end } = group.rounds;
    this.#next = end;
    this.#share = {
      group,
      pieces: new NetTracePieces(version, traceOfThisProcess(group.sampling), before, continuedAt),
      // Events being delivered belong to this session, too.
      before: { events, dropped: dropped - (unfinished[0] as number) },
    };
    group.join(this);
    // Produces the start of the trace.
    this.take();
  }

  get output(): Output {
    return this.#output;
  }

  /** The result so far. */
  get result(): SessionResult {
    return { ...this.#counts(), bytes: this.#output.writtenBytes, problem: this.#problem };
  }

  get waitingBytes(): number {
    return this.#output.pendingBytes;
  }

  take(): void {
    if (this.#share === undefined || this.#after !== undefined) return;
    this.#takePieces();
    this.#send();
  }

  makeRoom(): void {
    this.#settings.makeRoom?.(this.#output);
  }

  /** Resolves when sampling has started, or will not; undefined if it started at once, or if there are no samples. */
  get samplingStarted(): Promise<void> | undefined {
    return this.#share?.group.rounds.samplingStarted;
  }

  /** Asks for the state of the session's sources in the midst of the trace. */
  captureState(): void {
    if (!this.#isOver) this.#share?.group.captureState('start');
  }

  /** Resolves when the CPU samples until now are taken, so that the end has few to take; undefined if there are none. */
  catchUp(): Promise<void> | undefined {
    return this.#isOver ? undefined : this.#share?.group.rounds.catchUp();
  }

  /** Takes no more events; writes the rest, and the end of the trace. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#settings.rundown) this.#share?.group.captureState('stop');
    this.#share?.group.leave(this, false);
  }

  /**
   * Ends the session when the process exits. Exit handlers that run later may still write events: they are too late for
   * the trace, and count as dropped.
   */
  endAtExit(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#settings.rundown) this.#share?.group.captureState('stop');
    this.#isExiting = true;
    this.#share?.group.leave(this, true);
  }

  /** Completes a session that was ended during a flush, after that flush. */
  complete(): void {
    if (this.#isOver && this.#after === undefined) this.#share?.group.complete(this);
  }

  finish(): void {
    if (this.#share === undefined || this.#after !== undefined) return;
    const { group, pieces } = this.#share;
    const { events, dropped, unfinished } = group.rounds;
    // Events being delivered belong to the sessions that remain.
    this.#after = { events, dropped: dropped - (unfinished[0] as number), late: group.late };
    if (this.#problem !== undefined) return;
    try {
      this.#takePieces();
      const info = this.#settings.rundown ? group.rounds.processInfo() : undefined;
      const chunk = pieces.end(info === undefined ? [] : [info]);
      this.#newest.next = { chunk, next: undefined };
      this.#send();
    } catch (error) {
      this.#fail(`The session's trace has no end: ${thrownText(error)}`);
    }
  }

  #counts(): EventCounts {
    if (this.#share === undefined) return { events: 0, dropped: 0 };
    const { group, pieces, before } = this.#share;
    const { rounds, late } = group;
    const after = this.#after;
    const { events, dropped } = after ?? rounds;
    const isLate = this.#isExiting && after !== undefined;
    const tooLate = isLate ? rounds.events + rounds.dropped + late - events - dropped - after.late : 0;
    const taken = events - before.events - pieces.leftOut;
    const kept = this.#problem === undefined ? taken : this.#writtenEvents();
    return {
      events: kept,
      dropped: dropped - before.dropped + pieces.leftOut + tooLate + taken - kept,
    };
  }

  /** Counts the events in the chunks that the output has written. */
  #writtenEvents(): number {
    const { writtenBytes } = this.#output;
    return this.#marks.findLast(({ end }) => end <= writtenBytes)?.events ?? 0;
  }

  #takePieces(): void {
    if (!this.#hasBegun) this.#takePiece([], this.#next);
    for (
      let { round, next } = this.#next;
      round !== undefined && next !== undefined;
      { round, next } = next
    ) {
      this.#takePiece([round], next);
    }
  }

  #takePiece(rounds: readonly WrittenRound[], next: RoundLink): void {
    const { group, pieces } = this.#share as Share;
    const { bufferSize, makeRoom } = this.#settings;
    // Other sessions may have room. At its end, a session takes everything, which is at most one round.
    const isFull = group.isShared && makeRoom === undefined && this.waitingBytes >= bufferSize;
    const unsent: Unsent = { chunk: NO_CHUNK, next: undefined };
    const chunk = pieces.next(rounds, isFull && !this.#isOver);
    // No calls: the trace contains the rounds from here on.
    unsent.chunk = chunk;
    this.#hasBegun = true;
    this.#next = next;
    this.#newest.next = unsent;
    this.#newest = unsent;
  }

  /** Events that arrive meanwhile belong to later chunks. */
  #send(): void {
    for (let { next } = this.#sent; next !== undefined; { next } = next) {
      this.#output.write(next.chunk.piece, this.#mark(next));
      this.#sent = next;
      next.chunk = NO_CHUNK;
    }
  }

  /**
   * Keeps only the marks of the last chunk that the output has written, and of those that it has not.
   *
   * @returns where the chunk begins in the trace
   */
  #mark(of: Unsent): number {
    const { events, size } = of.chunk;
    const last = this.#marks.at(-1) as Mark;
    if (last.of === of) return last.end - size;
    const { writtenBytes } = this.#output;
    const written = this.#marks.findLastIndex(({ end }) => end <= writtenBytes);
    this.#marks = [...this.#marks.slice(Math.max(written, 0)), { of, events, end: last.end + size }];
    return last.end;
  }

  #fail(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    this.#isOver = true;
    this.#share?.group.leave(this, this.#isExiting);
    warnInTime(problem, this.#isExiting);
  }
}
