/**
 * The sessions of a rule in a process, one after another, each for a part of an interval: all of the time is profiled,
 * at a part of the cost.
 */
import { isAlive } from '../base/is-alive.ts';
import type { Attached, Attachment } from './attachment.ts';
import type { RuleSettings } from './settings/agent-settings.ts';

export class ProfileSchedule implements Attached {
  readonly ended: Promise<void>;
  readonly #processId: number;
  readonly #profile: NonNullable<RuleSettings['profile']>;
  readonly #begin: (onStart: () => void) => Attachment;
  #session: Attachment | undefined;
  /** The session has lasted long enough at this time. */
  #until = Number.POSITIVE_INFINITY;
  #isStopped = false;
  #endPause: (() => void) | undefined;

  /** @param begin begins a session, and calls `onStart` when the process has begun it */
  constructor(
    processId: number,
    profile: NonNullable<RuleSettings['profile']>,
    begin: (onStart: () => void) => Attachment,
  ) {
    this.#processId = processId;
    this.#profile = profile;
    this.#begin = begin;
    this.ended = this.#run();
  }

  tick(now: number): void {
    this.#session?.tick(now);
    if (now < this.#until) return;
    this.#until = Number.POSITIVE_INFINITY;
    this.#session?.stop();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause?.();
    await this.#session?.stop();
    await this.ended;
  }

  close(): void {
    this.#isStopped = true;
    this.#endPause?.();
    this.#session?.close();
  }

  async #run(): Promise<void> {
    const { durationMs, intervalMs } = this.#profile;
    let due = performance.now();
    do {
      let end = Number.POSITIVE_INFINITY;
      this.#session = this.#begin(() => {
        end = performance.now() + durationMs;
        this.#until = end;
      });
      await this.#session.ended;
      this.#until = Number.POSITIVE_INFINITY;
      // The process has ended, or refuses the session: it is found again if it can be.
      if (performance.now() < end) return;
      due = Math.max(due + intervalMs, performance.now());
      await this.#pause(due - performance.now());
    } while (!this.#isStopped && isAlive(this.#processId));
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
