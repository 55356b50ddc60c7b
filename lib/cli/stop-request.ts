/** What ends a command that would go on for ever: Ctrl-C, being asked to end by the system, or a time. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export class StopRequest {
  readonly requested: Promise<void>;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    let resolveRequested = (): void => {};
    this.requested = new Promise((resolve) => {
      resolveRequested = resolve;
    });
    this.#stop = () => {
      // The second signal does what it does to every program.
      this.dispose();
      resolveRequested();
    };
    for (const signal of SIGNALS) process.on(signal, this.#stop);
  }

  /** Ends the command after some time, too. The last such time counts. */
  after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#stop, ms);
  }

  /** Nothing is waited for any more. */
  dispose(): void {
    clearTimeout(this.#timer);
    for (const signal of SIGNALS) process.off(signal, this.#stop);
  }
}
