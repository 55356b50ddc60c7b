/** An open trace: what it says about itself, and its events. */
import { TraceError } from '../wire/trace-error.ts';
import type { CodeMappings } from './code-mappings.ts';
import type { TraceEvent } from './trace-event.ts';
import type { StackCounts, TraceInfo, TraceReader } from './trace-reader.ts';

/** Whether a fault ends the events with an error, or silently. */
export type OnDamage = 'error' | 'warning';

export class Trace {
  /** The file's path, or a description of the input. */
  readonly name: string;
  readonly info: TraceInfo;
  /** The input's size in bytes; undefined for an archive. */
  readonly size: number | undefined;
  readonly #reader: TraceReader;
  readonly #onDamage: OnDamage;
  readonly #close: () => Promise<void>;
  #problem: TraceError | undefined;
  #isRead = false;

  /** @internal */
  constructor(
    source: { readonly name: string; readonly size: number | undefined; close(): Promise<void> },
    reader: TraceReader,
    onDamage: OnDamage,
  ) {
    this.name = source.name;
    this.size = source.size;
    this.info = reader.info;
    this.#reader = reader;
    this.#onDamage = onDamage;
    this.#close = () => source.close();
  }

  /** Events that are missing, as far as the trace shows; final when all events have been read. */
  get lostEvents(): number {
    return this.#reader.progress.lostEvents;
  }

  /** Whole buffers of the recorder that are missing, with an unknown number of events. */
  get lostBuffers(): number {
    return this.#reader.progress.lostBuffers;
  }

  /** Events that came out of order: in a perf.data, too far behind later ones to be sorted. */
  get lateEvents(): number {
    return this.#reader.progress.lateEvents ?? 0;
  }

  /** @internal Events of a nettrace that are held back until nothing older can follow. */
  get waitingEvents(): number {
    return this.#reader.progress.waitingEvents ?? 0;
  }

  /**
   * What is in the trace, but cannot be read: how many of what, such as `ftrace packet` or `damaged packet`. Final when
   * all events have been read.
   */
  get unread(): ReadonlyMap<string, number> {
    return this.#reader.progress.unread ?? new Map();
  }

  /** WPP messages without their text, because no TMF describes them; final when all events have been read. */
  get undescribedMessages(): number {
    return this.#reader.progress.undescribedMessages ?? 0;
  }

  /** Stacks recorded separately from their events, if the trace has any; final when all events have been read. */
  get stacks(): Readonly<StackCounts> | undefined {
    return this.#reader.progress.stacks;
  }

  /** @internal The code mappings, if the trace contains them; complete when all events have been read. */
  get mappings(): CodeMappings | undefined {
    return this.#reader.progress.mappings;
  }

  /** Names of processes by id, as far as they have been read. */
  get processNames(): ReadonlyMap<number, string> {
    return this.#reader.progress.processNames;
  }

  /** @internal The processes that are threads of the kernel, as far as they have been read. */
  get kernelProcesses(): ReadonlySet<number> | undefined {
    return this.#reader.progress.kernelProcesses;
  }

  /** How much of the trace has been read, in bytes. */
  get bytesRead(): number {
    return this.#reader.progress.bytesRead;
  }

  /** The damage that ended the trace, once the events before it have been read. */
  get problem(): TraceError | undefined {
    return this.#problem;
  }

  /**
   * All events in time order, in batches of up to a few thousand: the fast way. Call it once; to read the trace again,
   * open it again.
   *
   * @throws TraceError at damage, after the events before it (unless `onDamage` is `warning`)
   */
  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    if (this.#isRead)
      throw new TypeError(`${this.name} has already been read: open it again to read it again.`);
    this.#isRead = true;
    try {
      yield* this.#reader.batches();
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      this.#problem = error;
      if (this.#onDamage === 'error') throw error;
    } finally {
      await this.#close();
    }
  }

  /** Yields the events one by one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<TraceEvent, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }

  /** Closes a trace that has not been read to its end. */
  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
