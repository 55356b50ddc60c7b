/** Has tracepoints recorded as programs register them, while a recording runs. */
import { NoticeServer, type NoticesOptions } from './notice-server.ts';
import type { RecordedTracepoints } from './recorded-tracepoints.ts';
import type { Tracefs } from './tracefs.ts';

/** How often it looks for tracepoints of programs that do not tell of theirs. tracefs tells of no changes. */
const SCAN_MS = 50;
/** Where there are tens of thousands, a look takes long: so many times as long it then does something else. */
const SCAN_PAUSE = 10;

export class TracepointWatch {
  readonly #tracepoints: RecordedTracepoints;
  readonly #notices: NoticeServer | undefined;
  #scan: NodeJS.Timeout | undefined;

  /**
   * When this returns, what is selected and there is recorded.
   *
   * @param programsOf the user whose programs tell of their tracepoints, if any do
   * @throws RecorderError
   */
  constructor(
    tracepoints: RecordedTracepoints,
    tracefs: Tracefs,
    programsOf: NoticesOptions['user'] | undefined,
  ) {
    this.#tracepoints = tracepoints;
    if (programsOf !== undefined) {
      this.#notices = new NoticeServer({
        user: programsOf,
        onTracepoint: (name) => tracepoints.lookFor(name),
        openTracer: () => tracefs.openUserEventsData(),
      });
    }
    this.#look();
  }

  /** Where programs tell of their new tracepoints: the value of `RECORDER_VARIABLE`; empty where none do. */
  get address(): string {
    return this.#notices?.address ?? '';
  }

  stop(): void {
    clearTimeout(this.#scan);
    this.#notices?.close();
  }

  #look(): void {
    const start = performance.now();
    this.#tracepoints.scan();
    const took = performance.now() - start;
    this.#scan = setTimeout(() => this.#look(), Math.max(SCAN_MS, SCAN_PAUSE * took));
  }
}
