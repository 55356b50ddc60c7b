/** Has tracepoints recorded as programs register them, while a recording runs. */
import { Notices } from './notices.ts';
import type { RecordedTracepoints } from './recorded-tracepoints.ts';
import { USER_EVENTS } from './selection.ts';

/** How often it looks for tracepoints of programs that do not tell of theirs. tracefs tells of no changes. */
const SCAN_MS = 50;

export class TracepointWatch {
  readonly #notices: Notices;
  readonly #scan: NodeJS.Timeout;

  private constructor(notices: Notices, scan: NodeJS.Timeout) {
    this.#notices = notices;
    this.#scan = scan;
  }

  /** When this returns, what is selected and there is recorded. */
  static async start(tracepoints: RecordedTracepoints): Promise<TracepointWatch> {
    tracepoints.scan();
    const notices = await Notices.listen((name) => {
      tracepoints.look({ system: USER_EVENTS, name });
    });
    return new TracepointWatch(
      notices,
      setInterval(() => tracepoints.scan(), SCAN_MS),
    );
  }

  /** Where programs of ours tell of their new tracepoints: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#notices.address;
  }

  stop(): void {
    clearInterval(this.#scan);
    this.#notices.close();
  }
}
