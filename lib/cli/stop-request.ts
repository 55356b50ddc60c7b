/** What ends a command that would go on for ever: Ctrl-C, the system, the end of its terminal, or a time. */

/**
 * What asks a program to end: Ctrl-C, Ctrl-\, Ctrl-Break (Windows), the system, and a terminal that closes. Windows
 * ends a program a few seconds after the last of these, whatever the program does.
 */
export const END_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGBREAK', 'SIGTERM', 'SIGHUP'] as const;

/**
 * One request to end may come twice: the terminal sends Ctrl-C to npx and to us, and npx passes it on to us;
 * coreutils' timeout signals its program and then its group. What comes so soon is no second request.
 */
export const REPEAT_MS = 500;

export class StopRequest {
  readonly requested: Promise<void>;
  /** The second signal does what it does to every program. */
  readonly #onSignal = (): void => {
    ignoreRepeats();
    this.stop();
  };
  #resolveRequested: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.requested = new Promise((resolve) => {
      this.#resolveRequested = resolve;
    });
    for (const signal of END_SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Ends the command after some time, too. The last such time counts. */
  after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), ms);
  }

  /** Ends the command now. */
  stop(): void {
    this.dispose();
    this.#resolveRequested();
  }

  /** Nothing is waited for any more. */
  dispose(): void {
    clearTimeout(this.#timer);
    for (const signal of END_SIGNALS) process.off(signal, this.#onSignal);
  }
}

function ignoreRepeats(): void {
  for (const signal of END_SIGNALS) process.on(signal, ignore);
  setTimeout(heedRepeats, REPEAT_MS).unref();
}

/** For who measures the time itself: the timer may be late. */
export function heedRepeats(): void {
  for (const signal of END_SIGNALS) process.off(signal, ignore);
}

function ignore(): void {}
