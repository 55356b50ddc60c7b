/** Values that are stored once and then referred to by index. */

export class Interned<T> {
  readonly values: T[] = [];
  readonly #indices = new Map<string, number>();

  has(key: string): boolean {
    return this.#indices.has(key);
  }

  /** @param key equal for equal values */
  indexOf(key: string, make: () => T): number {
    const found = this.#indices.get(key);
    if (found !== undefined) return found;
    const index = this.values.push(make()) - 1;
    this.#indices.set(key, index);
    return index;
  }
}

/** The maximum length of a name in a report, in characters. Only corrupt or hostile traces have longer ones. */
export const MAX_NAME_LENGTH = 300;

export function shortened(name: string): string {
  return shortenedTo(MAX_NAME_LENGTH, name);
}

export function shortenedTo(length: number, text: string): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
