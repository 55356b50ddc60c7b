/**
 * Stops reading a trace with a sentence before memory runs out: otherwise V8 would end the process, with a stack that
 * does not help the user.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { dataSize } from '../../view/number-text.ts';

/** The minimum of free memory for the events between two checks and for showing what was read. */
const MIN_FREE_SHARE = 0.2;
const MIN_FREE_BYTES = 24 << 20;

export class MemoryWatch {
  readonly #trace: string;
  /** The threshold is in bytes. It includes garbage until V8 collects it, whenever that is. */
  #nextCheck = 0;

  /** @param trace the trace's name in the sentence */
  constructor(trace: string) {
    this.#trace = trace;
  }

  /** Call this every few thousand events. @throws Error if most of the memory is in use */
  check(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const full = limit - Math.max(MIN_FREE_SHARE * limit, MIN_FREE_BYTES);
    if (used < Math.max(full, this.#nextCheck)) return;
    collectGarbage();
    const left = getHeapStatistics().used_heap_size;
    if (left >= full) {
      throw new Error(
        `Reading ${this.#trace} takes more than the ${dataSize(limit)} of memory that Node.js allows itself: ` +
          'select less of it, or set NODE_OPTIONS=--max-old-space-size=MEGABYTES.',
      );
    }
    // Collecting garbage takes long: do not do it for each batch.
    this.#nextCheck = (left + limit) / 2;
  }
}

let collect: (() => void) | undefined;

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
