/** Writing much to stdout: in large pieces, and no more than whoever reads it has taken. */
import { once } from 'node:events';
import { printable, printableJson } from '../base/printable.ts';

/** Characters that are written at a time. */
const PIECE_SIZE = 1 << 16;

export class Output {
  #pending = '';

  /** Takes a line of text, wherever it comes from; after it `flush` is due where `isFull`, as after the next two. */
  line(text: string): void {
    this.styledLine(printable(text));
  }

  /** Takes a line as it is, with the colours that it has: all text in it that comes from elsewhere is `printable`. */
  styledLine(text: string): void {
    this.#pending += `${text}\n`;
  }

  /** Takes a value as a line of JSON, or as several that are indented by so many blanks. */
  json(value: object, indent?: number): void {
    this.styledLine(printableJson(JSON.stringify(value, null, indent)));
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
