/** One kind of event, and its tracepoint. */
import type { Guid } from '../../activity/guid.ts';
import type { Listenable } from '../../listen/written-event.ts';
import { NO_KIND, type PassedTracer } from '../../platform/passed-tracer.ts';
import { amidEncoding, isEncoding } from '../../wire/event-encoder.ts';
import { compilePayloadWriter } from '../../wire/payload-writer.ts';
import type { EventSchema } from '../../wire/schema.ts';
import { TracepointV1Encoder } from '../../wire/tracepoint-v1/encode.ts';
import { tracepointV1Metadata } from '../../wire/tracepoint-v1/metadata.ts';
import { PERF_LIMIT, WRITE_INDEX_SIZE } from '../../wire/user-events.ts';
import { type Payload, takeFaults } from '../../wire/values/faults.ts';
import { kindText } from '../event-kinds.ts';
import { netTraceFields, valueWriterOf } from '../field-layouts.ts';

/** What events need from the tracer. */
export type TracepointWriter = Pick<PassedTracer, 'isRecorded' | 'kindOf' | 'isDescribed' | 'write' | 'drop'>;

export class TracepointEvent {
  readonly #tracer: TracepointWriter;
  readonly #tracepoint: number;
  readonly #hasId: boolean;
  readonly #encoder: TracepointV1Encoder;
  /** The number that all threads of the process use for it. */
  readonly #kind: number;
  #isDescribed: boolean;

  /**
   * @param tracepoint the index among the tracer's tracepoints
   * @param eventId 0 if there is none left for the event
   */
  constructor(
    tracer: TracepointWriter,
    tracepoint: number,
    source: Listenable,
    schema: EventSchema,
    eventId: number,
  ) {
    this.#tracer = tracer;
    this.#tracepoint = tracepoint;
    this.#hasId = eventId !== 0;
    this.#kind = tracer.kindOf(`${tracepoint} ${eventId} ${kindText(source, schema)}`);
    const metadata = metadataOf(source, schema, eventId);
    this.#encoder = new TracepointV1Encoder(
      eventId,
      metadata,
      compilePayloadWriter(schema.fields, valueWriterOf),
    );
    this.#isDescribed = !this.#encoder.canDescribe;
  }

  /** Failed writes are counted. Never throws. */
  write(payload: Payload, activityId: Guid | undefined, relatedActivityId: Guid | undefined): void {
    if (!this.#hasId) this.#tracer.drop();
    else if (isEncoding()) amidEncoding(() => this.#write(payload, activityId, relatedActivityId));
    else this.#write(payload, activityId, relatedActivityId);
  }

  #write(payload: Payload, activityId: Guid | undefined, relatedActivityId: Guid | undefined): void {
    if (!this.#isKnown()) {
      const size = this.#encode(payload, activityId, relatedActivityId, true);
      if (size !== undefined) {
        this.#isDescribed = this.#tracer.write(this.#tracepoint, size, this.#kind);
        return;
      }
      // A smaller event will have room for the description.
    }
    const size = this.#encode(payload, activityId, relatedActivityId, false);
    if (size === undefined) this.#tracer.drop();
    else this.#tracer.write(this.#tracepoint, size, NO_KIND);
  }

  /** Whether readers have the kind's description, from any thread. */
  #isKnown(): boolean {
    this.#isDescribed ||= this.#tracer.isDescribed(this.#kind);
    return this.#isDescribed;
  }

  /**
   * Returns the size including the write index; undefined if the event is too large for a tracer or cannot be read. A
   * value that does not fit its field becomes the nearest one that does.
   */
  #encode(
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    describes: boolean,
  ): number | undefined {
    try {
      const size = this.#encoder.encode(payload, activityId, relatedActivityId, describes);
      return takeFaults()?.tooLarge || size - WRITE_INDEX_SIZE > PERF_LIMIT ? undefined : size;
    } catch {
      // A getter or a proxy threw.
      takeFaults();
      return undefined;
    }
  }
}

/** The metadata in .NET's form: without the opcode if it is Info. */
function metadataOf(source: Listenable, schema: EventSchema, eventId: number): Uint8Array {
  const { name, keywords, version, level, opcode, fields } = schema;
  return tracepointV1Metadata({
    provider: source.name,
    eventId,
    name,
    keywords,
    version,
    level,
    opcode: opcode === 0 ? undefined : opcode,
    fields: netTraceFields(fields),
  });
}
