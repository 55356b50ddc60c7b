/** Writes large amounts to stdout: in large chunks, and never ahead of the reader. */
import { once } from 'node:events';
import { printable, printableJson } from '../base/printable.ts';

/** Characters per write. */
const PIECE_SIZE = 1 << 16;

export class Output {
  #pending = '';

  /** Adds a line of text from any source; call `flush` afterwards if `isFull`, as after the next two methods. */
  line(text: string): void {
    this.styledLine(printable(text));
  }

  /** Adds a line as it is, including its colours: any outside text in it must be `printable` already. */
  styledLine(text: string): void {
    this.#pending += `${text}\n`;
  }

  /** Adds a value as one line of JSON, or as several lines with this indentation. */
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
