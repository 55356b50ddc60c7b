/** A sample of a tracepoint to which .NET's EventPipe writes, in version 1 of its tracepoint format. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import { Block } from '../../wire/nettrace/block.ts';
import { BlockKind } from '../../wire/nettrace/constants.ts';
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { decodeTracepointV1, type TracepointV1Event } from '../../wire/tracepoint-v1/decode.ts';
import { TracepointV1Error } from '../../wire/tracepoint-v1/error.ts';
import type { PayloadHolder } from '../decoded-payloads.ts';
import type { EventKind, KindPayload, PayloadPlace } from '../nettrace/event-kind.ts';
import { type DescribedKind, eventPipeData, type MetadataStore } from './metadata-store.ts';
import { type Recording, SampleEvent } from './sample-event.ts';

export class EventPipeEvent extends SampleEvent implements PayloadHolder {
  readonly #format: TracepointFormat;
  readonly #store: MetadataStore;
  #event: TracepointV1Event | TracepointV1Error | undefined;
  #described: DescribedKind | undefined;
  #decoded: KindPayload | undefined;

  /** @param store provides the event's metadata, once it has been read */
  constructor(
    recording: Recording,
    sample: SampleRecord,
    timeHigh: number,
    timeLow: number,
    format: TracepointFormat,
    store: MetadataStore,
  ) {
    super(recording, sample, timeHigh, timeLow);
    this.#format = format;
    this.#store = store;
  }

  get provider(): string {
    return this.#metadata()?.provider ?? this.#format.system;
  }

  override get providerGuid(): string | undefined {
    return this.#kind()?.providerGuid;
  }

  /** The tracepoint's name until the event's metadata has arrived. */
  get name(): string {
    return this.#kind()?.name ?? this.#format.name;
  }

  override get id(): number {
    return this.#metadata()?.eventId ?? this.#written()?.eventId ?? 0;
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
    return this.#kind()?.opcode ?? 0;
  }

  override get opcodeName(): string | undefined {
    return this.#kind()?.opcodeName(this.opcode);
  }

  override get taskName(): string | undefined {
    return this.#kind()?.taskName(this.opcode);
  }

  override get activityId(): string | undefined {
    return this.#written()?.activityId;
  }

  override get relatedActivityId(): string | undefined {
    return this.#written()?.relatedActivityId;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    return this.#kind()?.hexFields;
  }

  get payload(): Payload {
    return this.#fields().payload;
  }

  override get payloadProblem(): string | undefined {
    return this.#fields().problem;
  }

  get payloadBytes(): Uint8Array {
    return this.#written()?.payload ?? eventPipeData(this.sample, this.#format);
  }

  #open(): TracepointV1Event | TracepointV1Error {
    this.#event ??= unlessFaulty(() => decodeTracepointV1(eventPipeData(this.sample, this.#format)));
    return this.#event;
  }

  /** @returns undefined if the event is damaged */
  #written(): TracepointV1Event | undefined {
    const event = this.#open();
    return event instanceof TracepointV1Error ? undefined : event;
  }

  #describe(): DescribedKind | undefined {
    const event = this.#written();
    if (event === undefined) return undefined;
    this.#described ??= this.#store.get(this.#format.id, this.sample.pid, event.eventId);
    return this.#described;
  }

  #metadata(): NetTraceMetadata | undefined {
    return this.#describe()?.metadata;
  }

  #kind(): EventKind | undefined {
    return this.#describe()?.kind;
  }

  /** @internal */
  forgetPayload(): void {
    this.#decoded = undefined;
  }

  #fields(): KindPayload {
    const event = this.#open();
    if (event instanceof TracepointV1Error) return withoutFields(event.message);
    const kind = this.#kind();
    if (kind === undefined) {
      return withoutFields('No metadata that describes the event has been recorded yet.');
    }
    if (this.#decoded !== undefined) return this.#decoded;
    const decoded = kind.decode(placeOf(event.payload), this.recording.pointerSize);
    this.recording.decoded.add(this, event.payload.length, decoded.values);
    this.#decoded = decoded;
    return decoded;
  }
}

function placeOf(payload: Uint8Array): PayloadPlace {
  const block = new Block(BlockKind.Event, payload, 0);
  return { block, payloadStart: 0, payloadEnd: payload.length, payloadBytes: payload };
}

function unlessFaulty(read: () => TracepointV1Event): TracepointV1Event | TracepointV1Error {
  try {
    return read();
  } catch (error) {
    if (error instanceof TracepointV1Error) return error;
    throw error;
  }
}

function withoutFields(problem: string): KindPayload {
  return { payload: new EmptyPayload(), problem, values: 0 };
}
