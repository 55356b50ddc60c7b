/**
 * The functions that a runtime has compiled, with times, in the file that it writes for `perf inject --jit`
 * (`jit-PID.dump`). Source: Linux `tools/perf/Documentation/jitdump-specification.txt`.
 *
 * Header: magic u32, version u32, size u32, machine u32, padding u32, process u32, time u64, flags u64. Records: type
 * u32, size u32, time u64; then of a function process u32, thread u32, address u64, code's address u64, code's size
 * u64, index u64, name; of a move the same with the old and the new address of the code, without a name.
 */
import { indexOfNul, viewOf } from '../base/bytes.ts';
import { addressNumber, TimedRanges } from '../base/timed-ranges.ts';

const MAGIC = 0x4a695444;
const RECORD_HEAD_SIZE = 16;
const LOAD = 0;
const MOVE = 1;
const MAX_NAME_SIZE = 4096;

export class JitDump {
  readonly #functions = new TimedRanges<string>();

  private constructor() {}

  /** Reads it up to its end or the first damage; undefined if it is no such file of this byte order. */
  static read(bytes: Uint8Array): JitDump | undefined {
    const view = viewOf(bytes);
    if (bytes.length < 40 || view.getUint32(0, true) !== MAGIC) return undefined;
    const dump = new JitDump();
    const names = new Map<bigint, string>();
    for (let at = view.getUint32(8, true); at + RECORD_HEAD_SIZE <= bytes.length; ) {
      const end = at + view.getUint32(at + 4, true);
      if (end < at + RECORD_HEAD_SIZE || end > bytes.length) break;
      dump.#add(view, at, end, names);
      at = end;
    }
    return dump;
  }

  /** @param time on the recording's clock, which has to be CLOCK_MONOTONIC (`perf record -k mono`) */
  nameAt(address: number, time: number): string | undefined {
    return this.#functions.find(address, time);
  }

  #add(view: DataView, at: number, end: number, names: Map<bigint, string>): void {
    const type = view.getUint32(at, true);
    const time = Number(view.getBigUint64(at + 8, true));
    const body = at + RECORD_HEAD_SIZE;
    if (type === LOAD && body + 40 < end) {
      const name = textAt(view, body + 40, end);
      names.set(view.getBigUint64(body + 32, true), name);
      this.#place(view, body + 16, body + 24, name, time);
    } else if (type === MOVE && body + 48 <= end) {
      const name = names.get(view.getBigUint64(body + 40, true));
      if (name !== undefined) this.#place(view, body + 24, body + 32, name, time);
    }
  }

  #place(view: DataView, addressAt: number, sizeAt: number, name: string, time: number): void {
    const start = addressNumber(view.getBigUint64(addressAt, true));
    this.#functions.add(start, start + Number(view.getBigUint64(sizeAt, true)), name, time);
  }
}

function textAt(view: DataView, start: number, end: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const nul = indexOfNul(bytes, start, Math.min(end, start + MAX_NAME_SIZE));
  return Buffer.from(bytes.subarray(start, nul < 0 ? start : nul)).toString('utf8');
}
