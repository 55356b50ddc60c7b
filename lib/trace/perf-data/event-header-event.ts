/** A sample of an EventHeader tracepoint: the event describes itself, its payload's fields included. */
import { EmptyPayload, type Payload, payloadOf } from '../../wire/decoded-field.ts';
import { decodeValues, ITEM_LIMIT } from '../../wire/eventheader/decode-fields.ts';
import { EventHeaderError } from '../../wire/eventheader/error.ts';
import type { OpenedEvent } from '../../wire/eventheader/open.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PayloadHolder } from '../decoded-payloads.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import { type Labels, tagLabels, withGroup } from '../tag-labels.ts';
import type { EventHeaderKind, EventHeaderTracepoint } from './event-header-tracepoint.ts';
import { type Recording, SampleEvent } from './sample-event.ts';

interface Decoded {
  readonly payload: Payload;
  readonly problem: string | undefined;
}

export class EventHeaderEvent extends SampleEvent implements PayloadHolder {
  readonly #tracepoint: EventHeaderTracepoint;
  #opened: OpenedEvent | EventHeaderError | undefined;
  #kind: EventHeaderKind | undefined;
  #decoded: Decoded | undefined;

  constructor(
    recording: Recording,
    sample: SampleRecord,
    timeHigh: number,
    timeLow: number,
    tracepoint: EventHeaderTracepoint,
  ) {
    super(recording, sample, timeHigh, timeLow);
    this.#tracepoint = tracepoint;
  }

  get provider(): string {
    return this.#tracepoint.provider;
  }

  /** The tracepoint's name if the event is damaged. */
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
    return presentId(this.#event()?.activityId);
  }

  override get relatedActivityId(): string | undefined {
    return presentId(this.#event()?.relatedActivityId);
  }

  get payload(): Payload {
    return this.#fields().payload;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    const event = this.#event();
    return event === undefined ? undefined : this.#kindOf(event).hexFields;
  }

  override get labels(): Labels | undefined {
    const event = this.#event();
    if (event === undefined) return undefined;
    const { tags } = this.#kindOf(event);
    const all = event.tag === 0 ? tags : { ...tagLabels(event.tag, []), ...tags };
    return withGroup(all, this.#tracepoint.group);
  }

  override get payloadProblem(): string | undefined {
    return this.#fields().problem;
  }

  /** Includes up to seven bytes of padding by perf: nothing says where the payload ends. */
  get payloadBytes(): Uint8Array {
    const { piece, rawEnd } = this.sample;
    return piece.bytes.subarray(this.#event()?.payloadStart ?? this.#start, rawEnd);
  }

  get #start(): number {
    const { rawStart, rawEnd } = this.sample;
    return Math.min(rawEnd, rawStart + this.#tracepoint.offset);
  }

  #open(): OpenedEvent | EventHeaderError {
    if (this.#opened !== undefined) return this.#opened;
    const { piece, rawEnd } = this.sample;
    try {
      this.#opened = this.#tracepoint.open(piece.bytes, piece.view, this.#start, rawEnd);
    } catch (error) {
      if (!(error instanceof EventHeaderError)) throw error;
      this.#opened = error;
    }
    return this.#opened;
  }

  /** @returns undefined if the event is damaged */
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
    const size = this.sample.rawEnd - this.#start;
    this.recording.decoded.add(this, size, Math.min(size, ITEM_LIMIT));
    this.#decoded = decoded;
    return decoded;
  }

  #decode(): Decoded {
    const event = this.#open();
    if (event instanceof EventHeaderError) return withoutFields(event);
    try {
      const fields = decodeValues(this.#kindOf(event).metadata, event);
      return { payload: payloadOf(fields), problem: undefined };
    } catch (error) {
      if (!(error instanceof EventHeaderError)) throw error;
      return withoutFields(error);
    }
  }
}

function withoutFields(error: EventHeaderError): Decoded {
  return { payload: new EmptyPayload(), problem: error.message };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** An event has room for both ids or none: the one that is missing is all zeros. */
function presentId(id: string | undefined): string | undefined {
  return id === NO_ID ? undefined : id;
}
