/**
 * V8's CPU profiler for the main thread, run from a worker thread: it samples JavaScript that does not return to its
 * event loop, because V8 lets the inspector interrupt it.
 */

import type { Profiler, Runtime } from 'node:inspector';
import { Session, url } from 'node:inspector';
import { isWatched, nowUs, type ProfilePiece, pieceOf } from '../cpu-samples/v8-profiler.ts';

/** A busy thread sometimes overlooks a request until the next one arrives. */
const REMINDER_MS = 50;
const REMINDER = 'Schema.getDomains';
/** Functions of the inspector's command line, which evaluated text finds unless the application has others. */
const [BEGIN_OVERLAP, END_OVERLAP] = ['profile("tracewright")', 'profileEnd("tracewright")'] as const;
const NO_OTHERS = 'typeof profile + typeof profileEnd';

export class RemoteProfiler {
  readonly #session = new Session();
  readonly #reminder: NodeJS.Timeout;
  #startedAfterUs = 0;
  #startedBeforeUs = Number.POSITIVE_INFINITY;
  #isConnected = true;
  /** Whether there may be a profile for the moment between two pieces: see `take`. */
  #overlaps = false;

  /**
   * @param mayDeoptimize whether optimized code may be discarded
   * @throws Error if Node.js does not permit it
   */
  constructor(intervalUs: number, mayDeoptimize: boolean) {
    this.#session.connectToMainThread();
    this.#reminder = setInterval(() => this.#session.post(REMINDER), REMINDER_MS);
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    this.#start();
    if (mayDeoptimize) this.#deoptimize();
    if (isWatched({ url })) return;
    this.#session.post('Runtime.evaluate', { expression: NO_OTHERS, silent: true }, (error, answer) => {
      this.#overlaps = error === null && answer?.result.value === 'undefinedundefined';
    });
  }

  /**
   * The samples since the last call; undefined after the end, or if V8 refuses.
   *
   * When the last profile ends, V8 forgets all code, and when the next one starts, it finds all functions, but not the
   * code that has replaced a loop while it runs: see `#deoptimize`. So there is always a profile.
   */
  take(): Promise<ProfilePiece | undefined> {
    const [afterUs, beforeUs] = [this.#startedAfterUs, this.#startedBeforeUs];
    return new Promise((resolve) => {
      if (!this.#isConnected) return resolve(undefined);
      if (this.#overlaps) this.#evaluate(BEGIN_OVERLAP);
      this.#session.post('Profiler.stop', (error, result?: Profiler.StopReturnType) => {
        resolve(error || result === undefined ? undefined : pieceOf(result.profile, afterUs, beforeUs));
      });
      this.#start();
      if (this.#overlaps) this.#evaluate(END_OVERLAP);
    });
  }

  /** The main thread notices this when it runs JavaScript again. Until then, this thread must not exit. */
  end(): void {
    this.#isConnected = false;
    clearInterval(this.#reminder);
    this.#session.disconnect();
  }

  /**
   * V8 does not know code that replaced a loop while the loop was running, and counts it as its caller. Precise
   * coverage discards all optimized code; code optimized again is known.
   */
  #deoptimize(): void {
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    this.#session.post('Profiler.stopPreciseCoverage');
  }

  #evaluate(expression: string): void {
    const call: Runtime.EvaluateParameterType = { expression, includeCommandLineAPI: true, silent: true };
    this.#session.post('Runtime.evaluate', call);
  }

  #start(): void {
    this.#startedAfterUs = nowUs();
    this.#startedBeforeUs = Number.POSITIVE_INFINITY;
    this.#session.post('Profiler.start', () => {
      this.#startedBeforeUs = nowUs();
    });
  }
}
