/**
 * A flight recorder: keeps the events of the last seconds in memory, and writes them to a file when a trigger occurs.
 */

import { resolve } from 'node:path';
import { thrownText } from '../base/value-text.ts';
import { doAtExit, warnInTime } from '../listen/at-exit.ts';
import type { GuidWords } from '../wire/guid.ts';
import { ActivityWatch, type OnTrigger } from './activity-watch.ts';
import { DumpFiles, type WrittenFile } from './dump-files.ts';
import { EventRing, type RingTrace } from './event-ring.ts';
import { type FlightRecorderOptions, type FlightSettings, flightSettings } from './flight-options.ts';
import { watchProcess } from './process-watch.ts';

/** A file written by a flight recorder. */
export interface FlightDump {
  /** Its path. */
  readonly file: string;
  readonly bytes: number;
  readonly events: number;
  /** The trigger: `slow`, `failure`, `error`, `event-loop`, `heap`, `exception`, `signal` or `dump`. */
  readonly trigger: string;
  /** The reason as a sentence. */
  readonly details: string;
}

export interface FlightRecorder {
  /**
   * Writes the events of the last seconds to a file.
   *
   * @param details the reason, which is stored in the trace
   * @throws the system's error if the file cannot be written
   */
  dump(details?: string): Promise<FlightDump>;
  /** The files so far; those beyond `maxDiskBytes` have been removed. */
  readonly dumps: readonly FlightDump[];
  /** How often a trigger wrote no file because of `dumpsPerHour`, or because one had just been written. */
  readonly skipped: number;
  /** How many bytes the events in memory have. */
  readonly bytes: number;
  /** Ends the recorder, after any file being written. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** What follows a trigger is often the same problem again. */
const MIN_INTERVAL_MS = 10_000;
const CHECK_MS = 1000;

/** The recorders of this process, of all copies of the package, for tools that request their events. */
const KEY = Symbol.for('tracewright.flight-recorders.v1');
const shared = globalThis as { [KEY]?: Set<RunningRecorder> };

/** What other modules need of a recorder. */
interface RunningRecorder {
  trace(details: string): RingTrace;
}

/** The one started last. */
export function lastRecorder(): RunningRecorder | undefined {
  return [...(shared[KEY] ?? [])].at(-1);
}

/**
 * Keeps events in memory from now on; on the main thread, including those of worker threads. No event or file is
 * written before a trigger or `dump`. Disk failures are process warnings.
 *
 * @throws SessionError for invalid options
 */
export function startFlightRecorder(options: FlightRecorderOptions = {}): FlightRecorder {
  return new Recorder(flightSettings(options));
}

class Recorder implements FlightRecorder, RunningRecorder {
  readonly #settings: FlightSettings;
  readonly #files: DumpFiles;
  readonly #endings: (() => void)[];
  #ring: EventRing;
  #dumps: readonly FlightDump[] = [];
  #skipped = 0;
  readonly #limit: DumpLimit;
  /** A trigger that waits for the event loop, because it occurred during an event. */
  #isTriggered = false;
  /** The last file, while it is being written. */
  #writing: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(settings: FlightSettings) {
    this.#settings = settings;
    this.#files = new DumpFiles(resolve(settings.folder), settings.maxDiskBytes);
    this.#limit = new DumpLimit(settings.dumpsPerHour);
    this.#checkFolder();
    this.#ring = this.#newRing();
    const timer = setInterval(() => this.#check(), CHECK_MS).unref();
    shared[KEY] ??= new Set();
    shared[KEY].add(this);
    this.#endings = [
      () => clearInterval(timer),
      () => shared[KEY]?.delete(this),
      watchProcess(settings.process, this.#onTrigger, this.#dumpNow),
      doAtExit(() => this.#ring.end(true)),
    ];
  }

  get dumps(): readonly FlightDump[] {
    return this.#dumps;
  }

  get skipped(): number {
    return this.#skipped;
  }

  get bytes(): number {
    return this.#ring.size;
  }

  trace(details: string): RingTrace {
    return this.#ring.trace(details);
  }

  dump(details = 'The application asked for it.'): Promise<FlightDump> {
    return this.#dump('dump', details);
  }

  async close(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      for (const end of this.#endings) end();
      this.#ring.end();
    }
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #newRing(): EventRing {
    const { requests, version, maxBytes, maxAgeMs, activities } = this.#settings;
    const { watch } = new ActivityWatch(activities, this.#onTrigger);
    return new EventRing({ requests, version, size: maxBytes, milliseconds: maxAgeMs, watch });
  }

  #check(): void {
    if (!this.#ring.isStuck) return;
    this.#ring.end();
    this.#ring = this.#newRing();
  }

  /** Otherwise it would be known only when a file is needed. */
  #checkFolder(): void {
    try {
      this.#files.check();
    } catch (error) {
      warn(error);
    }
  }

  readonly #onTrigger: OnTrigger = (trigger, details, activityId) => {
    if (this.#isTriggered || this.#isOver) return;
    if (!this.#limit.allows(false)) {
      this.#skipped++;
      return;
    }
    this.#isTriggered = true;
    const sentence = details();
    setImmediate(() => {
      this.#isTriggered = false;
      if (this.#isOver) return;
      this.#dump(trigger, sentence, activityId).catch((error: unknown) => warn(error));
    });
  };

  async #dump(trigger: string, details: string, activityId?: GuidWords): Promise<FlightDump> {
    // Set at once: triggers during the writing of a file do not count.
    const { events, pieces } = this.#ring.trace(details, activityId);
    const written = this.#writing.then(() => this.#files.write(trigger, pieces));
    this.#writing = written.catch(() => {});
    return this.#keep(await written, { events, trigger, details });
  }

  readonly #dumpNow: OnTrigger = (trigger, details) => {
    // The application may handle many exceptions and go on; without a handler, this is its last.
    const isLast =
      process.listenerCount('uncaughtException') === 0 && !process.hasUncaughtExceptionCaptureCallback();
    if (!this.#limit.allows(isLast)) {
      this.#skipped++;
      return;
    }
    try {
      const sentence = details();
      const { events, pieces } = this.#ring.trace(sentence);
      this.#keep(this.#files.writeNow(trigger, pieces), { events, trigger, details: sentence });
    } catch (error) {
      warn(error, isLast);
    }
  };

  #keep(written: WrittenFile, about: Omit<FlightDump, keyof WrittenFile>): FlightDump {
    const dump = { ...written, ...about };
    this.#dumps = [...this.#dumps, dump].slice(-MAX_DUMPS);
    return dump;
  }
}

/** How many files triggers may write. A trigger beyond that costs no more than a comparison of times. */
class DumpLimit {
  readonly #perHour: number;
  /** The times at which files were written during the last hour. */
  #times: readonly number[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Until then, there are too many. */
  #fullUntil = 0;

  constructor(perHour: number) {
    this.#perHour = perHour;
  }

  /** @param isLast whether the process ends: then the file just written is not enough */
  allows(isLast: boolean): boolean {
    const now = performance.now();
    if (now < this.#fullUntil || (!isLast && now - this.#lastAt < MIN_INTERVAL_MS)) return false;
    const times = this.#times.filter((time) => now - time < HOUR_MS);
    if (times.length >= this.#perHour) {
      this.#fullUntil = (times[0] as number) + HOUR_MS;
      return false;
    }
    this.#times = [...times, now];
    this.#lastAt = now;
    return true;
  }
}

/** The maximum number of files listed. */
const MAX_DUMPS = 100;

function warn(error: unknown, isLast = false): void {
  warnInTime(`The flight recorder cannot write a file: ${thrownText(error)}`, isLast);
}
