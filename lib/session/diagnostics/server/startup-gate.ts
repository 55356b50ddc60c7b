/** Whether a port holds the process up at its start, until a tool has it go on. */
export class StartupGate {
  /** Resolves when the process may go on. */
  readonly passed: Promise<void>;
  #open: () => void = () => {};

  constructor(isSuspended: boolean) {
    this.passed = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (!isSuspended) this.#open();
  }

  /** As often as anybody likes. */
  open(): void {
    this.#open();
  }
}
