// The end of a guest's output. A machine that is switched off drops what the host has not read yet, so the
// guest writes a mark after the command's last byte and stays on; the host switches it off when it has the mark.
import { Transform } from 'node:stream';

/** Passes on all that comes before the mark, and ends at the mark. */
export class UntilMark extends Transform {
  #mark;
  /** What may be the start of the mark. */
  #held = Buffer.alloc(0);

  /** @param {Buffer} mark bytes that the output itself does not have */
  constructor(mark) {
    super();
    this.#mark = mark;
  }

  _transform(chunk, _encoding, done) {
    const data = this.#held.length ? Buffer.concat([this.#held, chunk]) : chunk;
    const held = this.#heldLength(data);
    const isMark = held === this.#mark.length;
    this.#held = isMark ? Buffer.alloc(0) : data.subarray(data.length - held);
    if (held < data.length) this.push(data.subarray(0, data.length - held));
    if (isMark) this.end();
    done();
  }

  _flush(done) {
    done(null, this.#held);
  }

  /** How much of the end of the data is a start of the mark. */
  #heldLength(data) {
    let length = Math.min(this.#mark.length, data.length);
    while (!data.subarray(data.length - length).equals(this.#mark.subarray(0, length))) length--;
    return length;
  }
}
