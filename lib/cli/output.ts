/** Writing much to stdout: in large pieces, and no more than whoever reads it has taken. */
import { once } from 'node:events';

/** Characters that are written at a time. */
const PIECE_SIZE = 1 << 16;

export class Output {
  #pending = '';

  /** Takes a line; after it `flush` is due where `isFull`. */
  line(text: string): void {
    this.#pending += `${text}\n`;
  }

  get isFull(): boolean {
    return this.#pending.length >= PIECE_SIZE;
  }

  async flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  }
}
