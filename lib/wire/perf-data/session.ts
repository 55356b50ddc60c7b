/**
 * The context for reading all records of a perf.data, and its description of itself: in a file, known before the
 * records; in a pipe, contained in records.
 */
import type { PerfAttr } from './attr.ts';
import { PerfDataError } from './error.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

/** The wall clock and the recording's clock at the same moment, at the start of the recording. */
export interface ClockReference {
  /** Since 1970. */
  readonly wallNs: bigint;
  /** On the recording's clock. */
  readonly clockNs: bigint;
}

export class PerfSession {
  readonly littleEndian: boolean;
  readonly attrs: PerfAttr[] = [];
  /** Formats of the recorded tracepoints, by tracepoint id. */
  readonly tracepoints = new Map<number, TracepointFormat>();
  /** Known only if perf was told which clock to use (`perf record -k`). */
  clock: ClockReference | undefined;
  /** Times of the first and the last sample, on the recording's clock. */
  sampleTime: { readonly first: bigint; readonly last: bigint } | undefined;
  /** The size of an address, as far as the tracepoints' formats show it. */
  pointerSize: number | undefined;
  /** Processors that were online. */
  processors: number | undefined;
  /** Other features, by the format's names: `HOSTNAME`. */
  readonly properties: Record<string, string> = {};
  /** Which of these could not be read, in sentences. */
  readonly problems: string[] = [];
  private readonly attrById = new Map<bigint, PerfAttr>();
  private readonly names = new Map<bigint, string>();
  private namesInOrder: readonly string[] = [];

  constructor(littleEndian: boolean) {
    this.littleEndian = littleEndian;
  }

  /** What to add to a record's time to get nanoseconds since 1970, if known. */
  get wallTimeOffsetNs(): bigint | undefined {
    return this.clock === undefined ? undefined : this.clock.wallNs - this.clock.clockNs;
  }

  addAttr(attr: PerfAttr): void {
    this.attrs.push(attr);
    for (const id of attr.ids) this.attrById.set(id, attr);
  }

  /** Names the attribute with this id. */
  addName(id: bigint, name: string): void {
    this.names.set(id, name);
  }

  /** The names of all attributes, in order: attributes without ids cannot be named in any other way. */
  addNames(names: readonly string[]): void {
    this.namesInOrder = names;
  }

  /** Such as `user_events:MyProvider_L4K1` or `cycles`, if known. */
  nameOf(attr: PerfAttr): string | undefined {
    const named = attr.ids.find((id) => this.names.has(id));
    if (named !== undefined) return this.names.get(named);
    return this.namesInOrder[this.attrs.indexOf(attr)];
  }

  /** @param position of the requesting record, for errors */
  firstAttr(position: number): PerfAttr {
    const first = this.attrs[0];
    if (first === undefined) {
      throw new PerfDataError('malformed', position, 'A record precedes all attributes.');
    }
    return first;
  }

  /** @param position of the id, for errors */
  attrOf(id: bigint, position: number): PerfAttr {
    // Id 0 is perf's own: the first attribute.
    const attr = id === 0n ? this.attrs[0] : this.attrById.get(id);
    if (attr === undefined) {
      throw new PerfDataError('malformed', position, `No attribute of the file has the id ${id}.`);
    }
    return attr;
  }
}
