/**
 * The context for reading all records of a perf.data, and its description of itself: in a file, known before the
 * records; in a pipe, contained in records.
 */
import { TraceError } from '../trace-error.ts';
import type { PerfAttr } from './attr.ts';
import { PerfType } from './constants.ts';
import { SampleKind } from './sample.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

const TWO_TO_32 = 2 ** 32;

/** A number for the ids that kernels assign: maps find numbers faster. */
function idKey(id: bigint): number | bigint {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : id;
}

/** The wall clock and the recording's clock at the same moment, at the start of the recording. */
interface ClockReference {
  /** The time since 1970. */
  readonly wallNs: bigint;
  /** The time on the recording's clock. */
  readonly clockNs: bigint;
}

export class PerfSession {
  readonly littleEndian: boolean;
  readonly attrs: PerfAttr[] = [];
  /** Formats of the recorded tracepoints, by tracepoint id. */
  readonly tracepoints = new Map<number, TracepointFormat>();
  /** Known only if perf was told which clock to use (`perf record -k`). */
  clock: ClockReference | undefined = undefined;
  /** Times of the first and the last sample, on the recording's clock. */
  sampleTime: { readonly first: bigint; readonly last: bigint } | undefined = undefined;
  /** The size of an address, as far as the tracepoints' formats show it. */
  pointerSize: number | undefined = undefined;
  /** Processors that were online. */
  processors: number | undefined = undefined;
  /** Build ids of programs and libraries in hex, by file name. */
  readonly buildIds = new Map<string, string>();
  /** The kernel's function at an address, if the recording has its symbols. */
  kernelFunctionAt: ((address: bigint) => string | undefined) | undefined = undefined;
  /** Other features, by the format's names: `HOSTNAME`. */
  readonly properties: Record<string, string> = {};
  /** Which of these could not be read, in sentences. */
  readonly problems: string[] = [];
  /** The keys are made by `idKey`. */
  readonly #attrById = new Map<number | bigint, PerfAttr>();
  readonly #kinds = new Map<PerfAttr, SampleKind>();
  readonly #names = new Map<bigint, string>();
  #namesInOrder: readonly string[] = [];

  constructor(littleEndian: boolean) {
    this.littleEndian = littleEndian;
  }

  /** What to add to a record's time to get nanoseconds since 1970, if known. */
  get wallTimeOffsetNs(): bigint | undefined {
    return this.clock === undefined ? undefined : this.clock.wallNs - this.clock.clockNs;
  }

  addAttr(attr: PerfAttr): void {
    this.attrs.push(attr);
    for (const id of attr.ids) this.#attrById.set(idKey(id), attr);
  }

  /** Names the attribute with this id. */
  addName(id: bigint, name: string): void {
    this.#names.set(id, name);
  }

  /** The names of all attributes, in order: attributes without ids cannot be named in any other way. */
  addNames(names: readonly string[]): void {
    this.#namesInOrder = names;
  }

  /** Returns the event's name, such as `user_events:MyProvider_L4K1` or `cycles`, if known. */
  nameOf(attr: PerfAttr): string | undefined {
    const named = attr.ids.find((id) => this.#names.has(id));
    if (named !== undefined) return this.#names.get(named);
    return this.#namesInOrder[this.attrs.indexOf(attr)];
  }

  /** @param asking the requesting record, for errors */
  firstAttr(asking: { readonly position: number }): PerfAttr {
    const first = this.attrs[0];
    if (first === undefined) {
      throw new TraceError('malformed', asking.position, 'A record precedes all attributes.');
    }
    return first;
  }

  /** What samples of the attribute have in common, as far as it is known at the first one. */
  kindOf(attr: PerfAttr): SampleKind {
    let kind = this.#kinds.get(attr);
    if (kind === undefined) {
      const tracepoint =
        attr.type === PerfType.Tracepoint ? this.tracepoints.get(Number(attr.config)) : undefined;
      kind = new SampleKind(attr, tracepoint, this.littleEndian);
      this.#kinds.set(attr, kind);
    }
    return kind;
  }

  /**
   * @param high,low the halves of the id
   * @param position of the id, for errors
   */
  attrOf(high: number, low: number, position: number): PerfAttr {
    const number = high * TWO_TO_32 + low;
    const id = Number.isSafeInteger(number) ? number : (BigInt(high) << 32n) | BigInt(low);
    // Id 0 is perf's own: the first attribute.
    const attr = id === 0 ? this.attrs[0] : this.#attrById.get(id);
    if (attr === undefined) {
      throw new TraceError('malformed', position, `No attribute of the file has the id ${id}.`);
    }
    return attr;
  }
}
