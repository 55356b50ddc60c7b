/**
 * Bounds what a trace makes its reader retain for events to refer to: metadata, threads, stacks and label lists. A few
 * compressed kilobytes can describe millions of these without ever using one.
 */
import { TraceError } from '../trace-error.ts';

/** Approximate bytes of memory. Traces of busy programs need a few at a time. */
const BUDGET = 512 * 1024 * 1024;

/** Bytes of memory per entry, and per byte of its description. */
interface Weight {
  readonly each: number;
  readonly perByte: number;
}

const WEIGHTS = {
  metadata: { each: 600, perByte: 32 },
  threads: { each: 600, perByte: 16 },
  stacks: { each: 120, perByte: 1 },
  'label lists': { each: 300, perByte: 16 },
} as const satisfies Readonly<Record<string, Weight>>;

type TableName = keyof typeof WEIGHTS;

export class TableBudget {
  readonly #used = new Map<TableName, number>();
  #total = 0;

  /**
   * Adds one entry.
   *
   * @param size of its description in bytes
   * @param position of the description in the trace
   * @throws TraceError if there are too many
   */
  add(table: TableName, size: number, position: number): void {
    const weight = weightOf(table, size);
    this.#total += weight;
    this.#used.set(table, (this.#used.get(table) ?? 0) + weight);
    if (this.#total <= BUDGET) return;
    const reason = `The ${table} of the trace exceed the limit of ${BUDGET >> 20} MB.`;
    throw new TraceError('unsupported', position, reason);
  }

  /** Removes all entries. */
  clear(table: TableName): void {
    this.#total -= this.#used.get(table) ?? 0;
    this.#used.delete(table);
  }

  /** Removes one entry that was added with this size. */
  remove(table: TableName, size: number): void {
    const weight = weightOf(table, size);
    this.#total -= weight;
    this.#used.set(table, (this.#used.get(table) ?? 0) - weight);
  }
}

function weightOf(table: TableName, size: number): number {
  const { each, perByte } = WEIGHTS[table];
  return each + perByte * size;
}
