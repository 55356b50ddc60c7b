/** The different stacks of a trace, by number; their frames get names when they are written, since names may follow. */

/** Limits the addresses of all stacks kept. */
const MAX_ADDRESSES = 4_000_000;

export interface KeptStack {
  readonly id: number;
  readonly processId: number | undefined;
  /** Innermost first. */
  readonly addresses: readonly bigint[];
  /** The time of the first event with the stack. */
  readonly timestamp: bigint;
}

export class StackIds {
  readonly #ids = new Map<string, number>();
  /** The stacks that have not been taken. */
  #stacks: KeptStack[] = [];
  #addresses = 0;
  #count = 0;

  /** Whether all stacks should be taken, for want of memory. */
  get isFull(): boolean {
    return this.#addresses >= MAX_ADDRESSES;
  }

  idOf(processId: number | undefined, addresses: readonly bigint[], timestamp: bigint): number {
    const key = `${processId} ${addresses.join()}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#count++;
      this.#ids.set(key, id);
      this.#stacks.push({ id, processId, addresses, timestamp });
      this.#addresses += addresses.length;
    }
    return id;
  }

  /** Those for which `take` returns true do not come again. */
  take(take: (stack: KeptStack) => boolean): void {
    this.#stacks = this.#stacks.filter((stack) => !take(stack));
    if (this.isFull) this.forget();
  }

  /** The same stacks get other numbers from now on. */
  forget(): void {
    this.#ids.clear();
    this.#addresses = 0;
  }
}
