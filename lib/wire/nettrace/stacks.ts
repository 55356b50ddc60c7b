/** Stacks, to which events refer by number, up to the next sequence point. */
import type { Block } from './block.ts';
import { Cursor } from './cursor.ts';
import type { TableBudget } from './table-budget.ts';

/** The position of a stack's addresses, innermost frame first. */
export interface StackBytes {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
}

export type StackTable = Map<number, StackBytes>;

/** Adds the stacks of a block. @throws TraceError */
export function readStackBlock(block: Block, table: StackTable, budget: TableBudget): void {
  const cursor = new Cursor(block);
  const firstId = cursor.uint32();
  const count = cursor.uint32();
  for (let i = 0; i < count; i++) {
    const size = cursor.uint32();
    const start = cursor.offset;
    cursor.skip(size);
    if (size === 0) continue;
    budget.add('stacks', size, block.position + start);
    table.set((firstId + i) >>> 0, { block, start, end: cursor.offset });
  }
}

/** The addresses; trailing bytes that do not fill one are ignored. */
export function stackAddresses(stack: StackBytes, pointerSize: number): readonly bigint[] {
  const addresses: bigint[] = [];
  const { view } = stack.block;
  for (let at = stack.start; at + pointerSize <= stack.end; at += pointerSize) {
    addresses.push(pointerSize === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true)));
  }
  return addresses;
}
