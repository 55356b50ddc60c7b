/**
 * Fits the text and values of log lines into an event: perf accepts events of up to 8184 bytes, and a truncated line
 * says more than a dropped one.
 */
import { isAnError, thrownTextWithStack } from '../base/value-text.ts';

const encoder = new TextEncoder();
/** The maximum size of a UTF-16 code unit in UTF-8. */
const MAX_CHARACTER_BYTES = 3;
const ELLIPSIS = '…';
/** The maximum size of one string inside a structure. */
const MAX_STRING_BYTES = 1500;
const MAX_DEPTH = 5;
/** The maximum size of a number, a boolean or null, with its delimiters. */
const SIMPLE_VALUE_BYTES = 24;

let scratch = new Uint8Array(0);

/** The text, or its beginning and an ellipsis, in at most `maxBytes` bytes of UTF-8. */
export function cut(text: string, maxBytes: number): string {
  if (text.length * MAX_CHARACTER_BYTES <= maxBytes) return text;
  if (scratch.length < maxBytes) scratch = new Uint8Array(maxBytes);
  const { read } = encoder.encodeInto(text, scratch.subarray(0, maxBytes - MAX_CHARACTER_BYTES));
  return read === text.length ? text : text.slice(0, read) + ELLIPSIS;
}

/**
 * A copy of the object whose JSON takes at most about `maxBytes` bytes: without cycles and values that JSON cannot
 * represent, and with `'…'` for what does not fit. Members that throw are omitted.
 */
export function boundedCopy(value: object, maxBytes: number): Readonly<Record<string, unknown>> {
  return new Copier(maxBytes).copyObject(value, 0);
}

class Copier {
  #left: number;
  /** The objects that enclose the one being copied. */
  readonly #around: object[] = [];

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  copyObject(value: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    this.#around.push(value);
    for (const name of Object.keys(value)) {
      if (this.#left <= 0) {
        copy[ELLIPSIS] = ELLIPSIS;
        break;
      }
      const member = this.#memberOf(value as Readonly<Record<string, unknown>>, name, depth);
      if (member === undefined) continue;
      this.#take(name);
      // Works for a member named __proto__, too.
      Object.defineProperty(copy, name, { value: member, enumerable: true });
    }
    this.#around.pop();
    return copy;
  }

  #memberOf(value: Readonly<Record<string, unknown>>, name: string, depth: number): unknown {
    const outside = this.#around.length;
    try {
      return this.#copy(value[name], depth + 1);
    } catch {
      // A getter, a proxy or a toJSON threw.
      this.#around.length = outside;
      return undefined;
    }
  }

  #copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.#copyText(value);
      case 'bigint':
        return this.#copyText(String(value));
      case 'number':
      case 'boolean':
        this.#left -= SIMPLE_VALUE_BYTES;
        return value;
      case 'object':
        return value === null ? null : this.#copyStructure(value, depth);
      default:
        return undefined;
    }
  }

  #copyStructure(value: object, depth: number): unknown {
    if (isAnError(value)) return this.#copyText(thrownTextWithStack(value));
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    if (this.#around.includes(value)) return this.#copyText('[Circular]');
    if (depth > MAX_DEPTH) return this.#copyText(ELLIPSIS);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') {
      this.#around.push(value);
      const copy = this.#copy(Reflect.apply(toJSON, value, ['']), depth + 1);
      this.#around.pop();
      return copy;
    }
    return Array.isArray(value) ? this.#copyArray(value, depth) : this.copyObject(value, depth);
  }

  #copyArray(values: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    this.#around.push(values);
    for (const value of values) {
      if (this.#left <= 0) {
        copy.push(ELLIPSIS);
        break;
      }
      this.#left -= 1;
      copy.push(this.#copy(value, depth + 1) ?? null);
    }
    this.#around.pop();
    return copy;
  }

  #copyText(text: string): string {
    const short = cut(text, Math.max(MAX_CHARACTER_BYTES, Math.min(this.#left, MAX_STRING_BYTES)));
    this.#take(short);
    return short;
  }

  /** Reserves space for a text in JSON, which may be six times as long as the text. */
  #take(text: string): void {
    this.#left -= Buffer.byteLength(JSON.stringify(text)) + 2;
  }
}
