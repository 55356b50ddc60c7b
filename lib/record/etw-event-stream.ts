/** The events of an ETW session while they are written, as a stream that `openTrace` reads. */

import type { TakenEvents } from '../platform/addon-functions.ts';
import { EtwConsumer } from '../platform/etw-consumer.ts';
import { controlEtwSession } from '../platform/etw-session.ts';
import { liveHeaderBuffer } from '../wire/etl/live-header.ts';
import { SessionControl } from '../wire/etw/session-properties.ts';

/** How often events are taken. */
const PERIOD_MS = 100;
/** How long what a session wrote before its end may take to arrive. */
const END_MS = 5000;

/** What a session has lost so far. */
interface EtwLosses {
  readonly eventsLost: number;
  readonly realTimeBuffersLost: number;
}

interface EtwEventStreamOptions {
  /** Called before events are taken: the session says what it has lost and, if it is ours, delivers them. */
  readonly flush: () => EtwLosses | undefined;
  /**
   * How long an event waits for earlier ones, in milliseconds: each processor has its own buffers, and those that are
   * not full come only when they are flushed.
   */
  readonly wait: number;
}

export class EtwEventStream {
  readonly #consumer: EtwConsumer;
  readonly #flush: EtwEventStreamOptions['flush'];
  readonly #wait: number;
  /** The times up to which events had arrived at a moment, the earliest first. */
  #arrivals: { readonly at: number; readonly newest: bigint }[] = [];
  #mark: bigint;
  #losses: EtwLosses = { eventsLost: 0, realTimeBuffersLost: 0 };
  #dropped = 0;
  #announced = 0;
  #wake: () => void = () => {};
  /** The time at which the end was requested. */
  #endsAt: number | undefined;

  /**
   * @param session its name
   * @throws RecorderError
   */
  constructor(session: string, { flush, wait }: EtwEventStreamOptions) {
    this.#consumer = new EtwConsumer(session);
    this.#flush = flush;
    this.#wait = wait;
    this.#mark = this.#consumer.now;
  }

  /** Lost by the session, or because the chunks are read too slowly. */
  get lostEvents(): number {
    return this.#losses.eventsLost + this.#dropped;
  }

  /**
   * Yields chunks until the session ends, or `stop` is called. Call it once.
   *
   * @throws RecorderError
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield this.#header();
      for (;;) {
        await this.#period();
        const ends = this.#endsAt;
        // Later, another session may have its number.
        if (ends === undefined) this.#countLosses(this.#flush());
        const taken = this.#consumer.take();
        this.#dropped = taken.dropped;
        if (taken.bytes.length > 0) yield taken.bytes;
        if (this.#moveMark(taken)) yield this.#header();
        if (taken.ended || (ends !== undefined && performance.now() >= ends)) return;
      }
    } finally {
      this.#consumer.close();
    }
  }

  /** Ends the chunks, after everything delivered until now. */
  stop(): void {
    this.#endsAt = performance.now();
    this.#wake();
  }

  /** The session ends: so do the chunks, once everything has come. @param losses its last */
  sessionEnds(losses: EtwLosses | undefined): void {
    this.#countLosses(losses);
    this.#endsAt = performance.now() + END_MS;
    this.#wake();
  }

  #period(): Promise<void> {
    if (this.#endsAt !== undefined && this.#endsAt <= performance.now()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PERIOD_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #countLosses(losses: EtwLosses | undefined): void {
    this.#losses = losses ?? this.#losses;
  }

  /**
   * The mark follows the times of events, not the clock of this machine, which may be set meanwhile.
   *
   * @returns whether there is something to tell the reader
   */
  #moveMark({ newest }: TakenEvents): boolean {
    const now = performance.now();
    if (newest > (this.#arrivals.at(-1)?.newest ?? this.#mark)) this.#arrivals.push({ at: now, newest });
    const passed = this.#arrivals.filter(({ at }) => at + this.#wait <= now);
    this.#arrivals = this.#arrivals.slice(passed.length);
    this.#mark = passed.at(-1)?.newest ?? this.#mark;
    const { lostEvents } = this;
    const hasNews = passed.length > 0 || lostEvents > this.#announced;
    this.#announced = lostEvents;
    return hasNews;
  }

  #header(): Uint8Array {
    return liveHeaderBuffer({
      header: this.#consumer.header,
      startTime: this.#consumer.now,
      mark: this.#mark,
      eventsLost: this.lostEvents,
      buffersLost: this.#losses.realTimeBuffersLost,
    });
  }
}

/** A session that another program has started flushes more often: by default, once a second. */
const FOREIGN_WAIT_MS = 1250;

/**
 * The events of a running session, whoever started it.
 *
 * @throws RecorderError
 */
export function streamOfSession(session: string): EtwEventStream {
  const before = lossesOf(session);
  const flush = () => {
    const now = lossesOf(session);
    return (
      now && {
        eventsLost: now.eventsLost - (before?.eventsLost ?? 0),
        realTimeBuffersLost: now.realTimeBuffersLost - (before?.realTimeBuffersLost ?? 0),
      }
    );
  };
  return new EtwEventStream(session, { flush, wait: FOREIGN_WAIT_MS });
}

/** Returns undefined also for a user who may not ask for that: then only events of ETW say what is lost. */
function lossesOf(session: string): EtwLosses | undefined {
  try {
    return controlEtwSession(SessionControl.Query, session)?.numbers;
  } catch {
    return undefined;
  }
}

/**
 * The events of a running ETW session in real-time mode, whoever started it: for `openTrace`, or `addTrace` of a
 * playback. Ends with the session, or when the iteration is abandoned.
 *
 * @param session its name
 * @throws RecorderError if there is no such session, or this user may not receive its events
 */
export function etwEventsOf(session: string): AsyncIterable<Uint8Array> {
  return streamOfSession(session).chunks();
}
