/** What became of a source's events: nothing is lost without being counted here, with the reason. */

import { thrownText } from '../session/shown.ts';

/** A snapshot of the counts since the source was defined, in this thread. */
export interface SourceStats {
  /** Events that the kernel took. */
  readonly written: number;
  /**
   * Events that did not reach the kernel's tracer although it was listening, by reason: `tooLarge`,
   * `payloadThrew`, `nobodyListens` (recording began or ended in the same moment), `fileClosed`, or the
   * name of the kernel's error. And those that nobody gets: `notDescribable` ones (a name, fields or options of
   * `write` that cannot be).
   */
  readonly dropped: Readonly<Record<string, number>>;
  /** Of the written ones: those that perf takes, and that ftrace (trace_pipe, trace-cmd) does not. */
  readonly tooLargeForFtrace: number;
  /** Values that did not fit their fields; the nearest that does was written instead. */
  readonly badValues: number;
}

/** Problems told in words; one more says the same with other numbers. */
const MAX_PROBLEMS = 50;

export class Account {
  written = 0;
  tooLargeForFtrace = 0;
  badValues = 0;
  readonly #dropped = new Map<string, number>();
  readonly #problems = new Map<string, string>();

  drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** Reading a payload threw: nobody gets the event. */
  dropThrown(place: string, error: unknown): void {
    this.drop('payloadThrew');
    this.tell(`${place} payload`, () => `${place}: reading the payload threw ${thrownText(error)}`);
  }

  /** Whether a problem of this kind has been told; if not, `describe` is called for it. */
  tell(kind: string, describe: () => string): void {
    if (this.#problems.has(kind) || this.#problems.size >= MAX_PROBLEMS) return;
    this.#problems.set(kind, describe());
  }

  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  stats(): SourceStats {
    return {
      written: this.written,
      dropped: Object.fromEntries(this.#dropped),
      tooLargeForFtrace: this.tooLargeForFtrace,
      badValues: this.badValues,
    };
  }
}
