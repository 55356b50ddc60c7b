/** Texts that lie one behind the other in one array of bytes, decoded when they are asked for. */

export class Texts {
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.starts = starts;
    this.bytes = bytes;
  }

  get count(): number {
    return this.starts.length - 1;
  }

  at(index: number): string {
    return UTF8.decode(this.bytes.subarray(this.starts[index], this.starts[index + 1]));
  }
}

const UTF8 = new TextDecoder();
