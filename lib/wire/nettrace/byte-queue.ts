/** Bytes that arrive in chunks of any size and are consumed in others. */

export class ByteQueue {
  /** The position of the first held byte in the trace. */
  position = 0;
  /** The number of bytes held. */
  length = 0;
  #pieces: Uint8Array[] = [];
  /** The first held chunk in `pieces`, and the first held byte in it. */
  #first = 0;
  #start = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.length += bytes.length;
  }

  /** The first `size` bytes, or as many as there are: a view if they are in one chunk, otherwise a copy. */
  peek(size: number): Uint8Array {
    const wanted = Math.min(size, this.length);
    const piece = this.#pieces[this.#first];
    if (piece === undefined) return new Uint8Array(0);
    if (piece.length - this.#start >= wanted) return piece.subarray(this.#start, this.#start + wanted);
    const bytes = new Uint8Array(wanted);
    let start = this.#start;
    let filled = 0;
    for (let i = this.#first; filled < wanted; i++) {
      const part = (this.#pieces[i] as Uint8Array).subarray(start, start + wanted - filled);
      bytes.set(part, filled);
      filled += part.length;
      start = 0;
    }
    return bytes;
  }

  /** Removes and returns the first `size` bytes, which must be there. */
  take(size: number): Uint8Array {
    const bytes = this.peek(size);
    this.skip(size);
    return bytes;
  }

  skip(size: number): void {
    this.position += size;
    this.length -= size;
    let left = size;
    for (;;) {
      const piece = this.#pieces[this.#first];
      if (piece === undefined) break;
      const inPiece = piece.length - this.#start;
      if (left < inPiece) {
        this.#start += left;
        break;
      }
      left -= inPiece;
      this.#start = 0;
      this.#first++;
    }
    // Usually all chunks, or all but one, have been consumed: then this moves almost nothing.
    if (this.#first > this.#pieces.length / 2) {
      this.#pieces = this.#pieces.slice(this.#first);
      this.#first = 0;
    }
  }
}
