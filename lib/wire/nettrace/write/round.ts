/** A round: what has arrived since the last chunk of a trace, and what is known until the next sequence point. */
import { FormatVersion } from '../constants.ts';
import { type EventBlocks, type WrittenBlock, writeEventBlockHead } from './event-block.ts';
import { LabelLists, type LabelPlaces } from './label-lists.ts';
import { NumberedRows, RowBlocks, RowNumbers } from './row-blocks.ts';
import type { ThreadNumber, TouchedThread } from './sequence-points.ts';
import type { ThreadHandle, WrittenVersion } from './trace-parts.ts';

/** The contents of a round. It owns its bytes. */
export interface WrittenRound {
  readonly metadata: readonly Uint8Array[];
  readonly threadRows: readonly Uint8Array[];
  readonly stacks: readonly Uint8Array[];
  readonly labelLists: readonly Uint8Array[];
  readonly events: readonly WrittenBlock[];
  readonly eventCount: number;
  /** The time of the newest event; undefined if there is none. */
  readonly ticks: bigint | undefined;
  /** Whether a sequence point ends it: no later event is older, and none refers to its labels and stacks. */
  readonly isComplete: boolean;
  /** The sequence point needs the threads with events or losses since the last one. */
  readonly touched: readonly TouchedThread[];
  /** Threads that end with it, in version 6. */
  readonly removed: readonly ThreadNumber[];
}

export interface Thread extends ThreadHandle {
  sequence: number;
  /** The last round in which it had events, and its position there, if events are grouped by thread. */
  round: number;
  blocksAt: number;
  /** The epoch in which it was last marked as touched, and the one in which it last had events. */
  epoch: number;
  eventEpoch: number;
}

/** The data between two sequence points. */
export class Epoch {
  readonly number: number;
  /** Threads with events or losses. */
  readonly touched = new Set<Thread>();
  readonly removed = new Set<Thread>();
  readonly stackNumbers = new RowNumbers();
  readonly labelNumbers = new RowNumbers();

  constructor(number: number) {
    this.number = number;
  }

  touchedThread({ id, sequence, eventEpoch }: Thread): TouchedThread {
    return { id, sequence, hasEvents: eventEpoch === this.number };
  }
}

/** The contents of the next round. Replaced as a whole, which cannot fail halfway. */
export class Round {
  readonly number: number;
  readonly epoch: Epoch;
  readonly metadata: RowBlocks;
  readonly threadRows = new RowBlocks(() => {});
  readonly stacks: NumberedRows;
  readonly labelLists: LabelLists;
  /** The events: grouped by thread or, in time order, those of all threads together. */
  readonly blocks: EventBlocks[] = [];
  /** Blocks of earlier rounds, for reuse. */
  readonly spare: EventBlocks[];
  eventBytes = 0;
  eventCount = 0;

  constructor(
    number: number,
    epoch: Epoch,
    version: WrittenVersion,
    places: LabelPlaces,
    spare: EventBlocks[],
  ) {
    this.number = number;
    this.epoch = epoch;
    this.metadata = new RowBlocks(
      version === FormatVersion.V6 ? (bytes) => bytes.uint16(0) : writeEventBlockHead,
    );
    this.stacks = new NumberedRows(epoch.stackNumbers);
    this.labelLists = new LabelLists(places, epoch.number, epoch.labelNumbers);
    this.spare = spare;
  }

  get isEmpty(): boolean {
    const { blocks, metadata, threadRows, stacks, labelLists } = this;
    return blocks.length === 0 && [metadata, threadRows, stacks, labelLists].every((rows) => rows.isEmpty);
  }
}
