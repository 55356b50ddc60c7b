/** What ends a command that would otherwise run for ever: Ctrl-C, the system, a closed terminal, or a time limit. */
import { removeTemporaries } from '../base/temporaries.ts';

/**
 * The signals that tell a program to end: Ctrl-C, Ctrl-\, Ctrl-Break (Windows), the system, and a terminal that closes.
 * Windows ends a program a few seconds after the last of these, no matter what.
 */
export const END_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGBREAK', 'SIGTERM', 'SIGHUP'] as const;

/**
 * One request can arrive twice: the terminal sends Ctrl-C to npx and to us, and npx forwards it to us; coreutils'
 * timeout signals its program and then the group. A repetition this soon is not a second request.
 */
export const REPEAT_MS = 500;

export class StopRequest {
  readonly requested: Promise<void>;
  /** The second signal has its default effect. */
  readonly #onSignal = (): void => {
    ignoreRepeats();
    this.stop();
  };
  #resolveRequested: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param others signals that mean something else */
  constructor(others: readonly NodeJS.Signals[] = []) {
    this.requested = new Promise((resolve) => {
      this.#resolveRequested = resolve;
    });
    for (const signal of END_SIGNALS) if (!others.includes(signal)) process.on(signal, this.#onSignal);
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

  /** Stops waiting for anything. */
  dispose(): void {
    clearTimeout(this.#timer);
    for (const signal of END_SIGNALS) process.off(signal, this.#onSignal);
  }
}

function ignoreRepeats(): void {
  for (const signal of END_SIGNALS) process.on(signal, ignore);
  setTimeout(heedRepeats, REPEAT_MS).unref();
}

/** Callers that measure the time themselves call this, since the timer may be late. */
export function heedRepeats(): void {
  for (const signal of END_SIGNALS) process.off(signal, ignore);
}

function ignore(): void {}

let holders = 0;

/**
 * From now on, a signal that nothing else handles, such as the second Ctrl-C, ends the process as usual, but leaves no
 * temporary files and folders behind.
 *
 * @returns ends that
 */
export function removeAtSignals(): () => void {
  // Before the handlers of those who hold the end of a command.
  if (holders++ === 0) for (const signal of END_SIGNALS) process.prependListener(signal, endClean);
  return () => {
    if (--holders === 0) for (const signal of END_SIGNALS) process.off(signal, endClean);
  };
}

function endClean(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeTemporaries();
  for (const each of END_SIGNALS) process.off(each, endClean);
  process.kill(process.pid, signal);
}
