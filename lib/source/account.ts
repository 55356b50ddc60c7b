/** What happened to a source's events: nothing is lost without being counted here, with the reason. */

import { thrownText } from '../base/value-text.ts';

/** A snapshot of the counts since the source was defined, in this thread. */
export interface SourceStats {
  /** Events that the tracer accepted. */
  readonly written: number;
  /**
   * Enabled events that did not reach the tracer, by reason: `tooLarge`, `payloadThrew`, `interrupted` (the stack
   * overflowed or memory ran out during the write), `nobodyListens` (recording began or ended at that moment),
   * `fileClosed`, or the name of the kernel's error. Also events that no one receives: `notDescribable` (an invalid
   * name, fields or options passed to `write`), and `closed` (written after the source was closed). `stateThrew` counts
   * the calls of `onStateRequest` handlers that threw.
   */
  readonly dropped: Readonly<Record<string, number>>;
  /** Counts those of the written ones that perf accepts but ftrace (trace_pipe, trace-cmd) does not. */
  readonly tooLargeForFtrace: number;
  /** Values that did not fit their fields; the nearest one that fits was written instead. */
  readonly badValues: number;
}

/** Problems reported as text; further ones of the same kind differ only in numbers. */
const MAX_PROBLEMS = 50;

export class Account {
  written = 0;
  tooLargeForFtrace = 0;
  badValues = 0;
  /** Counted by assignment, since no call is possible once the stack has overflowed. */
  interrupted = 0;
  readonly #dropped = new Map<string, number>();
  readonly #problems = new Map<string, string>();

  /** Counts an event, as the very last step, so that an event for which this fails is only `interrupted`. */
  drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }

  /** Reading a payload threw: no one gets the event. */
  dropThrown(place: string, error: unknown): void {
    this.tell(`${place} payload`, () => `${place}: reading the payload threw ${thrownText(error)}`);
    this.drop('payloadThrew');
  }

  /** The source was closed before: no one gets the event. */
  dropLate(place: string): void {
    this.tell('closed', () => `${place}: the event was written after its source had been closed.`);
    this.drop('closed');
  }

  /** Reports a problem, unless one of this kind has been reported. */
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
