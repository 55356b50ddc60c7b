/** A sample of a tracepoint whose fields are those that the kernel has declared for it. */
import type { Payload } from '../../wire/decoded-field.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { readTracepointValue } from '../../wire/perf-data/tracepoint-value.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

export class TracepointEvent extends SampleEvent {
  readonly #format: TracepointFormat;
  #fields: { readonly payload: Payload; readonly problem: string | undefined } | undefined;

  constructor(recording: Recording, sample: SampleRecord, time: bigint, format: TracepointFormat) {
    super(recording, sample, time);
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

  override get payloadProblem(): string | undefined {
    return this.#decoded().problem;
  }

  get payloadBytes(): Uint8Array {
    const raw = rawOf(this.sample);
    return raw.subarray(this.#format.fields[0]?.offset ?? raw.length);
  }

  #decoded() {
    this.#fields ??= this.#decode();
    return this.#fields;
  }

  #decode() {
    const raw = rawOf(this.sample);
    const payload: Payload = Object.create(null);
    const missing: string[] = [];
    for (const field of this.#format.fields) {
      const value = readTracepointValue(field, raw, this.recording.littleEndian);
      if (value === undefined) missing.push(field.name);
      else payload[field.name] = value;
    }
    const problem =
      missing.length === 0
        ? undefined
        : `The sample of ${raw.length} bytes ends before the fields ${missing.join(', ')}.`;
    return { payload, problem };
  }
}
