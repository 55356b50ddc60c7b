/**
 * V8's CPU profiler for the main thread, run from a worker thread: it samples JavaScript that does not return to its
 * event loop, because V8 lets the inspector interrupt it.
 */
import type { Profiler } from 'node:inspector';
import { Session, url } from 'node:inspector';
import { ownCode } from '../../base/evaluated-code.ts';
import { isWatched, nowUs, type ProfilePiece, pieceOf } from '../cpu-samples/v8-profiler.ts';

/** A busy thread sometimes overlooks a request until the next one arrives. */
const REMINDER_MS = 50;
const REMINDER = 'Schema.getDomains';
/** Functions of the inspector's command line, which evaluated text finds unless the application has others. */
const [BEGIN_OVERLAP, END_OVERLAP] = ['profile("tracewright")', 'profileEnd("tracewright")'] as const;
const NO_OTHERS = 'typeof profile + typeof profileEnd';

/** How often samples are fetched, for which V8 ends a profile and starts another one. */
const PIECE_MS = 1000;
/** The interval while users wait: for sessions that have just begun or are about to end. */
const HURRIED_PIECE_MS = 300;
/** A fetch may take at most this part of the thread's time: it would do nothing else if the next one followed at once. */
const PAUSE_PER_FETCH = 20;
const MAX_PAUSE_MS = 10_000;
/** How long the profiler outlasts its last session: to start it, V8 discards optimized code. */
const LINGER_MS = 5000;

/** Gets the samples of all sessions, also those from before its own. */
type OnPiece = (piece: ProfilePiece) => void;

/**
 * The profiler of all sessions that sample the main thread: whoever comes and goes costs the thread no more than one
 * who stays, because it starts at most every few seconds.
 */
export class SharedProfiler {
  readonly #mayDeoptimize: boolean;
  /** The value is the interval that the receiver wants. */
  readonly #receivers = new Map<OnPiece, number>();
  #profiler: RemoteProfiler | undefined;
  #takenAt = 0;
  /** The shortest pause until the next fetch. */
  #pauseMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;
  #isHurried = false;
  #isMainBack = false;
  /** Resolves after the fetch in progress. */
  #taking: Promise<void> = Promise.resolve();
  /** Called after the next fetch. */
  #waiting: (() => void)[] = [];

  /** @param mayDeoptimize whether optimized code may be discarded */
  constructor(mayDeoptimize: boolean) {
    this.#mayDeoptimize = mayDeoptimize;
  }

  /** @throws Error if Node.js does not permit it */
  join(receiver: OnPiece, intervalUs: number): void {
    clearTimeout(this.#lingering);
    if (this.#profiler === undefined) {
      this.#profiler = new RemoteProfiler(intervalUs, this.#mayDeoptimize);
      this.#takenAt = performance.now();
    }
    this.#receivers.set(receiver, intervalUs);
    this.#hurry();
  }

  /** Leaves after the last samples. */
  async leave(receiver: OnPiece): Promise<void> {
    if (!this.#receivers.has(receiver)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#hurry();
    });
    this.forget(receiver);
  }

  /** Leaves at once. */
  forget(receiver: OnPiece): void {
    if (!this.#receivers.delete(receiver) || this.#receivers.size > 0) return;
    clearTimeout(this.#timer);
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#lingering = setTimeout(() => this.end(), LINGER_MS);
  }

  /** The main thread is not stuck any more, so there is one last fetch, at once. */
  mainIsBack(): void {
    this.#isMainBack = true;
  }

  /** Ends the profiling of all sessions. */
  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lingering);
    this.#receivers.clear();
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#profiler?.end();
    this.#profiler = undefined;
  }

  #hurry(): void {
    this.#isHurried = true;
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const usual = Math.max(this.#pauseMs, this.#isHurried ? HURRIED_PIECE_MS : PIECE_MS);
    const pause = this.#isMainBack ? 0 : usual;
    this.#timer = setTimeout(
      () => {
        this.#taking = this.#taking.then(() => this.#take());
      },
      this.#takenAt + pause - performance.now(),
    );
  }

  async #take(): Promise<void> {
    this.#isHurried = false;
    const waiting = this.#waiting.splice(0);
    const startedAt = performance.now();
    const piece = await this.#profiler?.take(Math.min(...this.#receivers.values()));
    this.#takenAt = performance.now();
    this.#pauseMs = Math.min(MAX_PAUSE_MS, (this.#takenAt - startedAt) * PAUSE_PER_FETCH);
    if (piece !== undefined) for (const receive of this.#receivers.keys()) receive(piece);
    for (const resolve of waiting) resolve();
    if (this.#receivers.size > 0) this.#schedule();
  }
}

class RemoteProfiler {
  readonly #session = new Session();
  readonly #reminder: NodeJS.Timeout;
  #intervalUs: number;
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
    this.#intervalUs = intervalUs;
    this.#session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    this.#start();
    if (mayDeoptimize) this.#deoptimize();
    if (isWatched({ url })) return;
    const expression = ownCode(NO_OTHERS);
    this.#session.post('Runtime.evaluate', { expression, silent: true }, (error, answer) => {
      this.#overlaps = error === null && answer?.result.value === 'undefinedundefined';
    });
  }

  /**
   * The samples since the last call; undefined after the end, or if V8 refuses.
   *
   * When the last profile ends, V8 forgets all code, and when the next one starts, it finds all functions, but not the
   * code that has replaced a loop while it runs: see `#deoptimize`. So there is always a profile.
   *
   * @param intervalUs from now on
   */
  take(intervalUs: number): Promise<ProfilePiece | undefined> {
    const [afterUs, beforeUs] = [this.#startedAfterUs, this.#startedBeforeUs];
    return new Promise((resolve) => {
      if (!this.#isConnected) return resolve(undefined);
      // V8 takes another interval only while there is no profile.
      const isOther = intervalUs !== this.#intervalUs && Number.isFinite(intervalUs);
      const overlaps = this.#overlaps && !isOther;
      let piece: ProfilePiece | undefined;
      if (overlaps) this.#evaluate(BEGIN_OVERLAP);
      this.#session.post('Profiler.stop', (error, result?: Profiler.StopReturnType) => {
        if (!error && result !== undefined) piece = pieceOf(result.profile, afterUs, beforeUs);
      });
      if (isOther) {
        this.#intervalUs = intervalUs;
        this.#session.post('Profiler.setSamplingInterval', { interval: intervalUs });
      }
      this.#start(() => resolve(piece));
      if (overlaps) this.#evaluate(END_OVERLAP);
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
    const call = { expression: ownCode(expression), includeCommandLineAPI: true, silent: true };
    this.#session.post('Runtime.evaluate', call);
  }

  #start(onStarted: () => void = () => {}): void {
    this.#startedAfterUs = nowUs();
    this.#startedBeforeUs = Number.POSITIVE_INFINITY;
    this.#session.post('Profiler.start', () => {
      this.#startedBeforeUs = nowUs();
      onStarted();
    });
  }
}
