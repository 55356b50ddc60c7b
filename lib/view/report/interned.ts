/** Values that are told once and meant by their numbers from then on. */

export class Interned<T> {
  readonly values: T[] = [];
  readonly #indices = new Map<string, number>();

  /** @param key equal for equal values */
  indexOf(key: string, make: () => T): number {
    const found = this.#indices.get(key);
    if (found !== undefined) return found;
    const index = this.values.push(make()) - 1;
    this.#indices.set(key, index);
    return index;
  }
}

/** Of a name in a report, in characters. Only broken or hostile traces have longer ones. */
const MAX_NAME_LENGTH = 300;

export function shortened(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
}
