/**
 * Reads a nettrace as its bytes arrive, in chunks of any size, and delivers each event as soon as no older one can
 * follow.
 */

import { TraceError } from '../trace-error.ts';
import type { Framing } from './block.ts';
import { BlockReader } from './block-reader.ts';
import { ByteQueue } from './byte-queue.ts';
import { BlockKind } from './constants.ts';
import type { NetTraceEvent } from './event.ts';
import { readStart } from './framing.ts';
import type { TraceHead } from './trace-head.ts';

export class NetTraceParser {
  /** Why reading ended before the end of the trace. All events before the fault have been delivered. */
  fault: TraceError | undefined = undefined;
  readonly #queue = new ByteQueue();
  readonly #reader = new BlockReader();
  #framing: Framing | undefined;

  /** The head is known after the first block. */
  get head(): TraceHead | undefined {
    return this.#reader.head;
  }

  /** The number of bytes consumed, up to the end of the trace. */
  get bytesRead(): number {
    return this.isAtEnd ? this.#queue.position : this.#queue.position + this.#queue.length;
  }

  /** Events that the trace shows to be missing so far. */
  get lostEvents(): number {
    return this.#reader.lostEvents;
  }

  /** Events that are held back until nothing older can follow. */
  get waitingEvents(): number {
    return this.#reader.waitingEvents;
  }

  /** Whether everything has been read: to the trace's end marker, or to its fault. */
  get isAtEnd(): boolean {
    return this.fault !== undefined || this.#framing?.isAtEnd === true;
  }

  /**
   * Once `isAtEnd`, further bytes are ignored.
   *
   * @param bytes must not change: events are views of them
   * @returns the events that are now final, in time order
   */
  push(bytes: Uint8Array): readonly NetTraceEvent[] {
    if (!this.isAtEnd) {
      this.#queue.push(bytes);
      this.#untilFault(() => this.#readBlocks());
    }
    return this.#reader.takeReleased();
  }

  /**
   * Declares that there are no more bytes: a fault, unless the trace has ended by itself.
   *
   * @returns the remaining events
   */
  end(): readonly NetTraceEvent[] {
    if (!this.isAtEnd) this.#untilFault(() => this.#readCutBlock());
    return this.#reader.takeReleased();
  }

  #untilFault(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      this.fault = error;
    }
    if (this.isAtEnd) this.#reader.releaseAll();
  }

  #readBlocks(): void {
    this.#framing ??= readStart(this.#queue);
    const framing = this.#framing;
    if (framing === undefined) return;
    for (let block = framing.next(this.#queue); block !== undefined; block = framing.next(this.#queue)) {
      this.#reader.read(block, framing.formatVersion);
    }
    if (framing.isAtEnd && this.head === undefined) {
      throw new TraceError('malformed', this.#queue.position, 'The trace ends before it describes itself.');
    }
  }

  /** The complete events of a truncated block. */
  #readCutBlock(): void {
    const end = this.#queue.position + this.#queue.length;
    const block = this.#framing?.partOfNext(this.#queue);
    if (block?.kind === BlockKind.Event) {
      try {
        this.#reader.read(block, this.#framing?.formatVersion ?? 0);
      } catch (error) {
        // The event that is cut off; the truncation is reported below.
        if (!(error instanceof TraceError)) throw error;
      }
    }
    throw new TraceError('truncated', end, 'The trace is truncated.');
  }
}
