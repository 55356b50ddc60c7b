/** A recording of some providers' ETW events, system-wide, that is read while it runs. */
import { availableParallelism } from 'node:os';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { isAlive } from '../base/is-alive.ts';
import { EtwLists } from '../platform/etw-lists.ts';
import { EtwEventStream } from './etw-event-stream.ts';
import { EtwSession } from './etw-session.ts';
import type { SelectionOptions } from './tracepoint-selection.ts';

/** So that several can run, and the next one finds the leftovers of those that were killed. */
const NAME = `tracewright-live-${process.pid}`;
const NAME_PATTERN = /^tracewright-live-(\d+)(?:-\d+)?$/;
let sessions = 0;

/** An event has up to 64 KiB, and a buffer has a header. */
const BUFFER_BYTES = 128 << 10;
/** Each processor has as many: one is filled while others are delivered. */
const BUFFERS = 4;
const MAX_BUFFERS = 16;
/** If this process is busy, Windows delivers what is not full by itself, in seconds. */
const FLUSH_INTERVAL_MS = 1000;
/** How long an event waits for earlier ones. The buffers of all processors are flushed at once. */
const WAIT_MS = 250;

/** Makes activity ids flow. */
const ACTIVITIES = { level: 4, keywords: TASK_EVENTS.flowKeyword };

export class LiveEtwRecording {
  readonly #session: EtwSession;
  readonly #stream: EtwEventStream;
  #hasEnded = false;

  /**
   * When this returns, the providers are being recorded.
   *
   * @throws RecorderError
   */
  constructor({ providers = [], level, keywords }: Omit<SelectionOptions, 'tracepoints'>) {
    const name = sessions++ === 0 ? NAME : `${NAME}-${sessions}`;
    const processors = availableParallelism();
    this.#session = EtwSession.start({
      name,
      realTime: true,
      bufferBytes: BUFFER_BYTES,
      buffers: BUFFERS * processors,
      maxBuffers: MAX_BUFFERS * processors,
      flushIntervalMs: FLUSH_INTERVAL_MS,
    });
    // A session outlives the process that started it, however it ends.
    process.once('exit', this.#endAtExit);
    try {
      const flush = () => this.#session.flush();
      this.#stream = new EtwEventStream(name, { flush, wait: WAIT_MS });
      this.#session.enable(TASK_EVENTS.guid, ACTIVITIES);
      const filter = { ...(level !== undefined && { level }), ...(keywords !== undefined && { keywords }) };
      for (const provider of providers) this.#session.enable(provider, filter);
    } catch (error) {
      process.off('exit', this.#endAtExit);
      this.#session.close();
      throw error;
    }
  }

  /** The number is final once all chunks have been read. */
  get lostEvents(): number {
    return this.#stream.lostEvents;
  }

  /** A stream that `openTrace` reads, without an end until `stop` is called. Call it once. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#stream.chunks();
    } finally {
      this.stop();
    }
  }

  /** Ends the chunks, after everything recorded until now. */
  stop(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    process.off('exit', this.#endAtExit);
    this.#stream.sessionEnds(this.#session.close());
  }

  readonly #endAtExit = (): void => {
    try {
      this.#session.close();
    } catch {
      // There is no one left to tell.
    }
  };
}

/**
 * Ends the sessions of recordings whose program was killed: nobody receives their events any more.
 *
 * @returns their names
 */
export function endLeftBehindLiveSessions(): readonly string[] {
  return leftBehind().filter((name) => {
    try {
      EtwSession.open(name)?.close();
      return true;
    } catch {
      // Another user's.
      return false;
    }
  });
}

function leftBehind(): readonly string[] {
  try {
    return new EtwLists()
      .sessions()
      .map(({ name }) => name)
      .filter((name) => {
        const [, processId] = NAME_PATTERN.exec(name) ?? [];
        return processId !== undefined && !isAlive(Number(processId));
      });
  } catch {
    // This user may not list sessions.
    return [];
  }
}
