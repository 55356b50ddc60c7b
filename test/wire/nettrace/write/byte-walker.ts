/** Walks through bytes and never beyond them: the basis of the nettrace checker. */

export class ByteWalker {
  at: number;
  readonly end: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** @throws Error with where the walker is */
  demand(condition: boolean, rule: string): void {
    if (!condition) throw new Error(`At byte ${this.at}: ${rule}`);
  }

  u8 = (): number => this.#view.getUint8(this.#step(1));
  u16 = (): number => this.#view.getUint16(this.#step(2), true);
  u32 = (): number => this.#view.getUint32(this.#step(4), true);
  i64 = (): bigint => this.#view.getBigInt64(this.#step(8), true);

  /** LEB128 of at most so many bits, and not longer than it needs to be. */
  varuint(bits: 32 | 64): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      this.demand(byte !== 0 || shift === 0n, 'A variable-length integer has bytes it does not need.');
      this.demand(value < 1n << BigInt(bits), `A variable-length integer has more than ${bits} bits.`);
      return value;
    }
  }

  take(size: number): Uint8Array {
    const start = this.#step(size);
    return this.#bytes.subarray(start, start + size);
  }

  /** The next bytes, to be walked through on their own and to their end. */
  part(size: number): ByteWalker {
    const start = this.#step(size);
    return new ByteWalker(this.#bytes, start, start + size);
  }

  ascii(size: number): string {
    return Buffer.from(this.take(size)).toString('latin1');
  }

  utf8(): string {
    const bytes = this.take(Number(this.varuint(32)));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  }

  utf16(): string {
    let text = '';
    for (let unit = this.u16(); unit !== 0; unit = this.u16()) text += String.fromCharCode(unit);
    return text;
  }

  #step(size: number): number {
    this.demand(size >= 0 && size <= this.left, `${size} bytes are needed, but only ${this.left} are left.`);
    const at = this.at;
    this.at += size;
    return at;
  }
}
