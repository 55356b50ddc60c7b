/** Columns of integers: the differences of their values, which for times and for equal values are small. */
import { ByteWriter } from '../../base/byte-writer.ts';
import { enlarged } from '../../base/enlarged.ts';
import { Column, Encoding, type LogicalType, type Range, Type } from './column.ts';
import { putDeltas } from './encodings.ts';

const MAX_EXACT = Number.MAX_SAFE_INTEGER / 4;
const FIRST_SIZE = 64;

/** The deltas of a page. */
let deltas = new Float64Array(FIRST_SIZE);

/** 64-bit integers. */
export class Int64Column extends Column {
  readonly type = Type.Int64;
  #values = new BigInt64Array(FIRST_SIZE);
  #range: { readonly min: bigint; readonly max: bigint } | undefined;

  constructor(name: string, logical: LogicalType = 'none') {
    super(name, logical);
  }

  add(value: bigint | undefined): void {
    if (value === undefined) {
      this.addNull();
      return;
    }
    const { present } = this;
    if (present === this.#values.length) this.#values = enlarged(this.#values, present + 1);
    this.#values[present] = value;
    this.enterValue();
  }

  protected putValues(out: ByteWriter): number {
    const { present } = this;
    if (present === 0) return Encoding.Plain;
    // Halves, because reading bigints would make each one anew.
    const halves = new Int32Array(this.#values.buffer, 0, 2 * present);
    if (present > deltas.length) deltas = enlarged(deltas, present);
    let [offset, min, max] = [0, 0, 0];
    for (let i = 1; i < present; i++) {
      const at = 2 * i;
      const low = ((halves[at] as number) >>> 0) - ((halves[at - 2] as number) >>> 0);
      const delta = ((halves[at + 1] as number) - (halves[at - 1] as number)) * 2 ** 32 + low;
      deltas[i] = delta;
      offset += delta;
      if (offset < min) min = offset;
      else if (offset > max) max = offset;
      if (!(delta <= MAX_EXACT && delta >= -MAX_EXACT)) return this.#putPlain(out);
    }
    const first = this.#values[0] as bigint;
    if (max - min > MAX_EXACT) return this.#putPlain(out);
    this.#extend(first + BigInt(min), first + BigInt(max));
    putDeltas(out, first, deltas, present);
    return Encoding.Deltas;
  }

  #putPlain(out: ByteWriter): number {
    for (const value of this.#values.subarray(0, this.present)) {
      out.uint64(value);
      this.#extend(value, value);
    }
    return Encoding.Plain;
  }

  #extend(min: bigint, max: bigint): void {
    const range = this.#range;
    const isUnsigned = this.logical === 'unsigned';
    const order = (value: bigint) => (isUnsigned ? BigInt.asUintN(64, value) : value);
    this.#range = {
      min: range === undefined || order(min) < order(range.min) ? min : range.min,
      max: range === undefined || order(max) > order(range.max) ? max : range.max,
    };
  }

  protected takeRange(): Range | undefined {
    const range = this.#range;
    this.#range = undefined;
    return range && { min: int64(range.min), max: int64(range.max) };
  }
}

/** Integers that are exact as numbers. */
export class IntColumn extends Column {
  readonly type = Type.Int64;
  #values = new Float64Array(FIRST_SIZE);
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(name: string) {
    super(name, 'none');
  }

  add(value: number | undefined): void {
    if (value === undefined) {
      this.addNull();
      return;
    }
    const { present } = this;
    if (present === this.#values.length) this.#values = enlarged(this.#values, present + 1);
    this.#values[present] = value;
    this.enterValue();
  }

  protected putValues(out: ByteWriter): number {
    const { present } = this;
    const values = this.#values;
    if (present === 0) return Encoding.Plain;
    if (present > deltas.length) deltas = enlarged(deltas, present);
    let min = values[0] as number;
    let max = min;
    for (let i = 1; i < present; i++) {
      const value = values[i] as number;
      deltas[i] = value - (values[i - 1] as number);
      if (value < min) min = value;
      else if (value > max) max = value;
    }
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
    if (max - min <= MAX_EXACT) {
      putDeltas(out, BigInt(values[0] as number), deltas, present);
      return Encoding.Deltas;
    }
    for (let i = 0; i < present; i++) out.uint64(values[i] as number);
    return Encoding.Plain;
  }

  protected takeRange(): Range | undefined {
    const [min, max] = [this.#min, this.#max];
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    return min > max ? undefined : { min: int64(BigInt(min)), max: int64(BigInt(max)) };
  }
}

function int64(value: bigint): Uint8Array {
  return new ByteWriter().uint64(value).copy();
}
