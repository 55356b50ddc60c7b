/** Bytes that are appended to: a report's columns while the trace is read. */

const FIRST_SIZE = 1 << 12;
const MAX_NUMBER_SIZE = 10;
const CONTINUES = 0x80;

export class GrowingBytes {
  #bytes = new Uint8Array(FIRST_SIZE);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What has been appended, as a view. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** @param value whole and not negative; as unsigned LEB128 */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_SIZE);
    let rest = value;
    // No shifts: nanoseconds do not fit into 32 bits.
    for (; rest >= CONTINUES; rest = Math.floor(rest / CONTINUES)) {
      this.#bytes[this.#size++] = (rest % CONTINUES) + CONTINUES;
    }
    this.#bytes[this.#size++] = rest;
  }

  /** A number that may be missing. */
  optional(value: number | undefined): void {
    this.number(value === undefined ? 0 : value + 1);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + count));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}
