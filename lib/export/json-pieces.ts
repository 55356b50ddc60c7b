/** Writes JSON in chunks. */
import { PIECE_SIZE } from './exporter.ts';

export class JsonPieces {
  #pending = '';
  #isFirst = true;

  /** Verbatim text. */
  text(text: string): void {
    this.#pending += text;
  }

  /** The next element of the open array. */
  element(value: unknown): void {
    this.beginElement(JSON.stringify(value));
  }

  /** Adds the element as JSON, or the start of it. */
  beginElement(json: string): void {
    this.#pending += `${this.#isFirst ? '\n' : ',\n'}${json}`;
    this.#isFirst = false;
  }

  get isFull(): boolean {
    return this.#pending.length >= PIECE_SIZE;
  }

  take(): string {
    const piece = this.#pending;
    this.#pending = '';
    return piece;
  }
}
