/** What a nettrace's writer gathers until the next piece goes out, and what it knows until the next sequence point. */
import { FormatVersion } from '../constants.ts';
import { type EventBlocks, writeEventBlockHead } from './event-block.ts';
import { NumberedRows, RowBlocks, type RowNumbers } from './row-blocks.ts';
import type { Thread } from './sequence-points.ts';
import type { WrittenVersion } from './trace-parts.ts';

/** What there is from one sequence point to the next. */
export interface Epoch {
  readonly number: number;
  /** Threads with events or losses. */
  readonly touched: Set<Thread>;
  /** Of version 6: threads that end with the sequence point. */
  readonly removed: Set<Thread>;
  readonly stackNumbers: RowNumbers;
  readonly labelListNumbers: RowNumbers;
}

export function newEpoch(number: number): Epoch {
  return {
    number,
    touched: new Set(),
    removed: new Set(),
    stackNumbers: new Map(),
    labelListNumbers: new Map(),
  };
}

/** What goes out with the next piece. Replaced by the next one as a whole, which cannot fail halfway. */
export class Round {
  readonly number: number;
  readonly epoch: Epoch;
  readonly metadata: RowBlocks;
  readonly threadRows = new RowBlocks(() => {});
  readonly stacks: NumberedRows;
  readonly labelLists: NumberedRows;
  /** The events: by threads, or where they are in the order of time, those of all threads together. */
  readonly blocks: EventBlocks[] = [];
  /** Those of the rounds before, to be used again. */
  readonly spare: EventBlocks[];
  eventBytes = 0;

  constructor(number: number, epoch: Epoch, version: WrittenVersion, spare: EventBlocks[]) {
    this.number = number;
    this.epoch = epoch;
    this.metadata = new RowBlocks(
      version === FormatVersion.V6 ? (bytes) => bytes.uint16(0) : writeEventBlockHead,
    );
    this.stacks = new NumberedRows(epoch.stackNumbers);
    this.labelLists = new NumberedRows(epoch.labelListNumbers);
    this.spare = spare;
  }
}
