/** A worker thread's part in a group of sessions of the main thread: passes on the thread's events. */
import { isMainThread } from 'node:worker_threads';
import type { Guid } from '../../activity/guid.ts';
import type { Subscriber } from '../../listen/audience.ts';
import type { SessionPart } from '../../listen/shared-sessions.ts';
import { CLOCK_OFFSET } from '../../listen/timestamp.ts';
import { onWorkerExit } from '../../listen/worker-exits.ts';
import type { Listenable } from '../../listen/written-event.ts';
import { isEncoding } from '../../wire/event-encoder.ts';
import type { EventSchema } from '../../wire/schema.ts';
import type { Payload } from '../../wire/values/faults.ts';
import { type EventKind, EventKinds, NOT_ENCODED } from '../event-kinds.ts';
import { type ProviderRequest, ProviderRequests } from '../requests.ts';
import { SessionSources } from '../session-sources.ts';
import { MAX_KINDS } from '../trace-kinds.ts';
import { encodeKind, RecordHead } from './records.ts';
import { markExited, type SharedMemory } from './shared-memory.ts';
import { SharedMemoryWriter } from './shared-memory-writer.ts';

/** What a worker thread needs to know about a group of sessions. */
export interface ThreadPartOptions {
  /** Its id, unique in the process. */
  readonly group: string;
  readonly requests: ReadonlyMap<string, ProviderRequest>;
  readonly memory: SharedMemory;
  /** Whether events wait for room. */
  readonly waits: boolean;
  /** The difference between the events' times and the monotonic clock, as measured by the main thread. */
  readonly clockOffset: bigint;
}

export class ThreadPart implements SessionPart, Subscriber {
  readonly unfinished: Int32Array;
  readonly #kinds = new EventKinds();
  readonly #head = new RecordHead();
  readonly #asked: SessionSources;
  readonly #writer: SharedMemoryWriter;
  readonly #clockDifference: bigint;
  /** The described kinds; a kind's number is its index plus one. */
  #described: EventKind[] = [];
  readonly #stopHearingOfExits: () => void;
  #lastTime = 0n;

  constructor({ requests, memory, waits, clockOffset }: ThreadPartOptions) {
    this.#clockDifference = clockOffset - CLOCK_OFFSET;
    // The main thread has such a part if it runs several contexts; it would wait for itself.
    this.#writer = new SharedMemoryWriter(memory, waits && !isMainThread);
    this.unfinished = this.#writer.unfinished;
    this.#asked = new SessionSources(new ProviderRequests(requests), this);
    this.#stopHearingOfExits = onWorkerExit((threadId) => markExited(memory, threadId));
  }

  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    timestamp: bigint,
  ): void {
    const { unfinished } = this;
    if (this.#writer.isOver || !this.#asked.has(source, schema)) {
      (unfinished[0] as number)--;
      return;
    }
    // Interrupted events. If this was called while a payload is read, its event may still complete.
    if ((unfinished[0] as number) > 1 && !isEncoding()) this.#writer.drop((unfinished[0] as number) - 1);
    const kind = this.#kinds.of(source, schema);
    const size = kind.encode(payload);
    // An event written by another event's listener or payload is later, but arrives first.
    const time = timestamp + this.#clockDifference;
    if (time > this.#lastTime) this.#lastTime = time;
    if (size === NOT_ENCODED || !this.#isDescribed(kind)) {
      this.#writer.drop(1);
      return;
    }
    const bytes = kind.bytes.subarray(0, size);
    const ids = [activityId, relatedActivityId] as const;
    const head = this.#head.ofEvent(kind.number, this.#lastTime, ...ids, bytes, kind.hasFailed(payload));
    if (!this.#writer.write(head, bytes, 1)) this.#writer.drop(1);
  }

  /** Enables the thread's sources for a session of the group. */
  add(): SessionPart {
    const sender = {};
    this.#asked.add(sender);
    return { end: () => this.#asked.remove(sender) };
  }

  end(): void {
    this.#asked.end();
    this.#stopHearingOfExits();
  }

  /** Describes the kind unless it has been described. @returns false if there is no room for the description */
  #isDescribed(kind: EventKind): boolean {
    if (kind.number > 0) return true;
    if (this.#described.length === MAX_KINDS) {
      for (const described of this.#described) described.number = 0;
      this.#described = [];
    }
    const number = this.#described.length + 1;
    const text = encodeKind(number, kind);
    if (!this.#writer.write(this.#head.ofDescription(text), text, 0)) return false;
    kind.number = number;
    this.#described.push(kind);
    return true;
  }
}
