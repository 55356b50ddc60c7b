/** What became of a source's events: nothing is lost without being counted here, with the reason. */

import { thrownText } from '../base/value-text.ts';

/** A snapshot of the counts since the source was defined, in this thread. */
export interface SourceStats {
  /** Events that the kernel took. */
  readonly written: number;
  /**
   * Events that did not reach the kernel's tracer although it was listening, by reason: `tooLarge`,
   * `payloadThrew`, `interrupted` (the stack or the memory ended amid), `nobodyListens` (recording began or ended in
   * the same moment), `fileClosed`, or the name of the kernel's error. And those that nobody gets: `notDescribable` ones (a name, fields or options of
   * `write` that cannot be), and `closed` ones, written after the source was closed.
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
  /** Counted by an assignment, since no call can be made where the stack has ended. */
  interrupted = 0;
  readonly #dropped = new Map<string, number>();
  readonly #problems = new Map<string, string>();

  /** Counts an event, as the last thing of all, so that one that this fails for is only `interrupted`. */
  drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** Reading a payload threw: nobody gets the event. */
  dropThrown(place: string, error: unknown): void {
    this.tell(`${place} payload`, () => `${place}: reading the payload threw ${thrownText(error)}`);
    this.drop('payloadThrew');
  }

  /** The source was closed before: nobody gets the event. */
  dropLate(place: string): void {
    this.tell('closed', () => `${place}: the event was written after its source had been closed.`);
    this.drop('closed');
  }

  /** Tells a problem, unless one of this kind has been told. */
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
      dropped: {
        ...Object.fromEntries(this.#dropped),
        ...(this.interrupted > 0 && { interrupted: this.interrupted }),
      },
      tooLargeForFtrace: this.tooLargeForFtrace,
      badValues: this.badValues,
    };
  }
}
