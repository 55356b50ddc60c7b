/**
 * The events of a group of sessions, from all threads, encoded once into rounds. Each session makes its own trace from
 * the rounds.
 */
import { isMainThread, threadId } from 'node:worker_threads';
import type { Guid } from '../activity/guid.ts';
import { osThreadId } from '../listen/os-thread-id.ts';
import { timestamp } from '../listen/timestamp.ts';
import type { Listenable } from '../listen/written-event.ts';
import { isEncoding } from '../wire/event-encoder.ts';
import type { RoundsBefore } from '../wire/nettrace/write/nettrace-pieces.ts';
import { NetTraceRounds } from '../wire/nettrace/write/nettrace-rounds.ts';
import type { WrittenRound } from '../wire/nettrace/write/round.ts';
import type { ThreadHandle, WrittenEvent, WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';
import type { EventSchema } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { CpuSamples, type SamplingRequest } from './cpu-samples/cpu-samples.ts';
import { type EventKind, EventKinds, NOT_ENCODED } from './event-kinds.ts';
import { POINTER_SIZE, writeProcessInfo } from './process-info.ts';
import type { Workers } from './threads/workers.ts';
import { TraceKinds } from './trace-kinds.ts';

/**
 * The rounds in order, as a linked list that ends with a link without a round. What all sessions have taken is unlinked:
 * a link in V8's old generation, used or not, keeps what it refers to until V8 collects that generation, and makes it old.
 */
export interface RoundLink {
  round: WrittenRound | undefined;
  next: RoundLink | undefined;
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

export class GroupRounds {
  /** A single number: see `Subscriber.unfinished`. */
  readonly unfinished = new Int32Array(1);
  /** Where the next round will be. */
  end: RoundLink = { round: undefined, next: undefined };
  /** The link of the first round that not all sessions are known to have taken. */
  #first = this.end;
  readonly #rounds: NetTraceRounds;
  readonly #kinds = new EventKinds();
  readonly #traceKinds: TraceKinds;
  readonly #thread: ThreadHandle;
  /** The next event to write: one reused object. */
  readonly #event: Mutable<WrittenEvent>;
  #workers: Workers | undefined;
  #samples: CpuSamples | undefined;
  #events = 0;
  #dropped = 0;
  /** The time of the newest event, or until which the rounds are complete. */
  #lastTime = 0n;
  /** How many kinds were described when the last round was taken. */
  #descriptions = 0;

  /** @param isShared whether traces may begin with a later round */
  constructor(version: WrittenVersion, isShared: boolean) {
    this.#rounds = new NetTraceRounds(version, POINTER_SIZE, 'thread', isShared);
    this.#traceKinds = new TraceKinds(this.#rounds);
    this.#thread = this.#rounds.thread({
      processId: process.pid,
      threadId: osThreadId(),
      name: isMainThread ? 'main' : `worker ${threadId}`,
    });
    this.#event = { metadataId: 0, thread: this.#thread, ticks: 0n, payload: scratch };
  }

  /** Adds the events of worker threads. */
  addWorkers(begin: (rounds: NetTraceRounds, kinds: TraceKinds) => Workers): Workers {
    const workers = begin(this.#rounds, this.#traceKinds);
    this.#workers = workers;
    return workers;
  }

  /** Adds CPU samples of this thread: see `CpuSamples`. */
  addSamples(
    request: SamplingRequest,
    hasRoom: () => boolean,
    whenComplete: () => void,
    startsLater?: boolean,
  ): void {
    this.#samples = new CpuSamples(this.#rounds, this.#thread, request, hasRoom, whenComplete, startsLater);
  }

  get events(): number {
    return this.#events + (this.#workers?.events ?? 0) + (this.#samples?.written ?? 0);
  }

  /** Includes events that are still being delivered. */
  get dropped(): number {
    return (
      this.#dropped +
      (this.unfinished[0] as number) +
      (this.#workers?.dropped ?? 0) +
      (this.#samples?.dropped ?? 0)
    );
  }

  /** The approximate size of the next round. */
  get pendingBytes(): number {
    return this.#rounds.pendingBytes;
  }

  /** How many kinds have been described since the last round: they are not counted by their bytes. */
  get descriptions(): number {
    return this.#traceKinds.count - this.#descriptions;
  }

  /** What a trace that begins with the next round needs; undefined if none can begin there. */
  before(): RoundsBefore | undefined {
    return this.#rounds.before();
  }

  kindOf(source: Listenable, schema: EventSchema): EventKind {
    return this.#kinds.of(source, schema);
  }

  /** Adds an event of this thread whose payload the kind has encoded; if it could not, the event is dropped. */
  add(
    kind: EventKind,
    size: number,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    time: bigint,
  ): void {
    const { unfinished } = this;
    if (kind.number === 0 && size !== NOT_ENCODED) kind.number = this.#traceKinds.metadataIdOf(kind);
    if (kind.number === 0 || size === NOT_ENCODED) {
      this.#rounds.drop(this.#thread, 1);
      this.#dropped++;
      (unfinished[0] as number)--;
      return;
    }
    // An event written by another event's listener or payload is later, but arrives first.
    if (time > this.#lastTime) this.#lastTime = time;
    const event = this.#event;
    event.metadataId = kind.number;
    event.ticks = this.#lastTime;
    event.activityId = activityId;
    event.relatedActivityId = relatedActivityId;
    event.payload = kind.bytes;
    event.payloadSize = size;
    this.#rounds.write(event);
    // No calls: the event is written and counted together.
    this.#events++;
    (unfinished[0] as number)--;
  }

  /**
   * Counts events whose delivery was interrupted as dropped, which traces report.
   *
   * @param atWork the number of events currently being delivered
   */
  dropUnfinished(atWork: number): void {
    // If this was called while a payload is read, its event may still complete.
    if (!isEncoding()) this.#drop((this.unfinished[0] as number) - atWork);
  }

  #drop(count: number): void {
    const { unfinished } = this;
    if (count === 0) return;
    this.#rounds.drop(this.#thread, count);
    (unfinished[0] as number) -= count;
    this.#dropped += count;
  }

  /**
   * Turns everything so far into rounds.
   *
   * @param atWork the number of events currently being delivered
   * @param isDue whether a round is large enough, although more will follow
   */
  take(atWork: number, isDue: () => boolean): void {
    this.dropUnfinished(atWork);
    this.#takeWorkersEvents(false, isDue);
    // Samples arrive later than events of the same time: until then, there is no sequence point.
    const isComplete = this.#samples?.takeDue(this.#lastTime) !== false;
    this.#takeRound(isComplete);
  }

  /** Unlinks the rounds so far: all sessions have taken them. */
  forgetTaken(): void {
    for (let link = this.#first; link.next !== undefined; link = this.#first) {
      this.#first = link.next;
      link.round = undefined;
      link.next = undefined;
    }
  }

  /** The last rounds, after the last event. */
  finish(isDue: () => boolean): void {
    this.#samples?.end();
    // Nothing completes any more. Code that was terminated while it encoded an event still seems to encode it.
    this.#drop(this.unfinished[0] as number);
    this.#takeWorkersEvents(true, isDue);
    this.#samples?.finish(this.#lastTime);
    this.#takeRound(true);
  }

  /** Releases the ids of the kinds. */
  close(): void {
    this.#samples?.end();
    this.#traceKinds.end();
  }

  /** An additional last round for one trace: the process information that .NET's tools expect. */
  processInfo(): WrittenRound | undefined {
    const apart = this.#rounds.apart();
    writeProcessInfo(apart, apart.adopted(this.#thread), this.#lastTime);
    return apart.take(true);
  }

  /** Resolves when sampling has started, or will not; undefined if it started at once, or if there are no samples. */
  get samplingStarted(): Promise<void> | undefined {
    return this.#samples?.started;
  }

  /** Resolves when the samples until now are written; undefined if there are none. */
  catchUp(): Promise<void> | undefined {
    return this.#samples?.catchUp();
  }

  /** Makes the next round contain the samples that V8 has taken until then. */
  hurrySamples(): void {
    this.#samples?.hurry();
  }

  #takeWorkersEvents(isLast: boolean, isDue: () => boolean): void {
    const onWritten = (): void => {
      if (isDue()) this.#takeRound(false);
    };
    this.#lastTime = this.#workers?.write(onWritten, isLast) ?? timestamp();
  }

  /** @param isComplete whether no earlier event can arrive */
  #takeRound(isComplete: boolean): void {
    const { count } = this.#traceKinds;
    const link = this.end;
    const end: RoundLink = { round: undefined, next: undefined };
    const round = this.#rounds.take(isComplete);
    // No calls: `#rounds` no longer contains the round.
    this.#descriptions = count;
    if (round === undefined) return;
    link.round = round;
    link.next = end;
    this.end = end;
  }
}
