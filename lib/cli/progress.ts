/** How far a command has come, on a terminal, once it takes longer than people wait for an answer. */
import { clearProgress, showProgress } from './messages.ts';

const FIRST_MS = 1000;
const INTERVAL_MS = 200;

export class Progress {
  readonly #text: () => string;
  readonly #timer: NodeJS.Timeout;
  #nextMs: number;

  /** @param text how far it has come */
  constructor(text: () => string) {
    this.#text = text;
    this.#nextMs = performance.now() + FIRST_MS;
    this.#timer = setInterval(() => this.update(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** To be called now and then by work that leaves timers no time. */
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
