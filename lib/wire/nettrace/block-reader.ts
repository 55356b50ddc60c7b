/** Reads a trace's blocks in order, and resolves the references between them. */
import { TraceError } from '../trace-error.ts';
import type { Block } from './block.ts';
import {
  BlockKind,
  COMPRESSED_HEADERS,
  EVENT_BLOCK_HEADER_SIZE,
  FormatVersion,
  SequencePointFlag,
} from './constants.ts';
import { Cursor } from './cursor.ts';
import { NetTraceEvent } from './event.ts';
import { EventHeader } from './event-header.ts';
import { EventOrder, MAX_WAITING } from './event-order.ts';
import { type LabelList, type LabelTable, readLabelListBlock } from './labels.ts';
import type { NetTraceMetadata } from './metadata.ts';
import { readMetadataV4 } from './metadata-v4.ts';
import { readMetadataBlock } from './metadata-v6.ts';
import { readStackBlock, type StackTable } from './stacks.ts';
import { TableBudget } from './table-budget.ts';
import { Threads, type TrackedThread } from './threads.ts';
import { readTraceHead, type TraceHead } from './trace-head.ts';

/**
 * Events per block: so that one read of bytes yields a bounded number of events. The runtime writes about a thousand.
 */
const MAX_BLOCK_EVENTS = MAX_WAITING;

/** Before version 6, of an event that is itself metadata. */
const METADATA_OF_METADATA = 0;

export class BlockReader {
  /** The head is known after the first block. */
  head: TraceHead | undefined = undefined;
  #formatVersion = 0;
  readonly #budget = new TableBudget();
  #threads = new Threads(0, undefined, this.#budget);
  readonly #order = new EventOrder();
  readonly #metadata = new Map<number, NetTraceMetadata>();
  /** Events keep the table that existed when they were read; a sequence point starts a new one. */
  #stacks: StackTable = new Map();
  #labels: LabelTable = new Map();
  #released: NetTraceEvent[] = [];

  get waitingEvents(): number {
    return this.#order.waiting;
  }

  get lostEvents(): number {
    return this.#threads.lostEvents;
  }

  /** The events that have become final since the last call, in time order. */
  takeReleased(): readonly NetTraceEvent[] {
    const released = this.#released;
    this.#released = [];
    return released;
  }

  /** Makes all events final, since there are no more blocks. */
  releaseAll(): void {
    this.#order.releaseAll(this.#released);
  }

  /** @throws TraceError */
  read(block: Block, formatVersion: number): void {
    if (this.head === undefined) this.#readTrace(block, formatVersion);
    else if (formatVersion >= FormatVersion.V6) this.#readV6(block);
    else this.#readV4(block);
  }

