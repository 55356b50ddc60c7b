/** Records tracepoints as programs register them, while a recording runs. */
import { NoticeServer, type NoticesOptions } from './notice-server.ts';
import type { RecordedTracepoints } from './recorded-tracepoints.ts';
import type { TracefsFiles } from './tracefs.ts';

/** How often to look for tracepoints of programs that do not announce them. tracefs reports no changes. */
const SCAN_MS = 50;
/** With tens of thousands of tracepoints, looking takes long: the pause is this many times as long. */
const SCAN_PAUSE = 10;

export class TracepointWatch {
  readonly #tracepoints: RecordedTracepoints;
  readonly #notices: NoticeServer | undefined;
  #scan: NodeJS.Timeout | undefined;

  /**
   * When this returns, everything selected that exists is being recorded.
   *
   * @param programsOf the user whose programs announce their tracepoints, if any
   * @throws RecorderError
   */
  constructor(
    tracepoints: RecordedTracepoints,
    tracefs: Pick<TracefsFiles, 'openUserEventsData'>,
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

  /** Programs announce their new tracepoints here: the value of `RECORDER_VARIABLE`; empty if none do. */
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
