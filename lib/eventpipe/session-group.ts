/**
 * Sessions of one thread with the same requests: each event is encoded once for all of them, and they share its memory.
 * From the time it joins, each session makes its own trace from the group's rounds.
 */
import { isMainThread } from 'node:worker_threads';
import type { Guid } from '../activity/guid.ts';
import { hasStack } from '../base/stack-room.ts';
import type { Subscriber } from '../listen/audience.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { RoundsBefore } from '../wire/nettrace/write/nettrace-pieces.ts';
import type { WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { type SamplingRequest, samplingRequest } from './cpu-samples/cpu-samples.ts';
import { SAMPLE_PROFILER } from './cpu-samples/dotnet-events.ts';
import { type EventWatch, NOT_ENCODED } from './event-kinds.ts';
import { GroupRounds } from './group-rounds.ts';
import type { ProviderRequests } from './requests.ts';
import { SessionSources } from './session-sources.ts';
import { Workers } from './threads/workers.ts';

/** A flush is due after this many bytes of events, or this many milliseconds: the latter is .NET's interval. */
const FLUSH_SIZE = 1 << 18;
const FLUSH_MS = 100;
/** A flush is due after this many descriptions. */
const FLUSH_DESCRIPTIONS = 256;
/** How many bytes to write between checks for room and for a due flush; a fraction of it for small buffers. */
const CHECK_SIZE = 4096;
const CHECKS_OF_BUFFER = 64;

/** What all sessions of a group have in common. */
interface GroupSettings {
  readonly requests: ProviderRequests;
  readonly version: WrittenVersion;
  /** How many bytes may wait to be written, per session. */
  readonly bufferSize: number;
  /** Whether writing an event waits for room; otherwise the event is dropped. */
  readonly waits: boolean;
  /** Whether CPU samples start in a later turn of the event loop. */
  readonly samplesLater?: boolean | undefined;
  /** A group with a watch is separate, and its traces can begin with any complete round. */
  readonly watch?: EventWatch;
}

/** What a group needs of a session. */
export interface GroupMember {
  /** The number of bytes waiting to be written. */
  readonly waitingBytes: number;
  /** Takes the available rounds. May throw if the stack or the memory is exhausted; it is then called again. */
  take(): void;
  /** Waits until everything taken is written. */
  makeRoom(): void;
  /** Called after the session's last round. */
  finish(): void;
}

/** The groups that sessions can join, by settings. */
const groups = new Map<string, SessionGroup>();

export class SessionGroup implements Subscriber {
  readonly unfinished: Int32Array;
  readonly rounds: GroupRounds;
  readonly sampling: SamplingRequest | undefined;
  /** Events written by exit handlers after the last session had ended. */
  late = 0;
  readonly #settings: GroupSettings;
  readonly #watch: EventWatch | undefined;
  readonly #key: string | undefined;
  readonly #flushSize: number;
  readonly #checkSize: number;
  readonly #sources: SessionSources;
  readonly #timer: NodeJS.Timeout;
  #workers: Workers | undefined;
  #members: readonly GroupMember[] = [];
  /** Sessions that ended during a flush. */
  #leaving: readonly GroupMember[] = [];
  #isOver = false;
  #isExiting = false;
  /** During a flush, the application's stream may end a session or write events. */
  #isFlushing = false;
  /** Whether there was room at the last check, and the round size at which the next check is due. */
  #hadRoom = true;
  #checkAt: number;

  private constructor(
    settings: GroupSettings,
    sampling: SamplingRequest | undefined,
    key: string | undefined,
  ) {
    const { requests, version, bufferSize } = settings;
    this.#settings = settings;
    this.#key = key;
    this.sampling = sampling;
    this.#flushSize = Math.min(FLUSH_SIZE, bufferSize / 2);
    this.#checkSize = Math.min(CHECK_SIZE, bufferSize / CHECKS_OF_BUFFER);
    this.#checkAt = this.#checkSize;
    this.#watch = settings.watch;
    this.rounds = new GroupRounds(version, key !== undefined || settings.watch !== undefined);
    this.unfinished = this.rounds.unfinished;
    this.#sources = new SessionSources(requests, this);
    this.#timer = setInterval(() => this.#tick(), FLUSH_MS).unref();
    if (key !== undefined) groups.set(key, this);
  }

  /** The group for a session with these settings, and what its trace needs from earlier rounds. */
  static of(settings: GroupSettings): {
    readonly group: SessionGroup;
    readonly before: RoundsBefore | undefined;
  } {
    const sampling = samplingRequest(settings.requests.byName.get(SAMPLE_PROFILER));
    // Sessions do not share samples.
    const isShared = sampling === undefined && settings.watch === undefined;
    const key = isShared ? groupKey(settings) : undefined;
    const known = key === undefined ? undefined : groups.get(key);
    const before = known?.open();
    if (known !== undefined && before !== undefined) return { group: known, before };
    return { group: new SessionGroup(settings, sampling, key), before: undefined };
  }

  /** What a trace that begins now needs; undefined if none can. */
  open(): RoundsBefore | undefined {
    if (this.#isOver || this.#isFlushing) return undefined;
    this.#flush();
    return this.#isOver ? undefined : this.rounds.before();
  }

  /** Whether the group has more than one session. */
  get isShared(): boolean {
    return this.#members.length > 1;
  }

  /** Gives the session all rounds from now on, and enables the sources. */
  join(member: GroupMember): void {
    const isFirst = this.#members.length === 0;
    this.#members = [...this.#members, member];
    if (isFirst) this.#start();
    this.#workers?.add(member);
    this.#sources.add(member);
  }

  /** Asks the sources of this thread for their state. */
  captureState(kind: 'start' | 'stop'): void {
    this.#sources.captureState(kind);
  }

  /**
   * Takes the session's last rounds, and calls its `finish`: immediately, or after the current flush.
   *
   * @param isExiting whether the process is exiting: events of later exit handlers are counted
   */
  leave(member: GroupMember, isExiting: boolean): void {
    if (isExiting) this.#isExiting = true;
    if (this.#isFlushing) this.#leaving = [...this.#leaving, member];
    else this.#remove(member);
  }

  /** Like `leave`, from the event loop, where no flush is running, even if terminated code left it marked as running. */
  complete(member: GroupMember): void {
    this.#isFlushing = false;
    this.#remove(member);
  }

  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    time: bigint,
  ): void {
    const { unfinished, rounds } = this;
    if (this.#isOver || !this.#sources.has(source, schema)) {
      (unfinished[0] as number)--;
      if (this.#isExiting && this.#sources.has(source, schema)) this.late++;
      return;
    }
    if ((unfinished[0] as number) > 1) rounds.dropUnfinished(1);
    const kind = rounds.kindOf(source, schema);
    const size = this.#hadRoom || this.#hasRoom() ? kind.encode(payload) : NOT_ENCODED;
    // A full disk may have ended the sessions, and so may an event written while the payload was read.
    if (this.#isOver) {
      (unfinished[0] as number)--;
      return;
    }
    rounds.add(kind, size, activityId, relatedActivityId, time);
    this.#watch?.(schema, kind.hasFailed(payload), activityId, time);
    if (rounds.pendingBytes >= this.#checkAt) this.#check();
  }

  #start(): void {
    const { requests, bufferSize, waits, samplesLater } = this.#settings;
    const whenAsked = (): void => this.#tick();
    if (isMainThread) {
      this.#workers = this.rounds.addWorkers(
        (rounds, kinds) => new Workers(rounds, kinds, bufferSize, whenAsked, this.#watch),
      );
      this.#workers.start(requests, waits);
    }
    if (this.sampling !== undefined) {
      const hasRoom = (): boolean => this.#waitingBytes() < bufferSize;
      this.rounds.addSamples(this.sampling, hasRoom, whenAsked, samplesLater);
    }
  }

  /** The bytes waiting for the session with the most room. */
  #waitingBytes(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { waitingBytes } of this.#members) if (waitingBytes < least) least = waitingBytes;
    return least + this.rounds.pendingBytes;
  }

  #isRoomLeft(): boolean {
    const waiting = this.#waitingBytes();
    return waiting < this.#settings.bufferSize && !(this.#workers?.isFull(waiting) ?? false);
  }

  #hasRoom(): boolean {
    if (this.#isRoomLeft()) return true;
    if (!this.#settings.waits || !hasStack()) return false;
    this.#flush(1);
    for (const member of this.#members) member.makeRoom();
    return true;
  }

  readonly #isDue = (): boolean =>
    this.rounds.pendingBytes >= this.#flushSize || this.rounds.descriptions >= FLUSH_DESCRIPTIONS;

  #check(): void {
    // Otherwise the timer does it.
    if (this.#isDue() && hasStack()) this.#flush();
    this.#checked();
  }

  #checked(): void {
    this.#hadRoom = this.#isRoomLeft();
    this.#checkAt = this.rounds.pendingBytes + this.#checkSize;
  }

  /** The event loop calls this, where no flush is running: see `complete`. */
  #tick(): void {
    this.#isFlushing = false;
    this.#flush();
  }

  /** @param atWork the number of events currently being delivered */
  #flush(atWork = 0): void {
    if (this.#isFlushing || this.#isOver) return;
    this.#isFlushing = true;
    try {
      this.#writeOut(atWork);
    } catch {
      // Out of memory. Anything not written is kept for the next time.
    } finally {
      this.#isFlushing = false;
    }
    for (let [member] = this.#leaving; member !== undefined; [member] = this.#leaving) {
      this.#leaving = this.#leaving.slice(1);
      this.#remove(member);
    }
  }

  #writeOut(atWork: number): void {
    this.rounds.take(atWork, this.#isDue);
    const { bufferSize, waits } = this.#settings;
    for (const member of this.#members) {
      member.take();
      // Only the main thread can make the room that other threads wait for.
      if (waits && member.waitingBytes >= bufferSize) member.makeRoom();
    }
    this.rounds.forgetTaken();
    this.#checked();
    this.#workers?.endRound(this.#waitingBytes());
  }

  #remove(member: GroupMember): void {
    if (!this.#members.includes(member)) return;
    const others = this.#members.filter((other) => other !== member);
    if (others.length === 0) this.#close();
    else this.#flush();
    this.#members = others;
    if (!this.#isExiting && others.length > 0) {
      this.#workers?.remove(member);
      this.#sources.remove(member);
    }
    member.finish();
    if (others.length === 0) this.rounds.close();
  }

  #close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    if (this.#key !== undefined && groups.get(this.#key) === this) groups.delete(this.#key);
    if (!this.#isExiting) this.#sources.end();
    this.#workers?.end();
    try {
      this.rounds.finish(this.#isDue);
    } catch {
      // Out of memory: the trace ends with the rounds so far.
    }
  }
}

/** Returns undefined for sessions that do not share: with arguments, sources serve each session separately. */
function groupKey({ requests, version, bufferSize, waits }: GroupSettings): string | undefined {
  const all = [...requests.byName];
  if (all.some(([, request]) => Object.keys(request.arguments).length > 0)) return undefined;
  const texts = all.map((each) =>
    JSON.stringify(each, (_name, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return JSON.stringify([version, bufferSize, waits, texts.sort()]);
}
