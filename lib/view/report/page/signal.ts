/** A value that parts of the page share, and are told of when it changes. */
export class Signal<T> {
  #value: T;
  readonly #listeners: ((value: T) => void)[] = [];

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  /** @param listener called with each value that is set from now on */
  onChange(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }
}
