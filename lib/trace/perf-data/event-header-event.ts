/** A sample of an EventHeader tracepoint: the event describes itself, its payload's fields included. */
import { type Payload, payloadOf } from '../../wire/decoded-field.ts';
import { decodeOpenedEvent } from '../../wire/eventheader/decode.ts';
import { EventHeaderError } from '../../wire/eventheader/error.ts';
import { type OpenedEvent, openEventHeader } from '../../wire/eventheader/open.ts';
import { type ParsedMetadata, parseMetadata } from '../../wire/eventheader/parse-metadata.ts';
import { parseTracepointName } from '../../wire/eventheader/tracepoint-name-parse.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

interface Opened extends OpenedEvent {
  readonly parsed: ParsedMetadata;
  readonly name: string;
}

interface Decoded {
  readonly payload: Payload;
  readonly problem: string | undefined;
}

export class EventHeaderEvent extends SampleEvent {
  readonly #format: TracepointFormat;
  #opened: Opened | EventHeaderError | undefined;
  #decoded: Decoded | undefined;

  constructor(recording: Recording, sample: SampleRecord, time: bigint, format: TracepointFormat) {
    super(recording, sample, time);
    this.#format = format;
  }

  get provider(): string {
    return this.#event()?.provider ?? parseTracepointName(this.#format.name)?.provider ?? this.#format.system;
  }

  /** The tracepoint's, where the event is damaged. */
  get name(): string {
    return this.#event()?.name ?? this.#format.name;
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

  override get payloadProblem(): string | undefined {
    return this.#fields().problem;
  }

  /** With what perf has put behind the payload, up to seven bytes: nothing tells where it ends. */
  get payloadBytes(): Uint8Array {
    return this.#data().subarray(this.#event()?.payloadOffset ?? 0);
  }

  /** From the event's header on. */
  #data(): Uint8Array {
    return rawOf(this.sample).subarray(this.#format.eventHeaderOffset);
  }

  #open(): Opened | EventHeaderError {
    this.#opened ??= unlessFaulty(() => opened(this.#format.name, this.#data()));
    return this.#opened;
  }

  /** @returns undefined where the event is damaged */
  #event(): Opened | undefined {
    const event = this.#open();
    return event instanceof EventHeaderError ? undefined : event;
  }

  #fields(): Decoded {
    this.#decoded ??= this.#decode();
    return this.#decoded;
  }

  #decode(): Decoded {
    const event = this.#open();
    if (event instanceof EventHeaderError) return withoutFields(event);
    const decoded = unlessFaulty(() => decodeOpenedEvent(event, event.parsed));
    if (decoded instanceof EventHeaderError) return withoutFields(decoded);
    return { payload: payloadOf(decoded.fields), problem: undefined };
  }
}

function withoutFields(error: EventHeaderError): Decoded {
  return { payload: Object.create(null), problem: error.message };
}

function opened(tracepoint: string, data: Uint8Array): Opened {
  const event = openEventHeader(tracepoint, data);
  const parsed = parseMetadata(event.metadata, event.littleEndian);
  const [name = ''] = parsed.nameAndAttributes.split(';', 1);
  return Object.assign(event, { parsed, name });
}

function unlessFaulty<T>(read: () => T): T | EventHeaderError {
  try {
    return read();
  } catch (error) {
    if (error instanceof EventHeaderError) return error;
    throw error;
  }
}
