/** Random fields with random values, and how the decoder should read each. Repeatable by seed. */
import type { FieldDefinition, FieldDefinitions } from '../../../lib/source/fields.ts';
import { ipAddressText } from '../../../lib/wire/ip-address.ts';
import { COUNTED_TYPES, FIELD_TYPES, type FieldType } from '../../../lib/wire/schema.ts';
import { randomNumbers } from './event-bytes.ts';

const NULLABLE_TYPES = FIELD_TYPES.filter((type) => !(COUNTED_TYPES as readonly string[]).includes(type));

/** A value to write, and the same as it is read back. */
interface Sample {
  readonly value: unknown;
  readonly expected: unknown;
}

export interface RandomEvent {
  readonly fields: FieldDefinitions;
  readonly payload: Record<string, unknown>;
  readonly expected: Record<string, unknown>;
}

const MAX_DEPTH = 3;
const CHARACTERS = ['a', 'Z', ' ', '\0', 'é', 'Ω', '\u2028', '名', '😀', '"', '\\', '\n'];

export class RandomEvents {
  readonly #random: (limit: number) => number;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  next(): RandomEvent {
    return this.#fields(this.#random(12), 0);
  }

  #fields(count: number, depth: number): RandomEvent {
    const fields: Record<string, FieldDefinition> = {};
    const payload: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (let index = 0; index < count; index++) {
      const name = `${this.#text(4).replaceAll(/[\0]/g, '')}${index}`;
      const [field, sample] = this.#field(depth);
      fields[name] = field;
      payload[name] = sample.value;
      expected[name] = sample.expected;
    }
    return { fields, payload, expected };
  }

  #field(depth: number): [FieldDefinition, Sample] {
    const array = this.#random(3) === 0;
    if (depth < MAX_DEPTH && this.#random(5) === 0) {
      const struct = this.#fields(1 + this.#random(4), depth + 1);
      const sample = { value: struct.payload, expected: struct.expected };
      // All elements are the same: another one would need values of the same random fields.
      return array ? [[struct.fields], this.#array(() => sample)] : [struct.fields, sample];
    }
    const nullable = this.#random(4) === 0;
    const types: readonly FieldType[] = nullable ? NULLABLE_TYPES : FIELD_TYPES;
    const type = types[this.#random(types.length)] as FieldType;
    const makeSample = () =>
      nullable && this.#random(3) === 0 ? { value: null, expected: null } : this.#value(type);
    const definition = `${type}${nullable ? '?' : ''}${array ? '[]' : ''}` as FieldType;
    return [definition, array ? this.#array(makeSample) : makeSample()];
  }

  #array(makeSample: () => Sample): Sample {
    const samples = Array.from({ length: this.#random(4) }, makeSample);
    return {
      value: samples.map((sample) => sample.value),
      expected: samples.map((sample) => sample.expected),
    };
  }

  #value(type: FieldType): Sample {
    const bits = this.#bits();
    const same = (value: unknown): Sample => ({ value, expected: value });
    switch (type) {
      case 'bool':
        return same(this.#random(2) === 1);
      case 'int8':
        return same(Number(BigInt.asIntN(8, bits)));
      case 'int16':
        return same(Number(BigInt.asIntN(16, bits)));
      case 'int32':
      case 'errno':
        return same(Number(BigInt.asIntN(32, bits)));
      case 'int64':
        return same(BigInt.asIntN(64, bits));
      case 'uint8':
      case 'hex8':
        return same(Number(BigInt.asUintN(8, bits)));
      case 'uint16':
      case 'hex16':
      case 'port':
        return same(Number(BigInt.asUintN(16, bits)));
      case 'uint32':
      case 'hex32':
        return same(Number(BigInt.asUintN(32, bits)));
      case 'pid':
        return same(Number(BigInt.asUintN(31, bits)));
      case 'uint64':
      case 'hex64':
        return same(bits);
      case 'float':
        return same(Math.fround(Number(BigInt.asIntN(64, bits))));
      case 'double':
        return same(Number(BigInt.asIntN(64, bits)) / 1024);
      case 'string':
      case 'utf16':
        return same(this.#text(60));
      case 'json': {
        const value = { text: this.#text(10), number: this.#random(100) };
        return { value, expected: JSON.stringify(value) };
      }
      case 'binary':
        return same(this.#bytes(this.#random(60)));
      case 'guid': {
        const text = Buffer.from(this.#bytes(16))
          .toString('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        return { value: this.#random(2) === 0 ? text : text.toUpperCase(), expected: text };
      }
      case 'time': {
        const seconds = Number(BigInt.asIntN(40, bits));
        return { value: new Date(seconds * 1000 + this.#random(1000)), expected: BigInt(seconds) };
      }
      case 'ipAddress': {
        const bytes = this.#bytes(this.#random(2) === 0 ? 4 : 16);
        const text = ipAddressText(bytes);
        return { value: this.#random(2) === 0 ? bytes : text, expected: text };
      }
    }
  }

  #bits(): bigint {
    return Buffer.from(this.#bytes(8)).readBigUInt64LE();
  }

  #bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#random(256));
  }

  #text(limit: number): string {
    let text = '';
    for (let count = this.#random(limit); count > 0; count--)
      text += CHARACTERS[this.#random(CHARACTERS.length)];
    return text;
  }
}
