/** The threads of a trace, and how many of their events are missing. */
import type { Block } from './block.ts';
import { FormatVersion, ThreadEntry } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { NetTraceThread } from './event.ts';
import { EventQueue } from './event-order.ts';
import type { TableBudget } from './table-budget.ts';

/** A thread, and how far its events have been read. */
export class TrackedThread implements NetTraceThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly name: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
  /** Events of the thread that wait for older ones of other threads. */
  readonly queue = new EventQueue();
  /** The sequence number of the thread's last event. */
  sequence: number;
  /** The size of its description in bytes. */
  readonly size: number;

  constructor(thread: NetTraceThread, size: number, sequence: number) {
    this.size = size;
    this.processId = thread.processId;
    this.threadId = thread.threadId;
    this.name = thread.name;
    this.properties = thread.properties;
    this.sequence = sequence;
  }
}

const NO_PROPERTIES: ReadonlyMap<string, string> = new Map();

/**
 * Version 4 does not record the end of a thread: beyond this many, threads are forgotten, and their lost events go
 * unnoticed.
 */
const MAX_THREADS_V4 = 5000;

export class Threads {
  /** The number of missing events. A sequence number that goes back counts as one, since it does not say how many. */
  lostEvents = 0;
  readonly #formatVersion: number;
  readonly #processId: number | undefined;
  readonly #threads = new Map<number, TrackedThread>();
  readonly #budget: TableBudget;

  constructor(formatVersion: number, processId: number | undefined, budget: TableBudget) {
    this.#budget = budget;
    this.#formatVersion = formatVersion;
    this.#processId = processId;
  }

  /**
   * @param id the thread's id in the system, or in version 6 its index in the trace
   * @param sequence the number of the previous event, if the thread is new
   * @throws TraceError in version 6 if there is no such thread
   */
  get(id: number, sequence: number, cursor: Cursor): TrackedThread {
    const known = this.#threads.get(id);
    if (known !== undefined) return known;
    if (this.#formatVersion >= FormatVersion.V6) cursor.fail(`The thread with index ${id} does not exist.`);
    if (this.#threads.size >= MAX_THREADS_V4) this.#forgetOldest();
    const described = {
      processId: this.#processId,
      threadId: id,
      name: undefined,
      properties: NO_PROPERTIES,
    };
    return this.#add(id, described, 0, sequence);
  }

  /** Records the number of the thread's next event: any numbers skipped are missing events. */
  advance(thread: TrackedThread, sequence: number): void {
    this.#countLost(thread, (sequence - 1) | 0);
    thread.sequence = sequence | 0;
  }

  /** Records the number of the thread's last event. */
  checkpoint(thread: TrackedThread, sequence: number): void {
    this.#countLost(thread, sequence | 0);
    thread.sequence = sequence | 0;
  }

  /** @throws TraceError */
  readThreadBlock(block: Block): void {
    const cursor = new Cursor(block);
    while (cursor.left > 0) {
      const size = cursor.uint16();
      const row = cursor.part(size);
      const index = row.varId64();
      if (this.#threads.has(index)) row.fail(`Thread index ${index} is defined twice.`);
      this.#budget.add('threads', size, block.position + row.offset);
      this.#add(index, this.#readThread(row), size, 0);
    }
  }

  /** @throws TraceError */
  readRemoveThreadBlock(block: Block): void {
    const cursor = new Cursor(block);
    while (cursor.left > 0) {
      const index = cursor.varId64();
      const thread = this.get(index, 0, cursor);
      this.checkpoint(thread, cursor.varUint32());
      this.#threads.delete(index);
      this.#budget.remove('threads', thread.size);
    }
  }

  forgetAll(): void {
    this.#threads.clear();
    this.#budget.clear('threads');
  }

  #add(id: number, described: NetTraceThread, size: number, sequence: number): TrackedThread {
    const thread = new TrackedThread(described, size, sequence | 0);
    this.#threads.set(id, thread);
    return thread;
  }

  /** Events in the thread's queue stay there. */
  #forgetOldest(): void {
    for (const id of this.#threads.keys()) {
      this.#threads.delete(id);
      return;
    }
  }

  #readThread(row: Cursor): NetTraceThread {
    let processId = this.#processId;
    let threadId: number | undefined;
    let name: string | undefined;
    let properties: Map<string, string> | undefined;
    while (row.left > 0) {
      const entry = row.uint8();
      if (entry === ThreadEntry.Name) name = row.utf8();
      else if (entry === ThreadEntry.ProcessId) processId = row.varId64();
      else if (entry === ThreadEntry.ThreadId) threadId = row.varId64();
      else if (entry === ThreadEntry.KeyValue) {
        properties ??= new Map();
        properties.set(row.utf8(), row.utf8());
      } else row.fail(`The entry ${entry} does not exist in a thread description.`);
    }
    return { processId, threadId, name, properties: properties ?? NO_PROPERTIES };
  }

  /**
   * Before version 6, thread ids are reused, with numbers from 1 and without notice: a thread whose last number was 0
   * counts as a new one.
   */
  #countLost(thread: TrackedThread, expected: number): void {
    if (this.#formatVersion < FormatVersion.V6 && thread.sequence === 0) return;
    const missing = (expected - thread.sequence) | 0;
    if (missing !== 0) this.lostEvents += missing > 0 ? missing : 1;
  }
}
