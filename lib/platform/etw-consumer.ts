/** The addon's consumer of an ETW session in real time: see native/windows/real_time_functions.h. */
import { windowsAddon } from './addon.ts';
import type { TakenEvents, WindowsAddon } from './addon-functions.ts';
import { needed, RecorderError } from './recorder-error.ts';

/** Limits the bytes of events that wait to be taken: a tenth of a second of what a fast machine can write. */
const LIMIT = 16 << 20;

export class EtwConsumer {
  /** TRACE_LOGFILE_HEADER: what Windows says of the session. */
  readonly header: Uint8Array;
  /** The start, as FILETIME. */
  readonly now: bigint;
  readonly #addon: WindowsAddon;
  readonly #session: string;
  readonly #handle: unknown;

  /**
   * @param session the name of one in real-time mode, whoever started it
   * @throws RecorderError
   */
  constructor(session: string, limit: number = LIMIT) {
    this.#addon = needed(windowsAddon());
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
function consumerReason(error: number, session: string): string {
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
