/**
 * The threads that events come from, according to ftrace: an event contains only the thread's id. Source: Linux
 * `Documentation/trace/ftrace.rst` (saved_tgids, saved_cmdlines).
 */
import { commRecord } from '../wire/perf-data/write/records.ts';
import type { Tracefs } from './tracefs.ts';

/** perf's value for an unknown process. */
export const UNKNOWN_PROCESS = 0xffff_ffff;
/** How long to wait before asking again for a thread that the kernel does not know: the answer can be long. */
const RETRY_MS = 1000;

export class TracedThreads {
  readonly #tracefs: Pick<Tracefs, 'read'>;
  readonly #processes = new Map<number, number>([[0, 0]]);
  /** The key is the thread, the value the time at which to ask again. */
  readonly #unknown = new Map<number, number>();
  readonly #onName: (record: Uint8Array) => void;

  /** @param onName called with a record for each thread whose name has become known */
  constructor(tracefs: Pick<Tracefs, 'read'>, onName: (record: Uint8Array) => void) {
    this.#tracefs = tracefs;
    this.#onName = onName;
  }

  /** The number of its process. */
  processOf(thread: number): number {
    const process = this.#processes.get(thread);
    if (process !== undefined) return process;
    const now = performance.now();
    if (now < (this.#unknown.get(thread) ?? 0)) return UNKNOWN_PROCESS;
    this.#ask();
    const answer = this.#processes.get(thread);
    if (answer === undefined) this.#unknown.set(thread, now + RETRY_MS);
    return answer ?? UNKNOWN_PROCESS;
  }

  #ask(): void {
    const names = new Map(this.#lines('saved_cmdlines'));
    for (const [thread, text] of this.#lines('saved_tgids')) {
      if (this.#processes.has(thread)) continue;
      const process = Number(text);
      this.#processes.set(thread, process);
      const name = names.get(thread);
      if (name !== undefined) this.#onName(commRecord(process, thread, name));
    }
  }

  /** Each is a number, a space and a text. */
  #lines(file: string): [number, string][] {
    try {
      const lines = this.#tracefs.read(file).toString().split('\n');
      return lines.flatMap((line): [number, string][] => {
        const [, thread, text] = /^(\d+) (.+)$/.exec(line) ?? [];
        return thread === undefined || text === undefined ? [] : [[Number(thread), text]];
      });
    } catch {
      return [];
    }
  }
}
