/**
 * An event of a Perfetto trace, in the common shape of trace events: the begin or end of a slice as the start or stop
 * of an activity, an instant, the value of a counter, or a CPU sample.
 */

import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import { type Annotation, TRACK_EVENT_ANNOTATIONS } from '../../wire/perfetto/messages.ts';
import { MessageReader } from '../../wire/protobuf/message-reader.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { DecodedPayloads, PayloadHolder } from '../decoded-payloads.ts';
import { type Nanoseconds, TraceEvent } from '../trace-event.ts';
import { type Annotations, readAnnotations } from './annotations.ts';
import type { SequenceState } from './sequences.ts';

/** What the events of one trace share. */
export interface PerfettoTrace {
  readonly startTime: Nanoseconds;
  /** The offset from the trace's clock. */
  readonly wallOffset: Nanoseconds;
  readonly decoded: DecodedPayloads;
}

/** What an event is made of. */
export interface EventHead {
  readonly trace: PerfettoTrace;
  readonly provider: string;
  readonly name: string;
  readonly boundary?: 'Start' | 'Stop';
  readonly task?: string;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly processor?: number;
  /** The time on the trace's clock. */
  readonly timeNs: bigint;
  readonly activityId?: string | undefined;
  readonly relatedActivityId?: string | undefined;
  /** The bytes of a `TRACK_EVENT`. */
  readonly bytes: Uint8Array;
  readonly state: SequenceState;
  /** Which annotation has the fields; without it, they are the fields. */
  readonly fields?: string;
  /** Fields that are no annotations. */
  readonly payload?: Payload;
  readonly stack?: readonly bigint[];
  readonly position: number;
}

const OPCODES = { Start: 1, Stop: 2 } as const;

export class PerfettoEvent extends TraceEvent implements PayloadHolder {
  readonly providerGuid: undefined = undefined;
  readonly id = 0;
  readonly version = 0;
  readonly level = 0;
  readonly task = 0;
  readonly keywords = 0n;
  readonly channel = 0;
  readonly #head: EventHead;
  #decoded: Annotations | undefined;

  constructor(head: EventHead) {
    super();
    this.#head = head;
  }

  get provider(): string {
    return this.#head.provider;
  }

  get name(): string {
    return this.#head.name;
  }

  get opcode(): number {
    const { boundary } = this.#head;
    return boundary === undefined ? 0 : OPCODES[boundary];
  }

  get opcodeName(): string | undefined {
    return this.#head.boundary;
  }

  get taskName(): string | undefined {
    return this.#head.task;
  }

  get processId(): number | undefined {
    return this.#head.processId;
  }

  get threadId(): number | undefined {
    return this.#head.threadId;
  }

  get processor(): number | undefined {
    return this.#head.processor;
  }

  get timestamp(): Nanoseconds {
    return this.#head.timeNs + this.#head.trace.wallOffset;
  }

  get timeSinceStart(): Nanoseconds {
    return this.timestamp - this.#head.trace.startTime;
  }

  get activityId(): string | undefined {
    return this.#head.activityId;
  }

  get relatedActivityId(): string | undefined {
    return this.#head.relatedActivityId;
  }

  get payload(): Payload {
    const { fields, payload } = this.#head;
    if (payload !== undefined) return payload;
    const { values } = this.#annotations;
    if (fields === undefined) return values;
    const inner = values[fields];
    if (isStruct(inner)) return inner;
    return inner === undefined ? new EmptyPayload() : { [fields]: inner };
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    return this.#head.payload === undefined ? this.#annotations.hexFields : undefined;
  }

  override get labels(): Readonly<Record<string, string | bigint>> | undefined {
    const { fields } = this.#head;
    if (fields === undefined) return undefined;
    const labels = this.#annotations.values[fields === 'stop' ? 'stop labels' : 'labels'];
    return isStruct(labels) ? (labels as Record<string, string | bigint>) : undefined;
  }

  get payloadProblem(): string | undefined {
    return this.#head.payload === undefined ? this.#annotations.problem : undefined;
  }

  get payloadBytes(): Uint8Array {
    return this.#head.bytes;
  }

  get stack(): readonly bigint[] | undefined {
    return this.#head.stack;
  }

  get position(): number {
    return this.#head.position;
  }

  /** @internal */
  forgetPayload(): void {
    this.#decoded = undefined;
  }

  get #annotations(): Annotations {
    if (this.#decoded !== undefined) return this.#decoded;
    const { bytes, state, trace, position } = this.#head;
    const decoded = annotationsOf(bytes, state, position);
    trace.decoded.add(this, bytes.length, bytes.length >> 2);
    this.#decoded = decoded;
    return decoded;
  }
}

/** The annotations of a `TRACK_EVENT`; none if they are damaged. */
export function annotationsOf(bytes: Uint8Array, state: SequenceState, position: number): Annotations {
  try {
    const { debugAnnotations = [] } = new MessageReader(bytes, position).message(TRACK_EVENT_ANNOTATIONS);
    return readAnnotations(debugAnnotations as Annotation[], state, bytes.length);
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return { values: new EmptyPayload(), hexFields: new Set(), problem: error.sentence };
  }
}

function isStruct(value: Payload[string] | undefined): value is Payload {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
