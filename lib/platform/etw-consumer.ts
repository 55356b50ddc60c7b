/** The addon's consumer of an ETW session in real time: see native/windows/real_time_functions.h. */
import { type Addon, loadAddon } from './addon.ts';
import { RecorderError } from './recorder-error.ts';

/** What has arrived since the last time, and counts of everything so far. */
export interface TakenEvents {
  /** Whole buffers of an .etl. */
  readonly bytes: Uint8Array;
  readonly events: number;
  /** Had no room because they were not taken in time. */
  readonly dropped: number;
  /** The time of the latest one, as FILETIME. */
  readonly newest: bigint;
  /** Nothing follows. */
  readonly ended: boolean;
  /** Why, unless the session has ended. */
  readonly error: number;
}

interface ConsumerAddon extends Addon {
  consumerOpen(
    session: string,
    limit: number,
  ): {
    readonly error: number;
    readonly now: bigint;
    readonly header: Uint8Array;
    readonly handle: unknown;
  };
  consumerTake(handle: unknown): TakenEvents;
  consumerClose(handle: unknown): void;
}

/** Limits the bytes of events that wait to be taken: a tenth of a second of what a fast machine can write. */
const LIMIT = 16 << 20;

export class EtwConsumer {
  /** TRACE_LOGFILE_HEADER: what Windows says of the session. */
  readonly header: Uint8Array;
  /** The start, as FILETIME. */
  readonly now: bigint;
  readonly #addon: ConsumerAddon;
  readonly #session: string;
  readonly #handle: unknown;

  /**
   * @param session the name of one in real-time mode, whoever started it
   * @throws RecorderError
   */
  constructor(session: string, limit: number = LIMIT) {
    this.#addon = consumerAddon();
    this.#session = session;
    const { error, now, header, handle } = this.#addon.consumerOpen(session, limit);
    if (error !== 0) throw new RecorderError(consumerReason(error, session));
    this.#handle = handle;
    this.header = header;
    this.now = now;
  }

  /** @throws RecorderError if Windows does not, or no longer, pass on the events */
  take(): TakenEvents {
    const taken = this.#addon.consumerTake(this.#handle);
    if (taken.error !== 0) throw new RecorderError(consumerReason(taken.error, this.#session));
    return taken;
  }

  /** Takes no more. */
  close(): void {
    this.#addon.consumerClose(this.#handle);
  }
}

/** Win32 errors: winerror.h; meanings: the documentation of OpenTraceW and ProcessTrace. */
export function consumerReason(error: number, session: string): string {
  switch (error) {
    case 5:
      return (
        `This user may not receive the events of the ETW session ${session} (Win32 error 5), which needs an ` +
        'administrator or a member of Performance Log Users.'
      );
    case 1450:
      return `Windows has no room for another consumer of the ETW session ${session} (Win32 error 1450).`;
    case 4201:
      return `No ETW session named ${session} is running in real-time mode (Win32 error 4201).`;
    default:
      return `Windows does not pass on the events of the ETW session ${session} (Win32 error ${error}).`;
  }
}

function consumerAddon(): ConsumerAddon {
  if (process.platform !== 'win32') throw new RecorderError('ETW sessions exist only on Windows.');
  const addon = loadAddon();
  if ('reason' in addon) throw new RecorderError(addon.reason);
  return addon as ConsumerAddon;
}
