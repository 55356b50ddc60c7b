/** A sample of a tracepoint whose fields are those that the kernel has declared for it. */
import type { Payload } from '../../wire/decoded-field.ts';
import type { SampleRecord } from '../../wire/perf-data/records.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { readTracepointValue } from '../../wire/perf-data/tracepoint-value.ts';
import { type Recording, SampleEvent } from './sample-event.ts';

export class TracepointEvent extends SampleEvent {
  readonly #format: TracepointFormat;
  readonly #raw: Uint8Array;
  #fields: { readonly payload: Payload; readonly problem: string | undefined } | undefined;

  constructor(
    recording: Recording,
    sample: SampleRecord,
    time: bigint,
    format: TracepointFormat,
    raw: Uint8Array,
  ) {
    super(recording, sample, time);
    this.#format = format;
    this.#raw = raw;
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

  override get payloadProblem(): string | undefined {
    return this.#decoded().problem;
  }

  get payloadBytes(): Uint8Array {
    return this.#raw.subarray(this.#format.fields[0]?.offset ?? this.#raw.length);
  }

  #decoded() {
    this.#fields ??= this.#decode();
    return this.#fields;
  }

  #decode() {
    const payload: Payload = Object.create(null);
    const missing: string[] = [];
    for (const field of this.#format.fields) {
      const value = readTracepointValue(field, this.#raw, this.recording.littleEndian);
      if (value === undefined) missing.push(field.name);
      else payload[field.name] = value;
    }
    const problem =
      missing.length === 0
        ? undefined
        : `The sample of ${this.#raw.length} bytes ends before the fields ${missing.join(', ')}.`;
    return { payload, problem };
  }
}
