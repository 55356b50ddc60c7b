/**
 * The functions compiled by a runtime, in the file that it writes for perf (`perf-PID.map`): a line for each, with
 * address and size in hex and the name. Code is moved and its memory reused, but lines have no times: the last one for
 * an address counts.
 */
import { TimedRanges } from '../base/timed-ranges.ts';

const LINE = /^(?:0x)?([0-9a-f]{1,16}) (?:0x)?([0-9a-f]{1,8}) (.{1,4096})/gim;
const MAX_FUNCTIONS = 4_000_000;

export class PerfMap {
  readonly #functions = new TimedRanges<string>();

  add(start: number, size: number, name: string): void {
    // Of those that cover an address, the latest one wins.
    const order = this.#functions.count;
    if (order < MAX_FUNCTIONS) this.#functions.add(start, start + size, name, order);
  }

  nameAt(address: number): string | undefined {
    return this.#functions.find(address, MAX_FUNCTIONS);
  }
}

export function readPerfMap(text: string): PerfMap {
  const map = new PerfMap();
  for (const [, start = '', size = '', name = ''] of text.matchAll(LINE)) {
    map.add(Number.parseInt(start, 16), Number.parseInt(size, 16), name);
  }
  return map;
}
