/** Whether a port holds the process up at its start, until a tool has it go on. */
export class StartupGate {
  /** Resolves when the process may go on. */
  readonly passed: Promise<void>;
  /** What whoever waits for it can do, as a sentence. */
  readonly remedy: string;
  #isOpen = false;
  #open: () => void = () => {};

  constructor(isSuspended: boolean, remedy: string) {
    this.remedy = remedy;
    this.passed = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (!isSuspended) this.open();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** As often as anybody likes. */
  open(): void {
    this.#isOpen = true;
    this.#open();
  }
}
