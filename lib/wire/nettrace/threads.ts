/** The threads of a trace, and which of their events are missing. */
import type { Block } from './block.ts';
import { FormatVersion, ThreadEntry } from './constants.ts';
import { Cursor } from './cursor.ts';
import { EventQueue } from './event-order.ts';

export class NetTraceThread {
  /** The operating system's ids; undefined where the trace does not tell. */
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** This and the next: of version 6. */
  readonly name: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
  /** Events of the thread that wait for older ones of others. */
  readonly queue = new EventQueue();
  /** The number of the thread's last event. */
  sequence: number;

  constructor(ids: ThreadIds, sequence: number) {
    this.processId = ids.processId;
    this.threadId = ids.threadId;
    this.name = ids.name;
    this.properties = ids.properties;
    this.sequence = sequence;
  }
}

interface ThreadIds {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly name: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

const NO_PROPERTIES: ReadonlyMap<string, string> = new Map();

/** Version 4 does not tell when a thread ends: of so many that are forgotten, lost events are not noticed. */
const MAX_THREADS_V4 = 5000;

export class Threads {
  /** Events that are missing. A number that goes back counts as one: how many are missing, it does not tell. */
  lostEvents = 0;
  private readonly formatVersion: number;
  private readonly processId: number | undefined;
  private readonly threads = new Map<number, NetTraceThread>();

  constructor(formatVersion: number, processId: number | undefined) {
    this.formatVersion = formatVersion;
    this.processId = processId;
  }

  /**
   * @param id the system's id of the thread, in version 6 the index that the trace has given it
   * @param sequence the number of the event before, should the thread be new
   * @throws NetTraceError in version 6 where there is no such thread
   */
  get(id: number, sequence: number, cursor: Cursor): NetTraceThread {
    const known = this.threads.get(id);
    if (known !== undefined) return known;
    if (this.formatVersion >= FormatVersion.V6)
      cursor.fail('malformed', `There is no thread with index ${id}.`);
    if (this.threads.size >= MAX_THREADS_V4) this.forgetOldest();
    const ids = { processId: this.processId, threadId: id, name: undefined, properties: NO_PROPERTIES };
    return this.add(id, ids, sequence);
  }

  /** Notes that an event of the thread has this number: the ones between it and the last are missing. */
  advance(thread: NetTraceThread, sequence: number): void {
    this.countLost(thread, (sequence - 1) | 0);
    thread.sequence = sequence | 0;
  }

  /** Notes that the thread's last event has this number. */
  checkpoint(thread: NetTraceThread, sequence: number): void {
    this.countLost(thread, sequence | 0);
    thread.sequence = sequence | 0;
  }

  /** @throws NetTraceError */
  readThreadBlock(block: Block): void {
    const cursor = new Cursor(block);
    while (cursor.left > 0) {
      const row = cursor.part(cursor.uint16());
      const index = row.varId64();
      if (this.threads.has(index)) row.fail('malformed', `Thread index ${index} is given twice.`);
      this.add(index, this.readThread(row), 0);
    }
  }

  /** @throws NetTraceError */
  readRemoveThreadBlock(block: Block): void {
    const cursor = new Cursor(block);
    while (cursor.left > 0) {
      const index = cursor.varId64();
      this.checkpoint(this.get(index, 0, cursor), cursor.varUint32());
      this.threads.delete(index);
    }
  }

  forgetAll(): void {
    this.threads.clear();
  }

  private add(id: number, ids: ThreadIds, sequence: number): NetTraceThread {
    const thread = new NetTraceThread(ids, sequence | 0);
    this.threads.set(id, thread);
    return thread;
  }

  /** What waits in the thread's queue keeps waiting there. */
  private forgetOldest(): void {
    for (const id of this.threads.keys()) {
      this.threads.delete(id);
      return;
    }
  }

  private readThread(row: Cursor): ThreadIds {
    let { processId } = this;
    let threadId: number | undefined;
    let name: string | undefined;
    const properties = new Map<string, string>();
    while (row.left > 0) {
      const entry = row.uint8();
      if (entry === ThreadEntry.Name) name = row.utf8();
      else if (entry === ThreadEntry.ProcessId) processId = row.varId64();
      else if (entry === ThreadEntry.ThreadId) threadId = row.varId64();
      else if (entry === ThreadEntry.KeyValue) properties.set(row.utf8(), row.utf8());
      else row.fail('malformed', `There is no entry ${entry} of a thread.`);
    }
    return { processId, threadId, name, properties };
  }

  /**
   * Before version 6 ids of threads come back, with numbers from 1 on, and nothing says so: a thread whose last
   * number was 0 is taken as such a one.
   */
  private countLost(thread: NetTraceThread, expected: number): void {
    if (this.formatVersion < FormatVersion.V6 && thread.sequence === 0) return;
    const missing = (expected - thread.sequence) | 0;
    if (missing !== 0) this.lostEvents += missing > 0 ? missing : 1;
  }
}
