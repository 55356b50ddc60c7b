/** The different stacks of a trace, by number; their frames get names when they are written, since names may follow. */
import type { CodeMappings } from '../../trace/code-mappings.ts';
import type { FrameNames } from '../cpu/frame-names.ts';

/** Of all stacks kept. */
const MAX_ADDRESSES = 4_000_000;

export interface KeptStack {
  readonly id: number;
  readonly processId: number | undefined;
  /** Innermost first. */
  readonly addresses: readonly bigint[];
  /** Of the first event with it. */
  readonly timestamp: bigint;
}

export class StackIds {
  #stacks = new Map<string, KeptStack>();
  #addresses = 0;
  #count = 0;

  /** Whether the stacks should be taken, for want of memory. */
  get isFull(): boolean {
    return this.#addresses >= MAX_ADDRESSES;
  }

  idOf(processId: number | undefined, addresses: readonly bigint[], timestamp: bigint): number {
    const key = `${processId} ${addresses.join()}`;
    let stack = this.#stacks.get(key);
    if (stack === undefined) {
      stack = { id: this.#count++, processId, addresses, timestamp };
      this.#stacks.set(key, stack);
      this.#addresses += addresses.length;
    }
    return stack.id;
  }

  /** The stacks so far; the same ones get other numbers from now on. */
  take(): KeptStack[] {
    const stacks = [...this.#stacks.values()];
    this.#stacks = new Map();
    this.#addresses = 0;
    return stacks;
  }
}

/** The names of a stack's functions, innermost first. */
export function frameTexts(
  stack: KeptStack,
  names: FrameNames,
  mappings: CodeMappings | undefined,
): string[] {
  const { processId, addresses, timestamp } = stack;
  return addresses.map((address) => names.frameOf(processId, address, timestamp, mappings).name);
}
