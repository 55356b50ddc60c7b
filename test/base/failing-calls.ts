/** Makes the calls of a piece of work fail, one after another. */

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** What stands for the end of the memory or the stack. */
export class CallFailed extends RangeError {}

/** The methods of these objects fail; own properties that are functions, no accessors. */
export class FailingCalls {
  readonly #undo: (() => void)[] = [];
  #isOn = false;
  #left = 0;

  constructor(objects: readonly object[]) {
    for (const object of objects) {
      for (const name of Object.getOwnPropertyNames(object)) {
        const property = Object.getOwnPropertyDescriptor(object, name);
        if (name === 'constructor' || typeof property?.value !== 'function' || !property.writable) continue;
        this.#replace(object, name, property);
      }
    }
  }

  /**
   * Has `work` run again and again: the first of its calls fails, then the second, until none does.
   *
   * @returns how many calls failed
   */
  eachInTurn(work: () => void): number {
    for (let at = 1; ; at++) {
      try {
        this.failAt(at, work);
        return at - 1;
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
      }
    }
  }

  /** Has only this one of its calls fail, counted from 1. */
  failAt(at: number, work: () => void): void {
    this.#left = at;
    this.#isOn = true;
    try {
      work();
    } finally {
      this.#isOn = false;
    }
  }

  restore(): void {
    for (const undo of this.#undo) undo();
  }

  #replace(object: object, name: string, property: PropertyDescriptor): void {
    const method = property.value as Method;
    const calls = this;
    const replacement: Method = function (...args) {
      if (calls.#isOn && --calls.#left === 0) {
        calls.#isOn = false;
        throw new CallFailed(`${name} failed.`);
      }
      return Reflect.apply(method, this, args);
    };
    Object.defineProperty(object, name, { ...property, value: replacement });
    this.#undo.push(() => Object.defineProperty(object, name, property));
  }
}
