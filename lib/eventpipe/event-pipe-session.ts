/** A running session: takes the events that it requested, from all threads, and turns them into a nettrace. */
import { isMainThread, threadId } from 'node:worker_threads';
import type { Guid } from '../activity/guid.ts';
import { hasStack } from '../base/stack-room.ts';
import { thrownText } from '../base/value-text.ts';
import type { Subscriber } from '../listen/audience.ts';
import { osThreadId } from '../listen/os-thread-id.ts';
import { timestamp } from '../listen/timestamp.ts';
import type { Listenable } from '../listen/written-event.ts';
import { isEncoding } from '../wire/event-encoder.ts';
import { NetTraceWriter } from '../wire/nettrace/write/nettrace-writer.ts';
import type { ThreadHandle, WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { CpuSamples, samplingRequest } from './cpu-samples/cpu-samples.ts';
import { SAMPLE_PROFILER } from './cpu-samples/dotnet-events.ts';
import { EventKinds } from './event-kinds.ts';
import { traceOfThisProcess, writeProcessInfo } from './process-info.ts';
import type { ProviderRequests } from './requests.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';
import { SessionSources } from './session-sources.ts';
import { Workers } from './threads/workers.ts';
import { TraceKinds } from './trace-kinds.ts';

/** How many bytes of events, and how many milliseconds, trigger a write: the latter is .NET's interval. */
const FLUSH_SIZE = 1 << 18;
const FLUSH_MS = 100;
/** Descriptions that go out together: they are not counted by their bytes. */
const FLUSH_DESCRIPTIONS = 256;

const NOTHING = new Uint8Array();

/** The result of a session. */
export interface SessionResult {
  /** Events that it took. All of them are in the trace, unless there is a `problem`. */
  readonly events: number;
  /**
   * Events for which there was no room, that could not be encoded, or that were interrupted by a stack overflow or lack
   * of memory. The trace says that they are missing. Includes events written by exit handlers after the end of the
   * trace.
   */
  readonly dropped: number;
  /** The number of bytes written. */
  readonly bytes: number;
  /** Why the session ended before it was stopped, as a sentence. */
  readonly problem: string | undefined;
}

/** A piece of the trace that the output has not taken yet, or the last one that it has. */
interface Unsent {
  piece: Uint8Array;
  next: Unsent | undefined;
}

/** The options of a session. */
export interface SessionSettings<Output extends SessionOutput> {
  readonly requests: ProviderRequests;
  readonly version: WrittenVersion;
  /** How many bytes may wait to be written. */
  readonly bufferSize: number;
  /** Whether the trace ends with what .NET's tools want to know about its process. */
  readonly rundown: boolean;
  /** Makes the output, which tells when it fails. */
  readonly openOutput: (onFailed: OnOutputFailed) => Output;
  /** Called when too many bytes are waiting; without it, events are dropped. */
  readonly makeRoom?: ((output: Output) => void) | undefined;
}

export class EventPipeSession<Output extends SessionOutput> implements Subscriber {
  readonly unfinished = new Int32Array(1);
  readonly #settings: SessionSettings<Output>;
  readonly #flushSize: number;
  readonly #kinds = new EventKinds();
  readonly #asked: SessionSources;
  readonly #writer: NetTraceWriter;
  readonly #traceKinds: TraceKinds;
  readonly #thread: ThreadHandle;
  readonly #output: Output;
  readonly #timer: NodeJS.Timeout;
  readonly #workers: Workers | undefined;
  readonly #samples: CpuSamples | undefined;
  /** The last piece that the output has taken, and the last one of all. */
  #sent: Unsent = { piece: NOTHING, next: undefined };
  #newest: Unsent = this.#sent;
  #isOver = false;
  #isFinished = false;
  #isExiting = false;
  /** The application's own stream may end the session, or write events, out of what it is given. */
  #isFlushing = false;
  #events = 0;
  #dropped = 0;
  /** Of the newest event, or of the time at which all events before were in the trace. */
  #lastTime = 0n;
  /** Kinds that had been described when something went out last. */
  #descriptions = 0;
  #problem: string | undefined;

  constructor(settings: SessionSettings<Output>) {
    const { requests, version, bufferSize, openOutput, makeRoom } = settings;
    this.#settings = settings;
    this.#flushSize = Math.min(FLUSH_SIZE, bufferSize / 2);
    const sampling = samplingRequest(requests.byName.get(SAMPLE_PROFILER));
    this.#writer = new NetTraceWriter(version, traceOfThisProcess(sampling), 'thread');
    this.#traceKinds = new TraceKinds(this.#writer);
    this.#asked = new SessionSources(requests, this);
    this.#thread = this.#writer.thread({
      processId: process.pid,
      threadId: osThreadId(),
      name: isMainThread ? 'main' : `worker ${threadId}`,
    });
    this.#timer = setInterval(() => this.#tick(), FLUSH_MS).unref();
    this.#output = openOutput((problem) => this.#fail(problem));
    this.#flush();
    if (this.#isOver) return;
    if (isMainThread) {
      const whenAsked = (): void => this.#tick();
      this.#workers = new Workers(this.#writer, this.#traceKinds, bufferSize, whenAsked);
      this.#workers.start(requests, makeRoom !== undefined);
    }
    if (sampling !== undefined) {
      const hasRoom = (): boolean => this.#waitingBytes() < bufferSize;
      this.#samples = new CpuSamples(this.#writer, this.#thread, sampling, hasRoom);
    }
    this.#asked.start();
  }

  get output(): Output {
    return this.#output;
  }

  /** So far. */
  get result(): SessionResult {
    return {
      events: this.#events + (this.#workers?.events ?? 0) + (this.#samples?.written ?? 0),
      dropped:
        this.#dropped +
        (this.unfinished[0] as number) +
        (this.#workers?.dropped ?? 0) +
        (this.#samples?.dropped ?? 0),
      bytes: this.#output.writtenBytes,
      problem: this.#problem,
    };
  }

  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    time: bigint,
  ): void {
    if (this.#isOver || !this.#asked.has(source, schema)) {
      (this.unfinished[0] as number)--;
      if (this.#isExiting && this.#asked.has(source, schema)) this.#dropped++;
      return;
    }
    if ((this.unfinished[0] as number) > 1) this.#dropUnfinished(1);
    const kind = this.#kinds.of(source, schema);
    const bytes = this.#hasRoom() ? kind.encode(payload) : undefined;
    // Full storage may have ended it, and so may an event that reading the payload wrote.
    if (this.#isOver) {
      (this.unfinished[0] as number)--;
      return;
    }
    if (kind.number === 0) kind.number = this.#traceKinds.metadataIdOf(kind);
    if (bytes === undefined || kind.number === 0) {
      this.#writer.drop(this.#thread, 1);
      this.#dropped++;
      (this.unfinished[0] as number)--;
      return;
    }
    // An event that another one's listener or payload writes is the later one, and comes first.
    if (time > this.#lastTime) this.#lastTime = time;
    this.#writer.write({
      metadataId: kind.number,
      thread: this.#thread,
      ticks: this.#lastTime,
      activityId,
      relatedActivityId,
      payload: bytes,
    });
    this.#events++;
    (this.unfinished[0] as number)--;
    // Otherwise the timer does it.
    if (this.#isFlushDue() && hasStack()) this.#flush();
  }

  /** No more events; what is left is written, with the end of the trace. */
  end(): void {
    if (this.#isOver) return;
    this.#close();
    // Else what is on its way out goes first.
    if (!this.#isFlushing) this.#finish();
  }

  /**
   * The same when the process exits. Handlers of its exit that come later may write events still: they are too late
   * for the trace, and counted as dropped.
   */
  endAtExit(): void {
    if (this.#isOver) return;
    this.#isExiting = true;
    this.end();
  }

  /** Has a session that was ended amid a piece come to its end, when that piece is no longer on its way. */
  complete(): void {
    if (this.#isOver && this.#problem === undefined) this.#finish();
  }

  #hasRoom(): boolean {
    const { bufferSize, makeRoom } = this.#settings;
    const waiting = this.#waitingBytes();
    if (waiting < bufferSize && !(this.#workers?.isFull(waiting) ?? false)) return true;
    if (makeRoom === undefined || !hasStack()) return false;
    this.#flush(1);
    makeRoom(this.#output);
    return true;
  }

  #waitingBytes(): number {
    return this.#output.pendingBytes + this.#writer.pendingBytes;
  }

  #isFlushDue(): boolean {
    return (
      this.#writer.pendingBytes >= this.#flushSize ||
      this.#traceKinds.count - this.#descriptions >= FLUSH_DESCRIPTIONS
    );
  }

  /** Out of the event loop: no piece is on its way, whatever was said by code that was terminated since. */
  #tick(): void {
    this.#isFlushing = false;
    this.#flush();
  }

  /** @param atWork events that are being delivered meanwhile */
  #flush(atWork = 0): void {
    if (this.#isFlushing || this.#isOver) return;
    this.#isFlushing = true;
    try {
      this.#writeOut(atWork);
    } catch {
      // The memory has ended. What has not gone out is there, for the next time.
    } finally {
      this.#isFlushing = false;
    }
    if (this.#isOver && this.#problem === undefined) this.#finish();
  }

  #writeOut(atWork: number): void {
    this.#dropUnfinished(atWork);
    this.#takeWorkersEvents(false);
    // Samples come later than the events of their time: until they do, there is no sequence point.
    const isComplete = this.#samples?.takeDue(this.#lastTime) !== false;
    this.#takePiece(isComplete);
    this.#send();
    const { bufferSize, makeRoom } = this.#settings;
    // Threads that wait for room have only the main thread to make it.
    if (this.#output.pendingBytes >= bufferSize) makeRoom?.(this.#output);
    this.#workers?.endRound(this.#waitingBytes());
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    try {
      this.#dropUnfinished(0);
      this.#takeWorkersEvents(true);
      if (this.#settings.rundown) writeProcessInfo(this.#writer, this.#thread, this.#lastTime);
      this.#samples?.finish(this.#lastTime);
      this.#newest.next = { piece: this.#writer.end(), next: undefined };
      this.#traceKinds.end();
      this.#send();
    } catch (error) {
      this.#fail(`The session's trace has no end: ${thrownText(error)}`);
    }
  }

  /**
   * Counts abandoned events, and records them in the trace.
   *
   * @param atWork events that are currently being delivered
   */
  #dropUnfinished(atWork: number): void {
    const count = (this.unfinished[0] as number) - atWork;
    // Where reading a payload has led here, its event may be finished yet.
    if (count === 0 || isEncoding()) return;
    this.#writer.drop(this.#thread, count);
    (this.unfinished[0] as number) -= count;
    this.#dropped += count;
  }

  /** All that they have written goes to the writer, and what it would have too much of becomes pieces. */
  #takeWorkersEvents(isLast: boolean): void {
    const onWritten = (): void => {
      if (this.#isFlushDue()) this.#takePiece(false);
    };
    this.#lastTime = this.#workers?.write(onWritten, isLast) ?? timestamp();
  }

  /** @param isComplete whether all events of the time have come */
  #takePiece(isComplete: boolean): void {
    this.#descriptions = this.#traceKinds.count;
    const piece = isComplete ? this.#writer.flush() : this.#writer.flushOpen();
    // No calls: the writer has forgotten the piece.
    const unsent = { piece, next: undefined };
    this.#newest.next = unsent;
    this.#newest = unsent;
  }

  /** An event that comes meanwhile belongs to the next pieces. */
  #send(): void {
    for (let { next } = this.#sent; next !== undefined; next = next.next) {
      this.#output.write(next.piece);
      this.#sent = next;
      next.piece = NOTHING;
    }
  }

  #fail(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    this.#close();
    this.#traceKinds.end();
    process.emitWarning(problem, 'TracewrightWarning');
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    if (!this.#isExiting) this.#asked.end();
    this.#workers?.end();
    this.#samples?.end();
  }
}
