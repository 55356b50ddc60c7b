/**
 * Reads a nettrace as its bytes come, in pieces of any size, and gives each event as soon as nothing older
 * can come before it.
 */

import type { Framing } from './block.ts';
import { BlockReader } from './block-reader.ts';
import { ByteQueue } from './byte-queue.ts';
import { BlockKind } from './constants.ts';
import { NetTraceError } from './error.ts';
import type { NetTraceEvent } from './event.ts';
import { readStart } from './framing.ts';
import type { TraceHead } from './trace-head.ts';

export class NetTraceParser {
  /** Why reading has ended before the trace's end. All events before the fault have been given. */
  fault: NetTraceError | undefined;
  private readonly queue = new ByteQueue();
  private readonly reader = new BlockReader();
  private framing: Framing | undefined;

  /** Known from the first block on. */
  get head(): TraceHead | undefined {
    return this.reader.head;
  }

  /** Bytes that have been given, or of them those up to the trace's end. */
  get bytesRead(): number {
    return this.isAtEnd ? this.queue.position : this.queue.position + this.queue.length;
  }

  /** Events that the trace shows to be missing, as far as it has been read. */
  get lostEvents(): number {
    return this.reader.lostEvents;
  }

  /** Whether all has been read: to the end that the trace has itself, or to its fault. */
  get isAtEnd(): boolean {
    return this.fault !== undefined || this.framing?.isAtEnd === true;
  }

  /**
   * Once `isAtEnd`, further bytes are ignored.
   *
   * @param bytes stay as they are: events are views of them
   * @returns the events that are final now, in the order of time
   */
  push(bytes: Uint8Array): readonly NetTraceEvent[] {
    if (!this.isAtEnd) {
      this.queue.push(bytes);
      this.untilFault(() => this.readBlocks());
    }
    return this.reader.takeReleased();
  }

  /**
   * Says that there are no more bytes: a fault, unless the trace has told its end itself.
   *
   * @returns the events that are left
   */
  end(): readonly NetTraceEvent[] {
    if (!this.isAtEnd) this.untilFault(() => this.readCutBlock());
    return this.reader.takeReleased();
  }

  private untilFault(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof NetTraceError)) throw error;
      this.fault = error;
    }
    if (this.isAtEnd) this.reader.releaseAll();
  }

  private readBlocks(): void {
    this.framing ??= readStart(this.queue);
    const { framing } = this;
    if (framing === undefined) return;
    for (let block = framing.next(this.queue); block !== undefined; block = framing.next(this.queue)) {
      this.reader.read(block, framing.formatVersion);
    }
    if (framing.isAtEnd && this.head === undefined) {
      throw new NetTraceError('malformed', this.queue.position, 'The trace ends before it describes itself.');
    }
  }

  /** The whole events of a block whose end is missing. */
  private readCutBlock(): void {
    const end = this.queue.position + this.queue.length;
    const block = this.framing?.partOfNext(this.queue);
    if (block?.kind === BlockKind.Event) {
      try {
        this.reader.read(block, this.framing?.formatVersion ?? 0);
      } catch (error) {
        // The event that is cut itself; that the trace is cut is told below.
        if (!(error instanceof NetTraceError)) throw error;
      }
    }
    throw new NetTraceError('truncated', end, 'The trace ends before its end.');
  }
}
