/** How much of a large trace has been read, on a terminal. */
import type { Trace } from '../trace/trace.ts';
import { dataSize } from './data-size.ts';

/** Of smaller traces nobody waits for. */
const LARGE_BYTES = 32 << 20;
const INTERVAL_MS = 200;

export class Progress {
  readonly #trace: Trace;
  readonly #isShown: boolean;
  #nextMs: number;

  constructor(trace: Trace) {
    this.#trace = trace;
    // Where the output goes to the same terminal, it is progress enough and must not be mixed with ours.
    this.#isShown =
      process.stderr.isTTY === true &&
      process.stdout.isTTY !== true &&
      (trace.size === undefined || trace.size >= LARGE_BYTES);
    this.#nextMs = performance.now() + INTERVAL_MS;
  }

  /** To be called now and then, such as for each batch. */
  update(): void {
    if (!this.#isShown || performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + INTERVAL_MS;
    const { bytesRead, size } = this.#trace;
    const share =
      size === undefined ? '' : ` of ${dataSize(size)} (${Math.floor((100 * bytesRead) / size)} %)`;
    process.stderr.write(`\r\x1b[KReading: ${dataSize(bytesRead)}${share}`);
  }

  /** Takes the line away. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}
