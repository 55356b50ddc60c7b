/** Payloads as JSON, as `TraceEvent.toJSON` has them, without creating an object for each. */
import { printableJson } from '../base/printable.ts';
import { jsonField, jsonValue, type TraceEvent } from '../trace/trace-event.ts';

/** The maximum size of the names that are kept, in characters: corrupt or hostile traces can have any number. */
const MAX_KEPT = 1_000_000;
/** The approximate size of an entry besides its text. */
const ENTRY_SIZE = 100;

/** Up to this many characters, scanning a text is faster than calling `JSON.stringify`. */
const SHORT_TEXT = 200;

export class PayloadJson {
  readonly #names = new Map<string, string>();
  readonly #escaped: (json: string) => string;
  #room = MAX_KEPT;

  /** @param escaped what becomes of the JSON of what is not plain; by default, what a terminal can show */
  constructor(escaped: (json: string) => string = printableJson) {
    this.#escaped = escaped;
  }

  /** `{"url":"/","count":"3"}` */
  text({ payload, hexFields }: TraceEvent): string {
    let text = '';
    for (const name in payload) {
      const value = payload[name] as TraceEvent['payload'][string];
      text += text === '' ? this.#nameOf(name) : `,${this.#nameOf(name)}`;
      if (typeof value === 'string') text += this.#quoted(value);
      else if (hexFields?.has(name)) text += this.#json(jsonField(name, value, hexFields));
      else if (typeof value === 'number') text += Number.isFinite(value) ? value : 'null';
      else if (typeof value === 'bigint') text += `"${value}"`;
      else if (typeof value === 'boolean') text += value;
      else text += this.#json(jsonValue(value, hexFields));
    }
    return `{${text}}`;
  }

  /** The name includes the colon. */
  #nameOf(field: string): string {
    const known = this.#names.get(field);
    if (known !== undefined) return known;
    const text = `${this.#quoted(field)}:`;
    this.#room -= text.length + ENTRY_SIZE;
    if (this.#room >= 0) this.#names.set(field, text);
    return text;
  }

  #json(value: unknown): string {
    return this.#escaped(JSON.stringify(value));
  }

  #quoted(text: string): string {
    return isPlain(text) ? `"${text}"` : this.#json(text);
  }
}

/** A value as JSON that a terminal can show. */
export function json(value: unknown): string {
  return printableJson(JSON.stringify(value));
}

/** Returns the text in quotes. */
export function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : json(text);
}

/** Whether a text is short ASCII without anything that JSON escapes. */
function isPlain(text: string): boolean {
  if (text.length > SHORT_TEXT) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
