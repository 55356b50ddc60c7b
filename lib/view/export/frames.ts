/** The frames that the profiles of a speedscope file share: each name once. */
export class Frames {
  readonly #indices = new Map<string, number>();

  indexOf(name: string): number {
    let index = this.#indices.get(name);
    if (index === undefined) {
      index = this.#indices.size;
      this.#indices.set(name, index);
    }
    return index;
  }

  get names(): Iterable<string> {
    return this.#indices.keys();
  }
}
