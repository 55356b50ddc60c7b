/** The key q, which closes a table on the terminal. */

/** The control characters that a terminal turns into signals, except in raw mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  '\x03': 'SIGINT',
  '\x1a': 'SIGTSTP',
  '\x1c': 'SIGQUIT',
};

export class QuitKey {
  readonly #onQuit: () => void;

  /** Reads the keys of stdin, which is a terminal. */
  constructor(onQuit: () => void) {
    this.#onQuit = onQuit;
    this.#start();
    // Whoever stopped us has had the terminal meanwhile.
    process.on('SIGCONT', this.#start);
    process.stdin.on('data', this.#onKeys);
  }

  /** Restores the terminal. */
  close(): void {
    process.off('SIGCONT', this.#start);
    process.stdin.off('data', this.#onKeys).setRawMode(false).pause();
  }

  readonly #start = (): void => {
    process.stdin.setRawMode(true).setEncoding('latin1').resume();
  };

  readonly #onKeys = (keys: string | Buffer): void => {
    for (const key of String(keys)) {
      const signal = Object.hasOwn(SIGNALS, key) ? SIGNALS[key] : undefined;
      if (signal !== undefined) {
        if (signal === 'SIGTSTP') process.stdin.setRawMode(false);
        process.kill(process.pid, signal);
      } else if (key === 'q' || key === 'Q') this.#onQuit();
    }
  };
}
