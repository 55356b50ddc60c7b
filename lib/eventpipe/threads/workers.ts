/**
 * The worker threads of a group of sessions of the main thread: announces the group to them, and adds their events to
 * its rounds.
 */
import { type SessionPart, shareSession } from '../../listen/shared-sessions.ts';
import { CLOCK_OFFSET, timestamp } from '../../listen/timestamp.ts';
import { onWorkerExit } from '../../listen/worker-exits.ts';
import type { EventSink, ThreadHandle } from '../../wire/nettrace/write/trace-parts.ts';
import type { EventSchema } from '../../wire/schema.ts';
import type { EventWatch } from '../event-kinds.ts';
import { GROUP_KIND, SESSION_KIND, type SessionOfGroup } from '../join-sessions.ts';
import type { ProviderRequests } from '../requests.ts';
import type { TraceKinds } from '../trace-kinds.ts';
import { decodeKind, type EventRecord, recordsIn } from './records.ts';
import { allocateSharedMemory, markExited, type SharedMemory } from './shared-memory.ts';
import { SharedMemoryReader, type ThreadBytes } from './shared-memory-reader.ts';
import type { ThreadPartOptions } from './thread-part.ts';

interface WorkerThread {
  readonly handle: ThreadHandle;
  /** Indexed by the thread's own numbers for its kinds. */
  readonly metadataIds: number[];
  /** The schemas, if somebody watches. */
  readonly schemas: EventSchema[];
  lastTime: bigint;
}

export class Workers {
  readonly #writer: EventSink;
  readonly #kinds: TraceKinds;
  readonly #memory: SharedMemory;
  readonly #reader: SharedMemoryReader;
  readonly #watch: EventWatch | undefined;
  readonly #group = crypto.randomUUID();
  readonly #threads = new Map<number, WorkerThread>();
  #shared: SessionPart | undefined;
  readonly #sessions = new Map<object, SessionPart>();
  #lastSession = 0;
  #stopHearingOfExits = (): void => {};
  /** The time of the last read. */
  #until = 0n;
  /** Counts the events of all threads together. */
  events = 0;
  dropped = 0;

  /**
   * @param bufferSize how many bytes may wait, for all threads together
   * @param whenAsked called when there is much to read
   */
  constructor(
    writer: EventSink,
    kinds: TraceKinds,
    bufferSize: number,
    whenAsked: () => void,
    watch?: EventWatch,
  ) {
    this.#watch = watch;
    this.#writer = writer;
    this.#kinds = kinds;
    this.#memory = allocateSharedMemory(bufferSize);
    this.#reader = new SharedMemoryReader(this.#memory);
    this.#reader.onAsked(whenAsked);
  }

  /** @param waits whether their events wait for room */
  start(requests: ProviderRequests, waits: boolean): void {
    const options: ThreadPartOptions = {
      group: this.#group,
      requests: requests.byName,
      memory: this.#memory,
      waits,
      clockOffset: CLOCK_OFFSET,
    };
    this.#shared = shareSession(GROUP_KIND, this.#group, options);
    this.#stopHearingOfExits = onWorkerExit((threadId) => markExited(this.#memory, threadId));
  }

  /** Announces a session of the group. */
  add(session: object): void {
    const data: SessionOfGroup = { group: this.#group };
    this.#sessions.set(session, shareSession(SESSION_KIND, `${this.#group} ${++this.#lastSession}`, data));
  }

  remove(session: object): void {
    this.#sessions.get(session)?.end();
    this.#sessions.delete(session);
  }

  /** @param waitingBytes the number of bytes waiting on the main thread to be written */
  isFull(waitingBytes: number): boolean {
    return waitingBytes + this.#reader.usedBytes >= this.#memory.limitKiB * 1024;
  }

  /**
   * Passes all available events to the writer. An event that a thread had begun to write at the last call, but had not
   * finished, is at least as new as that call: all earlier events are in the trace.
   *
   * @param onWritten called from time to time, since the writer retains what it is given
   * @param isLast whether nothing follows
   * @returns a time: none of these events is newer, and no later event may be older
   */
  write(onWritten: () => void, isLast: boolean): bigint {
    // Checked before looking at what they have written: all of it is visible then.
    const exited = [...this.#threads.keys()].filter((thread) => this.#reader.hasExited(thread));
    const filled = this.#reader.filled();
    const from = this.#until;
    const until = timestamp();
    for (const part of this.#reader.take(filled)) {
      this.#writePart(part, from, until);
      onWritten();
    }
    const { counted } = this.#reader;
    for (const { thread, count, slot, total } of this.#reader.losses(isLast)) {
      this.#writer.drop(this.#threadOf(thread).handle, count);
      // No calls: it is counted once.
      this.dropped += count;
      counted[slot] = total;
    }
    for (const thread of exited) {
      const { handle } = this.#threadOf(thread);
      this.#reader.forget(thread);
      this.#threads.delete(thread);
      this.#writer.removeThread(handle);
    }
    this.#until = until;
    return until;
  }

  /** @param waitingBytes the number of bytes waiting on the main thread to be written */
  endRound(waitingBytes: number): void {
    this.#reader.endRound(waitingBytes);
  }

  /** What threads have written so far can still be read. */
  end(): void {
    this.#reader.end();
    for (const session of [...this.#sessions.keys()]) this.remove(session);
    this.#shared?.end();
    this.#stopHearingOfExits();
  }

  #writePart({ thread, chunk, bytes }: ThreadBytes, from: bigint, until: bigint): void {
    const worker = this.#threadOf(thread);
    const { read } = this.#reader;
    for (const record of recordsIn(bytes)) {
      const { size } = record;
      if (!('time' in record)) {
        const kind = decodeKind(record.payload);
        worker.metadataIds[kind.number] = this.#kinds.metadataIdOf(kind);
        if (this.#watch !== undefined) worker.schemas[kind.number] = kind.schema;
        (read[chunk] as number) += size;
        continue;
      }
      const metadataId = worker.metadataIds[record.kind] as number;
      if (metadataId === 0) {
        this.#writer.drop(worker.handle, 1);
        (read[chunk] as number) += size;
        this.dropped++;
        continue;
      }
      if (record.time > worker.lastTime) worker.lastTime = record.time;
      if (worker.lastTime < from) worker.lastTime = from;
      if (worker.lastTime > until) worker.lastTime = until;
      this.#writer.write({
        metadataId,
        thread: worker.handle,
        ticks: worker.lastTime,
        activityId: record.activityId,
        relatedActivityId: record.relatedActivityId,
        payload: record.payload,
      });
      // No calls: it is written once.
      (read[chunk] as number) += size;
      this.events++;
      if (this.#watch !== undefined) this.#show(worker.schemas[record.kind], record);
    }
  }

  #show(schema: EventSchema | undefined, { hasFailed, activityId, time }: EventRecord): void {
    if (schema !== undefined) this.#watch?.(schema, hasFailed, activityId, time);
  }

  #threadOf(thread: number): WorkerThread {
    let worker = this.#threads.get(thread);
    if (worker === undefined) {
      const { threadId, osThreadId } = this.#reader.idsOf(thread);
      const handle = this.#writer.thread({
        processId: process.pid,
        // In version 4, a thread has only its id.
        threadId: osThreadId === 0 ? threadId : osThreadId,
        name: `worker ${threadId}`,
      });
      worker = { handle, metadataIds: [], schemas: [], lastTime: 0n };
      this.#threads.set(thread, worker);
    }
    return worker;
  }
}
