/** A sample of a tracepoint that .NET's EventPipe writes to, in version 1 of its format for tracepoints. */
import type { Payload } from '../../wire/decoded-field.ts';
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import type { DecodedPayload } from '../../wire/nettrace/payload.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { decodeTracepointV1, type TracepointV1Event } from '../../wire/tracepoint-v1/decode.ts';
import { TracepointV1Error } from '../../wire/tracepoint-v1/error.ts';
import { decodeTracepointV1Payload } from '../../wire/tracepoint-v1/metadata.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import type { MetadataStore } from './metadata-store.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

export class EventPipeEvent extends SampleEvent {
  readonly #format: TracepointFormat;
  readonly #store: MetadataStore;
  readonly #event: TracepointV1Event | undefined;
  readonly #fault: string | undefined;
  #decoded: DecodedPayload | undefined;

  /**
   * @param store gets the event's metadata, if it brings any; has it, once it has come
   */
  constructor(
    recording: Recording,
    sample: SampleRecord,
    time: bigint,
    format: TracepointFormat,
    store: MetadataStore,
  ) {
    super(recording, sample, time);
    this.#format = format;
    this.#store = store;
    try {
      this.#event = decodeTracepointV1(dataOf(sample, format));
      const { eventId, metadata } = this.#event;
      if (metadata !== undefined) store.add(format.id, sample.pid, eventId, metadata);
    } catch (error) {
      if (!(error instanceof TracepointV1Error)) throw error;
      this.#fault = error.message;
    }
  }

  get provider(): string {
    return this.#metadata()?.provider ?? this.#format.system;
  }

  /** .NET's native events have no name here, and other events none until their metadata has come. */
  get name(): string {
    const metadata = this.#metadata();
    if (metadata === undefined) return this.#format.name;
    return metadata.name === '' ? `Event${metadata.eventId}` : metadata.name;
  }

  override get id(): number {
    return this.#metadata()?.eventId ?? this.#event?.eventId ?? 0;
  }

  override get version(): number {
    return this.#metadata()?.version ?? 0;
  }

  override get level(): number {
    return this.#metadata()?.level ?? 0;
  }

  override get keywords(): bigint {
    return this.#metadata()?.keywords ?? 0n;
  }

  override get opcode(): number {
    return this.#metadata()?.opcode ?? 0;
  }

  override get opcodeName(): string | undefined {
    return opcodeNameOf(this.opcode);
  }

  override get taskName(): string | undefined {
    return taskNameOf(this.name, this.opcode);
  }

  override get activityId(): string | undefined {
    return this.#event?.activityId;
  }

  override get relatedActivityId(): string | undefined {
    return this.#event?.relatedActivityId;
  }

  get payload(): Payload {
    return this.#fields().payload;
  }

  override get payloadProblem(): string | undefined {
    return this.#fields().problem;
  }

  get payloadBytes(): Uint8Array {
    return this.#event?.payload ?? dataOf(this.sample, this.#format);
  }

  #metadata(): NetTraceMetadata | undefined {
    return this.#event && this.#store.get(this.#format.id, this.sample.pid, this.#event.eventId);
  }

  #fields(): DecodedPayload {
    const metadata = this.#metadata();
    if (this.#event === undefined || metadata === undefined) {
      return withoutFields(this.#fault ?? 'No metadata that describes the event has been recorded yet.');
    }
    this.#decoded ??=
      metadata.fieldsProblem === undefined
        ? decodeTracepointV1Payload(metadata, this.#event.payload)
        : withoutFields(metadata.fieldsProblem);
    return this.#decoded;
  }
}

/** From the version on. */
function dataOf(sample: SampleRecord, format: TracepointFormat): Uint8Array {
  return rawOf(sample).subarray(format.fields[0]?.offset);
}

function withoutFields(problem: string): DecodedPayload {
  return { payload: Object.create(null), problem };
}
