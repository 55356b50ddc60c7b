/**
 * The frames of stacks that the kernel records under keys. A repeated stack is recorded once: events refer to its key,
 * and its frames follow when the key is deleted, or at the end of the trace (KeyDelete, KeyRundown). A deleted key can
 * be reused for a different stack.
 *
 * Layout: the key, a pointer, then addresses, innermost frame first.
 */
import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { KernelGroup } from '../../wire/etl/constants.ts';
import { groupOf, headerEndOf, opcodeOf, pointerSizeOf } from '../../wire/etl/record.ts';

const KEY_DELETE = 35;
const KEY_RUNDOWN = 36;

/** Records are smaller than this. */
const CHUNK_SIZE = 1 << 18;
/** The size of a definition without its addresses, in bytes. */
const OVERHEAD = 100;
const MAX_SIZE = 128 << 20;

/** The smallest kernel address by pointer size: the upper word of 64-bit addresses, or the address. */
const KERNEL_WORD = { 8: 0xffff_0000, 4: 0x8000_0000 } as const;

export interface StackDefinition {
  readonly ticks: number;
  /** The addresses are in the chunk, from `start` to `end`, with this size. */
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly pointerSize: 4 | 8;
}

/** Both parts of a stack can have the same key. */
export type StackPart = 'kernel' | 'user';

/** A part of an event's stack. */
export interface AttachedStack {
  readonly part: StackPart;
  frames(): Iterable<bigint>;
}

export class StackDefinitions {
  /** Whether the trace has records of stacks at all. */
  isUsed = false;
  readonly #byPart = { kernel: new Map<number, Definitions>(), user: new Map<number, Definitions>() };
  readonly #maxSize: number;
  #chunk = new Uint8Array(0);
  #end = 0;
  #size = 0;

  constructor(maxSize: number = MAX_SIZE) {
    this.#maxSize = maxSize;
  }

  /** Takes a kernel record of the first pass, in file order. @returns whether it belongs to stacks */
  learn(record: EtlRecord, ticks: number): boolean {
    if (groupOf(record) !== KernelGroup.StackWalk) return false;
    this.isUsed = true;
    const opcode = opcodeOf(record);
    if (opcode === KEY_DELETE || opcode === KEY_RUNDOWN) this.#define(record, ticks);
    return true;
  }

  /** Returns the frames of a key at a time: the first ones that follow. */
  find(part: StackPart, key: number, ticks: number): StackDefinition | undefined {
    return this.#byPart[part].get(key)?.from(ticks);
  }

  #define(record: EtlRecord, ticks: number): void {
    const pointerSize = pointerSizeOf(record);
    const at = headerEndOf(record);
    const first = at + pointerSize;
    const size = record.end - first;
    if (size < pointerSize || this.#size + size + OVERHEAD > this.#maxSize) return;
    this.#size += size + OVERHEAD;
    if (this.#end + size > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_SIZE);
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += size;
    this.#chunk.set(record.buffer.bytes.subarray(first, record.end), start);
    const byKey = this.#byPart[stackPartOf(record, first)];
    const key = stackKeyAt(record, at);
    const definition = { ticks, chunk: this.#chunk, start, end: this.#end, pointerSize };
    const definitions = byKey.get(key);
    if (definitions === undefined) byKey.set(key, new Definitions(definition));
    else definitions.add(definition);
  }
}

/** The stacks that one key represented over time. */
class Definitions {
  readonly #all: StackDefinition[];
  #isSorted = true;

  constructor(first: StackDefinition) {
    this.#all = [first];
  }

  add(definition: StackDefinition): void {
    this.#all.push(definition);
    this.#isSorted = false;
  }

  from(ticks: number): StackDefinition | undefined {
    const all = this.#all;
    if (!this.#isSorted) all.sort((a, b) => a.ticks - b.ticks);
    this.#isSorted = true;
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle] as StackDefinition).ticks < ticks) low = middle + 1;
      else high = middle;
    }
    return all[low];
  }
}

/** A key as a number, without the upper bits, in which kernel addresses do not differ. */
export function stackKeyAt(record: EtlRecord, at: number): number {
  const { view } = record.buffer;
  const low = view.getUint32(at, true);
  return pointerSizeOf(record) === 4 ? low : (view.getUint32(at + 4, true) & 0x1f_ffff) * 2 ** 32 + low;
}

/** The part of a stack that the addresses from `start` on belong to; the outermost one decides. */
export function stackPartOf(record: EtlRecord, start: number): StackPart {
  const size = pointerSizeOf(record);
  const count = Math.floor((record.end - start) / size);
  return isKernelAddress(record, start + (count - 1) * size) ? 'kernel' : 'user';
}

export function isKernelAddress(record: EtlRecord, at: number): boolean {
  const size = pointerSizeOf(record);
  return record.buffer.view.getUint32(at + size - 4, true) >= KERNEL_WORD[size];
}
