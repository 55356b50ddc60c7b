/**
 * V8's CPU profiler for this thread. Its samples are taken in chunks: a profile only grows, and nothing in it can be
 * read before it is stopped.
 *
 * Sources: the Chrome DevTools Protocol, domain `Profiler`; V8's src/profiler/cpu-profiler.cc.
 */
import type { Profiler, Session } from 'node:inspector';
import { LoopWaits } from '../../platform/thread-times.ts';

type Inspector = typeof import('node:inspector');

/** A chunk of V8's samples, and the offset between its clock and Node's when it began. */
export interface ProfilePiece {
  readonly profile: Profiler.Profile;
  /** Add this to the profile's times. */
  readonly shiftUs: number;
}

/** The title of the profiles between two chunks. */
const OVERLAP = 'tracewright';

export class V8Profiler {
  readonly #inspector: Inspector;
  readonly #session: Session;
  /** The profile was started between these two times. */
  #startedAfterUs = 0;
  #startedBeforeUs = 0;
  #startMs = 0;

  /** @throws Error if Node.js has no inspector, or does not permit it */
  constructor(intervalUs: number) {
    this.#inspector = inspectorOfNode();
    this.#session = new this.#inspector.Session();
    this.#session.connect();
    try {
      this.#post('Profiler.enable');
      this.#post('Profiler.setSamplingInterval', { interval: intervalUs });
      this.#start();
    } catch (error) {
      this.#session.disconnect();
      throw error;
    }
    LoopWaits.profilers++;
  }

  /** How long the last `take` needed to start a profile while no other one was running: 0 if one was. */
  get startMs(): number {
    return this.#startMs;
  }

  /** The samples since the last call. Sampling continues. @throws Error if V8 refuses */
  take(): ProfilePiece {
    // V8 examines every existing function when it starts to profile, which can take 30 ms, except while another profile
    // of the same client is running: so there is one for the moment between two chunks.
    const overlaps = !isWatched(this.#inspector);
    if (overlaps) this.#inspector.console.profile(OVERLAP);
    try {
      const piece = this.#stop();
      this.#start();
      this.#startMs = overlaps ? 0 : (this.#startedBeforeUs - this.#startedAfterUs) / 1000;
      return piece;
    } finally {
      if (overlaps) this.#inspector.console.profileEnd(OVERLAP);
    }
  }

  /** The last chunk. @throws Error if V8 refuses: then call `abandon` */
  end(): ProfilePiece {
    const piece = this.#stop();
    this.abandon();
    return piece;
  }

  /** Ends the profile, whatever its state. */
  abandon(): void {
    LoopWaits.profilers--;
    this.#session.disconnect();
  }

  #start(): void {
    this.#startedAfterUs = nowUs();
    this.#post('Profiler.start');
    this.#startedBeforeUs = nowUs();
  }

  #stop(): ProfilePiece {
    const { profile } = this.#post('Profiler.stop') as Profiler.StopReturnType;
    return pieceOf(profile, this.#startedAfterUs, this.#startedBeforeUs);
  }

  /** The answer arrives before the call returns, since the session is of the same thread. */
  #post(method: string, parameters?: object): unknown {
    let error: Error | null = new Error(`V8 did not answer ${method}.`);
    let answer: unknown;
    this.#session.post(method, parameters, (refusal: Error | null, result?: object) => {
      error = refusal;
      answer = result;
    });
    if (error !== null) throw error;
    return answer;
  }
}

/** A debugger would retain what `console.profile` creates, and `--cpu-prof` complains about it. */
export function isWatched({ url }: Pick<Inspector, 'url'>): boolean {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
  return url() !== undefined || options.some((option) => option.includes('--cpu-prof'));
}

/** @param afterUs the profile was started between this time and the next */
export function pieceOf(profile: Profiler.Profile, afterUs: number, beforeUs: number): ProfilePiece {
  // On all known systems this is the same clock, but V8 does not guarantee it.
  const isSameClock = profile.startTime >= afterUs && profile.startTime <= beforeUs + 1;
  return { profile, shiftUs: isSameClock ? 0 : beforeUs - profile.startTime };
}

function inspectorOfNode(): Inspector {
  // Loaded on demand: a Node.js without an inspector throws, and others should not pay for loading it.
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector === undefined) throw new Error('This Node.js has no inspector.');
  return inspector;
}

/** Rounded down, as V8 does. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
