/**
 * How much an event's payload may be decoded into, in any format: more than real payloads of its size contain. Without
 * limits, a few bytes could expand to more than fits into any memory: arrays and structs of nothing, long names that a
 * description gives to each of thousands of structs, messages that insert one field a thousand times.
 */

/** Any event may have this many values that need no bytes, such as empty strings of a given length. */
const WITHOUT_BYTES = 64;
/** This many characters of a field's name take as much as another value; few names are longer. */
const CHARACTERS_OF_VALUE = 64;
/** The messages of Windows' own events have up to 5,000 characters. */
const WITHOUT_BYTES_TEXT = 1 << 14;
/** A byte can have a name, and a text can be inserted several times. */
const CHARACTERS_OF_BYTE = 16;

/**
 * How many values a payload may have, including the structs around them.
 * @param size of the payload in bytes
 */
export function itemLimit(size: number): number {
  return WITHOUT_BYTES + 2 * size;
}

/** What a field counts in addition to its values each time that its name is said. */
export function nameCost(name: string): number {
  return Math.floor(name.length / CHARACTERS_OF_VALUE);
}

/** The text of an event or of a field, put together from parts. Behind the limit, it ends with an ellipsis. */
export class BoundedText {
  #text = '';
  #room: number;

  /** @param size of the payload in bytes */
  constructor(size: number) {
    this.#room = WITHOUT_BYTES_TEXT + CHARACTERS_OF_BYTE * size;
  }

  get isFull(): boolean {
    return this.#room < 0;
  }

  add(part: string): void {
    if (this.isFull) return;
    this.#text += part.length > this.#room ? `${part.slice(0, this.#room)}…` : part;
    this.#room -= part.length;
  }

  toString(): string {
    return this.#text;
  }
}
