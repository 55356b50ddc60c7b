/**
 * Bounds what a trace makes its reader keep of the things that events refer to: metadata, threads, stacks and
 * label lists. Compressed, a few kilobytes may describe millions of them, and none of those may ever be used.
 */
import { NetTraceError } from './error.ts';

/** In bytes of memory, as far as they can be told. Traces of busy programs need some of them at a time. */
const BUDGET = 512 * 1024 * 1024;

/** Bytes of memory of one, and for each byte that describes it. */
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

export type TableName = keyof typeof WEIGHTS;

export class TableBudget {
  private readonly used = new Map<TableName, number>();
  private total = 0;

  /**
   * Notes one more of them.
   *
   * @param size bytes that describe it
   * @param position where they stand in the trace
   * @throws NetTraceError where there are too many
   */
  add(table: TableName, size: number, position: number): void {
    const weight = weightOf(table, size);
    this.total += weight;
    this.used.set(table, (this.used.get(table) ?? 0) + weight);
    if (this.total <= BUDGET) return;
    const reason = `With its ${table} the trace describes more than is kept, which is ${BUDGET >> 20} MB.`;
    throw new NetTraceError('unsupported', position, reason);
  }

  /** All of them are gone. */
  clear(table: TableName): void {
    this.total -= this.used.get(table) ?? 0;
    this.used.delete(table);
  }

  /** One of them is gone that was added with this size. */
  remove(table: TableName, size: number): void {
    const weight = weightOf(table, size);
    this.total -= weight;
    this.used.set(table, (this.used.get(table) ?? 0) - weight);
  }
}

function weightOf(table: TableName, size: number): number {
  const { each, perByte } = WEIGHTS[table];
  return each + perByte * size;
}