  #readTrace(block: Block, formatVersion: number): void {
    if (block.kind !== BlockKind.Trace) {
      const reason = `The first block is of kind ${block.kind} and does not describe the trace.`;
      throw new TraceError('malformed', block.position, reason);
    }
    this.head = readTraceHead(block, formatVersion);
    this.#formatVersion = formatVersion;
    this.#threads = new Threads(formatVersion, this.head.processId, this.#budget);
  }

  #readV4(block: Block): void {
    if (block.kind === BlockKind.Stack) {
      readStackBlock(block, this.#stacks, this.#budget);
    } else if (block.kind === BlockKind.SequencePoint) {
      this.#readSequencePointV4(new Cursor(block));
    } else if (block.kind === BlockKind.Trace) {
      throw new TraceError('malformed', block.position, 'The trace describes itself twice.');
    } else if (this.#formatVersion < FormatVersion.V4) {
      this.#readEventsV3(new Cursor(block));
    } else {
      this.#readEventBlock(new Cursor(block));
    }
  }

  #readV6(block: Block): void {
    switch (block.kind) {
      case BlockKind.Trace:
        throw new TraceError('malformed', block.position, 'The trace describes itself twice.');
      case BlockKind.Event:
        this.#readEventBlock(new Cursor(block));
        break;
      case BlockKind.Metadata:
        for (const { metadata, size } of readMetadataBlock(block))
          this.#define(metadata, size, block.position);
        break;
      case BlockKind.SequencePoint:
        this.#readSequencePointV6(new Cursor(block));
        break;
      case BlockKind.Stack:
        readStackBlock(block, this.#stacks, this.#budget);
        break;
      case BlockKind.Thread:
        this.#threads.readThreadBlock(block);
        break;
      case BlockKind.RemoveThread:
        this.#threads.readRemoveThreadBlock(block);
        break;
      case BlockKind.LabelList:
        readLabelListBlock(block, this.#labels, this.#budget);
        break;
      // Later versions of the format may add kinds of blocks, which other readers skip.
    }
  }

  /** They are in time order. */
  #readEventsV3(cursor: Cursor): void {
    const { block } = cursor;
    const header = new EventHeader();
    while (cursor.left > 0) {
      const start = cursor.offset;
      header.readV3(cursor);
      if (header.metadataId === METADATA_OF_METADATA) {
        this.#readMetadataEvent(block, header);
        continue;
      }
      const metadata = this.#metadataOf(header, block, start);
      const thread = this.#threads.get(header.threadId, 0, cursor);
      const stack = { block, start: header.stackStart, end: header.stackEnd };
      this.#released.push(
        new NetTraceEvent(header, this.#formatVersion, metadata, thread, block, start, undefined, stack),
      );
    }
  }

  /** Reads events; in version 4 also a block of metadata, which consists of events there. */
  #readEventBlock(cursor: Cursor): void {
    const headerSize = cursor.uint16();
    const flags = cursor.uint16();
    if (headerSize < EVENT_BLOCK_HEADER_SIZE) {
      cursor.fail(`The header of an event block cannot have ${headerSize} bytes.`);
    }
    cursor.skip(headerSize - 4);
    this.#readEvents(cursor, (flags & COMPRESSED_HEADERS) !== 0);
  }

  #readEvents(cursor: Cursor, isCompressed: boolean): void {
    const formatVersion = this.#formatVersion;
    const threads = this.#threads;
    const { block } = cursor;
    const header = new EventHeader();
    const hasMetadataEvents = formatVersion < FormatVersion.V6;
    // The threads mostly stay the same from event to event.
    let captureThread: TrackedThread | undefined;
    let captureThreadId = 0;
    let thread: TrackedThread | undefined;
    let threadId = 0;
    for (let count = 0; cursor.left > 0; count++) {
      if (count === MAX_BLOCK_EVENTS) {
        cursor.fail(`A block has more than ${MAX_BLOCK_EVENTS} events.`, 'unsupported');
      }
      const start = cursor.offset;
      if (isCompressed) header.readCompressed(cursor, formatVersion);
      else header.readUncompressed(cursor, formatVersion);
      if (hasMetadataEvents && header.metadataId === METADATA_OF_METADATA) {
        this.#readMetadataEvent(block, header);
        continue;
      }
      const metadata = this.#metadataOf(header, block, start);
      const labels = header.labelListId === 0 ? undefined : this.#labelsOf(header, block, start);
      if (captureThread === undefined || captureThreadId !== header.captureThreadId) {
        captureThreadId = header.captureThreadId;
        captureThread = threads.get(captureThreadId, header.sequence - 1, cursor);
      }
      if (thread === undefined || threadId !== header.threadId) {
        threadId = header.threadId;
        thread = threads.get(threadId, 0, cursor);
      }
      threads.advance(captureThread, header.sequence);
      const event = new NetTraceEvent(
        header,
        formatVersion,
        metadata,
        thread,
        block,
        start,
        labels,
        this.#stacks,
      );
      if (header.isSorted) {
        this.#order.releaseBefore(header.timeHigh, header.timeLow, this.#released);
        this.#released.push(event);
      } else {
        this.#order.add(captureThread.queue, event);
      }
    }
  }

  #readMetadataEvent(block: Block, header: EventHeader): void {
    const cursor = new Cursor(block, header.payloadStart, header.payloadEnd);
    this.#define(
      readMetadataV4(cursor),
      cursor.end - header.payloadStart,
      block.position + header.payloadStart,
    );
  }

  /** @param size of its description in bytes */
  #define(metadata: NetTraceMetadata, size: number, position: number): void {
    if (this.#metadata.has(metadata.id)) {
      throw new TraceError('malformed', position, `Metadata ${metadata.id} is defined twice.`);
    }
    this.#budget.add('metadata', size, position);
    this.#metadata.set(metadata.id, metadata);
  }

  #metadataOf(header: EventHeader, block: Block, start: number): NetTraceMetadata {
    const metadata = this.#metadata.get(header.metadataId);
    if (metadata !== undefined) return metadata;
    const reason = `An event refers to metadata ${header.metadataId}, which does not exist.`;
    throw new TraceError('malformed', block.position + start, reason);
  }

  #labelsOf(header: EventHeader, block: Block, start: number): LabelList {
    const labels = this.#labels.get(header.labelListId);
    if (labels !== undefined) return labels;
    const reason = `An event refers to label list ${header.labelListId}, which does not exist.`;
    throw new TraceError('malformed', block.position + start, reason);
  }

  #readSequencePointV4(cursor: Cursor): void {
    this.#startAnew(cursor);
    for (let left = cursor.uint32(); left > 0; left--) {
      this.#checkpoint(cursor, cursor.id64(), cursor.uint32());
    }
  }

  #readSequencePointV6(cursor: Cursor): void {
    this.#startAnew(cursor);
    const flags = cursor.uint32();
    for (let left = cursor.uint32(); left > 0; left--) {
      this.#checkpoint(cursor, cursor.varId64(), cursor.varUint32());
    }
    if ((flags & SequencePointFlag.FlushThreads) !== 0) this.#threads.forgetAll();
    if ((flags & SequencePointFlag.FlushMetadata) === 0) return;
    this.#metadata.clear();
    this.#budget.clear('metadata');
  }

  /** Nothing after a sequence point is older than it, or refers to earlier stacks or label lists. */
  #startAnew(cursor: Cursor): void {
    const timestampSize = 8;
    cursor.skip(timestampSize);
    this.releaseAll();
    this.#stacks = new Map();
    this.#labels = new Map();
    this.#budget.clear('stacks');
    this.#budget.clear('label lists');
  }

  #checkpoint(cursor: Cursor, threadId: number, sequence: number): void {
    this.#threads.checkpoint(this.#threads.get(threadId, sequence, cursor), sequence);
  }
}
