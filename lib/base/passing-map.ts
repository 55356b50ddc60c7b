/**
 * A map for entries that come and go. A Map gets a new table after as many deletions as it has room, and the old table
 * refers to the new one: once one is in V8's old generation, all later ones stay until its next full collection, with
 * what was in them. So this starts a new Map now and then.
 */

/** With fewer deletions, copying what is left would take longer than it saves. */
const MIN_DELETED = 1000;

export class PassingMap<Key, Value> {
  #map = new Map<Key, Value>();
  #deleted = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value);
  }

  /** The key that was set first. */
  get firstKey(): Key | undefined {
    const [key] = this.#map.keys();
    return key;
  }

  /** None may be deleted while the values are read, unless that ends. */
  values(): Iterable<Value> {
    return this.#map.values();
  }

  delete(key: Key): void {
    if (!this.#map.delete(key)) return;
    this.#deleted++;
    if (this.#deleted < MIN_DELETED || this.#deleted < this.#map.size) return;
    this.#map = new Map(this.#map);
    this.#deleted = 0;
  }
}
