/**
 * A file descriptor and its single owner. The system reuses the number of a closed descriptor at once, for example for
 * a file of the application: so whoever closes a descriptor, or passes it on, must not have its number any longer.
 */
import { closeSync } from 'node:fs';

/** Every system call refuses it. */
const NO_NUMBER = -1;

export class OwnedDescriptor {
  #number: number;

  /** @param number of an open descriptor, which nobody else closes from now on */
  constructor(number: number) {
    this.#number = number;
  }

  /** Use the number for one system call only; it is -1 once the descriptor has been closed or released. */
  get number(): number {
    return this.#number;
  }

  get isOpen(): boolean {
    return this.#number !== NO_NUMBER;
  }

  /** Passes the descriptor on. @returns its number, for a new owner; -1 if it has none any more */
  release(): number {
    const number = this.#number;
    this.#number = NO_NUMBER;
    return number;
  }

  /** Repeated calls have no effect. */
  close(): void {
    const number = this.release();
    if (number === NO_NUMBER) return;
    try {
      closeSync(number);
    } catch {
      // The application has closed a descriptor that was not its own. There is nothing left to close.
    }
  }
}
