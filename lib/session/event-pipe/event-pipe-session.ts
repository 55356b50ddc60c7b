/** A session at work: takes the events that it asked for, and makes a nettrace of them. */
import { availableParallelism } from 'node:os';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Guid } from '../../activity/guid.ts';
import { NetTraceWriter } from '../../wire/nettrace/write/nettrace-writer.ts';
import type { ThreadHandle, WrittenTrace, WrittenVersion } from '../../wire/nettrace/write/written.ts';
import type { EventSchema } from '../../wire/schema.ts';
import type { Payload } from '../../wire/values/faults.ts';
import type { Subscriber } from '../audience.ts';
import { osThreadId } from '../os-thread-id.ts';
import { observeSources } from '../sources.ts';
import { type Listenable, type Subscriptions, subscriptionsOf } from '../subscriptions.ts';
import { timestamp } from '../timestamp.ts';
import { type EventKind, EventKinds } from './event-kinds.ts';
import type { OnOutputFailed, SessionOutput } from './output.ts';
import type { ProviderRequests } from './requests.ts';

/** Bytes of events that go out together, at the latest after so many milliseconds: .NET's interval. */
const FLUSH_SIZE = 1 << 18;
const FLUSH_MS = 100;
/** Descriptions that go out together: they are not counted by their bytes. */
const FLUSH_DESCRIPTIONS = 256;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** What became of a session. */
export interface SessionResult {
  /** Events that it took. All of them are in the trace, unless there is a `problem`. */
  readonly events: number;
  /** Events that it had no room for, or that could not be encoded. The trace tells that they are missing. */
  readonly dropped: number;
  /** Bytes that were written. */
  readonly bytes: number;
  /** Why the session ended before it was stopped, in a sentence. */
  readonly problem: string | undefined;
}

/** Makes an output, which tells when it fails. */
export type OpenOutput<Output extends SessionOutput> = (onFailed: OnOutputFailed) => Output;

export class EventPipeSession<Output extends SessionOutput> implements Subscriber {
  readonly #requests: ProviderRequests;
  readonly #bufferSize: number;
  readonly #flushSize: number;
  readonly #makeRoom: ((output: Output) => void) | undefined;
  readonly #kinds = new EventKinds();
  readonly #subscriptions = new Set<Subscriptions>();
  /** Sources of which only events without keywords are asked for: to listeners, keywords of 0 are all. */
  readonly #withoutKeywords = new Set<Listenable>();
  readonly #writer: NetTraceWriter;
  readonly #thread: ThreadHandle;
  readonly #output: Output;
  readonly #timer: NodeJS.Timeout;
  #stopObserving: () => void = () => {};
  #isOver = false;
  #events = 0;
  #dropped = 0;
  #lastTime = 0n;
  /** Described since the last flush. */
  #descriptions = 0;
  #problem: string | undefined;

  /**
   * @param bufferSize bytes that may wait to go out
   * @param makeRoom called when so many wait; without it, events are dropped
   */
  constructor(
    requests: ProviderRequests,
    version: WrittenVersion,
    bufferSize: number,
    openOutput: OpenOutput<Output>,
    makeRoom: ((output: Output) => void) | undefined,
  ) {
    this.#requests = requests;
    this.#bufferSize = bufferSize;
    this.#flushSize = Math.min(FLUSH_SIZE, bufferSize / 2);
    this.#makeRoom = makeRoom;
    this.#writer = new NetTraceWriter(version, traceOfThisProcess());
    this.#thread = this.#writer.thread({
      processId: process.pid,
      threadId: osThreadId(),
      name: isMainThread ? 'main' : `worker ${threadId}`,
    });
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
    this.#output = openOutput((problem) => this.#fail(problem));
    this.#flush();
    if (this.#isOver) return;
    this.#stopObserving = observeSources((source) => this.#ask(source));
    // Failed by an event of a source that it was shown first.
    if (this.#isOver) this.#stopObserving();
  }

  get output(): Output {
    return this.#output;
  }

  /** So far. */
  get result(): SessionResult {
    return {
      events: this.#events,
      dropped: this.#dropped,
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
    if (this.#isOver) return;
    if (schema.keywords !== 0n && this.#withoutKeywords.has(source)) return;
    const kind = this.#kinds.of(source, schema);
    const bytes = this.#hasRoom() ? kind.encode(payload) : undefined;
    // Full storage may have ended it, and so may an event that reading the payload wrote.
    if (this.#isOver) return;
    if (bytes === undefined) {
      this.#dropped++;
      this.#writer.drop(this.#thread, 1);
      return;
    }
    // An event that another one's listener or payload writes is the later one, and comes first.
    if (time > this.#lastTime) this.#lastTime = time;
    this.#writer.write({
      metadataId: this.#described(kind),
      thread: this.#thread,
      ticks: this.#lastTime,
      activityId: textOf(activityId),
      relatedActivityId: textOf(relatedActivityId),
      payload: bytes,
    });
    this.#events++;
    if (this.#writer.pendingBytes >= this.#flushSize || this.#descriptions >= FLUSH_DESCRIPTIONS)
      this.#flush();
  }

  /** No event any more; what there is goes out, with the trace's end. */
  end(): void {
    if (this.#isOver) return;
    this.#close();
    this.#output.write(this.#writer.end());
  }

  #ask(source: Listenable): void {
    const request = this.#requests.of(source.name);
    if (request === undefined || this.#isOver) return;
    const subscriptions = subscriptionsOf(source);
    this.#subscriptions.add(subscriptions);
    if (request.keywords === 0n) this.#withoutKeywords.add(source);
    subscriptions.enable(this, request);
  }

  #hasRoom(): boolean {
    if (this.#output.pendingBytes + this.#writer.pendingBytes < this.#bufferSize) return true;
    if (this.#makeRoom === undefined) return false;
    this.#flush();
    this.#makeRoom(this.#output);
    return true;
  }

  #described(kind: EventKind): number {
    if (!kind.isDescribed) this.#descriptions++;
    return kind.metadataIdIn(this.#writer);
  }

  #flush(): void {
    this.#descriptions = 0;
    this.#output.write(this.#writer.flush());
  }

  #fail(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    process.emitWarning(problem, 'TracewrightWarning');
    this.#close();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#stopObserving();
    for (const subscriptions of this.#subscriptions) subscriptions.disable(this);
  }
}

/** The clock is that of the events' times: nanoseconds since 1970. The trace's start has only milliseconds. */
function traceOfThisProcess(): WrittenTrace {
  const startTimeMs = timestamp() / NS_PER_MS;
  return {
    startTimeMs: Number(startTimeMs),
    syncTicks: startTimeMs * NS_PER_MS,
    ticksPerSecond: NS_PER_SECOND,
    pointerSize: process.arch === 'arm' || process.arch === 'ia32' ? 4 : 8,
    processId: process.pid,
    processors: availableParallelism(),
  };
}

function textOf(id: Guid | undefined): string | undefined {
  return id === undefined || id.isEmpty ? undefined : id.toString();
}
