/** A sample of a tracepoint whose fields the kernel has declared. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import { itemLimit } from '../../wire/output-limits.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { readTracepointValue } from '../../wire/perf-data/tracepoint-value.ts';
import type { PayloadHolder } from '../decoded-payloads.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

/** Names that the kernel's tracepoints and perf's probes use for addresses whose type is not a pointer. */
const ADDRESS = /^(?:ip|addr|address|__probe_(?:ip|func|ret_ip))$/;

/** The fields of ftrace's tracers for the function that is called, and for who calls it. */
const FUNCTION = /^(?:ip|parent_ip|func|retaddr|caller)$/;

const hexFields = new WeakMap<TracepointFormat, ReadonlySet<string>>();

export class TracepointEvent extends SampleEvent implements PayloadHolder {
  readonly #format: TracepointFormat;
  #fields: { readonly payload: Payload; readonly problem: string | undefined } | undefined;

  constructor(
    recording: Recording,
    sample: SampleRecord,
    timeHigh: number,
    timeLow: number,
    format: TracepointFormat,
  ) {
    super(recording, sample, timeHigh, timeLow);
    this.#format = format;
  }

  get provider(): string {
    return this.#format.system;
  }

  get name(): string {
    return this.#format.name;
  }

  get payload(): Payload {
    return this.#decoded().payload;
  }

  override get hexFields(): ReadonlySet<string> {
    let names = hexFields.get(this.#format);
    if (names === undefined) {
      const addresses = this.#format.fields.filter(
        ({ name, type }) => type.endsWith('*') || ADDRESS.test(name),
      );
      names = new Set(addresses.map(({ name }) => name));
      hexFields.set(this.#format, names);
    }
    return names;
  }

  /** What ftrace's own tracers say of functions, as trace-cmd shows it. */
  override fieldText(field: string): string | undefined {
    if (this.provider !== 'ftrace' || !FUNCTION.test(field)) return undefined;
    const address = this.payload[field];
    const isAddress = typeof address === 'number' || typeof address === 'bigint';
    return isAddress ? this.recording.kernelFunctionAt?.(BigInt(address)) : undefined;
  }

  override get payloadProblem(): string | undefined {
    return this.#decoded().problem;
  }

  get payloadBytes(): Uint8Array {
    const raw = rawOf(this.sample);
    return raw.subarray(this.#format.fields[0]?.offset ?? raw.length);
  }

  /** @internal */
  forgetPayload(): void {
    this.#fields = undefined;
  }

  #decoded() {
    if (this.#fields !== undefined) return this.#fields;
    const { rawStart, rawEnd } = this.sample;
    const fields = this.#decode(rawStart, rawEnd);
    const limit = itemLimit(rawEnd - rawStart);
    this.recording.decoded.add(this, limit, limit);
    this.#fields = fields;
    return fields;
  }

  #decode(start: number, end: number) {
    const { piece, of } = this.sample;
    const payload = new EmptyPayload();
    const missing: string[] = [];
    let left = itemLimit(end - start);
    for (const field of this.#format.fields) {
      const value = readTracepointValue(field, piece.bytes, of.littleEndian, start, end);
      // Fields may overlap, and so be far larger than the sample.
      left -=
        value === undefined || typeof value === 'number' || typeof value === 'bigint' ? 1 : value.length;
      if (left < 0) {
        const problem = `The fields exceed the ${end - start} bytes of the sample: "${field.name}" and all later fields are omitted.`;
        return { payload, problem };
      }
      if (value === undefined) missing.push(field.name);
      else payload[field.name] = value;
    }
    const problem =
      missing.length === 0
        ? undefined
        : `The sample of ${end - start} bytes ends before the fields ${missing.join(', ')}.`;
    return { payload, problem };
  }
}
