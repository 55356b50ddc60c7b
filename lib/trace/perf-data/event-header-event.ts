/** A sample of an EventHeader tracepoint: the event describes itself, its payload's fields included. */
import { type Payload, payloadOf } from '../../wire/decoded-field.ts';
import { decodeOpenedFields } from '../../wire/eventheader/decode.ts';
import { ITEM_LIMIT } from '../../wire/eventheader/decode-fields.ts';
import { EventHeaderError } from '../../wire/eventheader/error.ts';
import type { OpenedEvent } from '../../wire/eventheader/open.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PayloadHolder } from '../decoded-payloads.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import type { EventHeaderKind, EventHeaderTracepoint } from './event-header-tracepoint.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

interface Decoded {
  readonly payload: Payload;
  readonly problem: string | undefined;
}

export class EventHeaderEvent extends SampleEvent implements PayloadHolder {
  readonly #tracepoint: EventHeaderTracepoint;
  #opened: OpenedEvent | EventHeaderError | undefined;
  #kind: EventHeaderKind | undefined;
  #decoded: Decoded | undefined;

  constructor(recording: Recording, sample: SampleRecord, time: bigint, tracepoint: EventHeaderTracepoint) {
    super(recording, sample, time);
    this.#tracepoint = tracepoint;
  }

  get provider(): string {
    return this.#tracepoint.provider;
  }

  /** The tracepoint's, where the event is damaged. */
  get name(): string {
    const event = this.#event();
    return event === undefined ? this.#tracepoint.name : this.#kindOf(event).name;
  }

  override get id(): number {
    return this.#event()?.id ?? 0;
  }

  override get version(): number {
    return this.#event()?.version ?? 0;
  }

  override get level(): number {
    return this.#event()?.level ?? 0;
  }

  override get opcode(): number {
    return this.#event()?.opcode ?? 0;
  }

  override get opcodeName(): string | undefined {
    return opcodeNameOf(this.opcode);
  }

  override get taskName(): string | undefined {
    return taskNameOf(this.name, this.opcode);
  }

  override get keywords(): bigint {
    return this.#event()?.keyword ?? 0n;
  }

  override get activityId(): string | undefined {
    return this.#event()?.activityId;
  }

  override get relatedActivityId(): string | undefined {
    return this.#event()?.relatedActivityId;
  }

  get payload(): Payload {
    return this.#fields().payload;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    const event = this.#event();
    return event === undefined ? undefined : this.#kindOf(event).hexFields;
  }

  override get payloadProblem(): string | undefined {
    return this.#fields().problem;
  }

  /** With what perf has put behind the payload, up to seven bytes: nothing tells where it ends. */
  get payloadBytes(): Uint8Array {
    return this.#data().subarray(this.#event()?.payloadOffset ?? 0);
  }

  #data(): Uint8Array {
    return this.#tracepoint.eventIn(rawOf(this.sample));
  }

  #open(): OpenedEvent | EventHeaderError {
    this.#opened ??= unlessFaulty(() => this.#tracepoint.open(this.#data()));
    return this.#opened;
  }

  /** @returns undefined where the event is damaged */
  #event(): OpenedEvent | undefined {
    const event = this.#open();
    return event instanceof EventHeaderError ? undefined : event;
  }

  #kindOf(event: OpenedEvent): EventHeaderKind {
    this.#kind ??= this.#tracepoint.kindOf(event);
    return this.#kind;
  }

  /** @internal */
  forgetPayload(): void {
    this.#decoded = undefined;
  }

  #fields(): Decoded {
    if (this.#decoded !== undefined) return this.#decoded;
    const decoded = this.#decode();
    const size = this.#data().length;
    this.recording.decoded.add(this, size, Math.min(size, ITEM_LIMIT));
    this.#decoded = decoded;
    return decoded;
  }

  #decode(): Decoded {
    const event = this.#open();
    if (event instanceof EventHeaderError) return withoutFields(event);
    const fields = unlessFaulty(() => decodeOpenedFields(event, this.#kindOf(event).metadata));
    if (fields instanceof EventHeaderError) return withoutFields(fields);
    return { payload: payloadOf(fields), problem: undefined };
  }
}

function withoutFields(error: EventHeaderError): Decoded {
  return { payload: Object.create(null), problem: error.message };
}

function unlessFaulty<T>(read: () => T): T | EventHeaderError {
  try {
    return read();
  } catch (error) {
    if (error instanceof EventHeaderError) return error;
    throw error;
  }
}
