/** The progress of a command on a terminal, shown once the command takes noticeably long. */
import { clearProgress, showProgress } from './messages.ts';

const FIRST_MS = 1000;
const INTERVAL_MS = 200;

export class Progress {
  readonly #text: () => string;
  readonly #timer: NodeJS.Timeout;
  #nextMs: number;

  /** @param text the progress to show */
  constructor(text: () => string) {
    this.#text = text;
    this.#nextMs = performance.now() + FIRST_MS;
    this.#timer = setInterval(() => this.update(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Work that leaves timers no time to run calls this now and then. */
  update(): void {
    if (performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + INTERVAL_MS;
    showProgress(this.#text());
  }

  end(): void {
    clearInterval(this.#timer);
    clearProgress();
  }
}
