/** The files that processes mapped into memory as code, as far as a trace contains them. */
import { addressNumber, TimedRanges } from '../base/timed-ranges.ts';

/** The kernel's own files belong to this process. */
const KERNEL_PROCESS = 0xffff_ffff;
const MAX_MAPPINGS = 500_000;
/** The maximum length of all names together, in characters. */
const MAX_NAMES = 64 << 20;
/** Processes inherit the mappings of those that forked them. */
const MAX_ANCESTORS = 16;

export interface CodeMapping {
  /** Signed, like all addresses as numbers. */
  readonly start: number;
  /** The position in the file where the mapping starts, in bytes. */
  readonly fileOffset: number;
  /** The kernel's name for it: not always a path. */
  readonly filename: string;
  /** The build id in hex, if known. */
  readonly buildId: string | undefined;
}

interface MappingRecord {
  readonly pid: number;
  readonly start: bigint;
  readonly length: bigint;
  readonly fileOffset: bigint;
  readonly filename: string;
  readonly buildId?: string | undefined;
}

export class CodeMappings {
  /** Build ids of files in hex, as far as they are known by name; a mapping's own one counts more. */
  readonly buildIds: ReadonlyMap<string, string>;
  /** The difference between the time of an event and the recording's clock. */
  readonly #clockOffset: () => bigint;
  /** Where processes have written what they compiled (`jit-PID.dump`), by process. */
  readonly jitDumps = new Map<number, string>();
  /** Functions by address, with their files, if the trace has names instead of mappings. */
  readonly functions = new Map<bigint, { readonly name: string; readonly module: string }>();
  readonly #byProcess = new Map<number, TimedRanges<CodeMapping>>();
  readonly #parents = new Map<number, number>();
  #count = 0;
  #nameSize = 0;

  constructor(buildIds: ReadonlyMap<string, string>, clockOffset: () => bigint) {
    this.buildIds = buildIds;
    this.#clockOffset = clockOffset;
  }

  /** @param time on the recording's clock */
  add({ pid, start, length, fileOffset, filename, buildId }: MappingRecord, time: bigint | undefined): void {
    if (this.#count >= MAX_MAPPINGS || this.#nameSize + filename.length > MAX_NAMES) return;
    this.#count++;
    this.#nameSize += filename.length;
    if (filename.endsWith(`/jit-${pid}.dump`)) this.jitDumps.set(pid, filename);
    let ranges = this.#byProcess.get(pid);
    if (ranges === undefined) {
      ranges = new TimedRanges();
      this.#byProcess.set(pid, ranges);
    }
    const from = addressNumber(start);
    const mapping = { start: from, fileOffset: Number(fileOffset), filename, buildId };
    ranges.add(from, from + Number(length), mapping, Number(time ?? 0n));
  }

  /** A process has started, or a thread of one. */
  addFork(pid: number, parent: number): void {
    if (pid !== parent && this.#parents.size < MAX_MAPPINGS) this.#parents.set(pid, parent);
  }

  /** The time of an event on the recording's clock. */
  clockTime(timestamp: bigint): number {
    return Number(timestamp - this.#clockOffset());
  }

  /** @param timestamp of an event of the trace */
  find(processId: number | undefined, address: number, timestamp: bigint): CodeMapping | undefined {
    const time = this.clockTime(timestamp);
    if (address < 0) return this.#byProcess.get(KERNEL_PROCESS)?.find(address, time);
    let process = processId;
    for (let i = 0; process !== undefined && i < MAX_ANCESTORS; i++) {
      const found = this.#byProcess.get(process)?.find(address, time);
      if (found !== undefined) return found;
      process = this.#parents.get(process);
    }
    return undefined;
  }
}
