/** An event of a nettrace, in the common shape of trace events. */
import type { Payload } from '../../wire/decoded-field.ts';
import type { NetTraceEvent as WireEvent } from '../../wire/nettrace/event.ts';
import type { DecodedPayloads, PayloadHolder } from '../decoded-payloads.ts';
import { type Nanoseconds, TraceEvent } from '../trace-event.ts';
import type { Clock } from './clock.ts';
import type { EventKind, KindPayload } from './event-kind.ts';

/** What events need from their trace. */
export interface TraceContext {
  readonly clock: Clock;
  readonly pointerSize: 4 | 8;
  readonly decoded: DecodedPayloads;
}

export class NetTraceEvent extends TraceEvent implements PayloadHolder {
  readonly #event: WireEvent;
  readonly #kind: EventKind;
  readonly #trace: TraceContext;
  #decoded: KindPayload | undefined;

  constructor(event: WireEvent, kind: EventKind, trace: TraceContext) {
    super();
    this.#event = event;
    this.#kind = kind;
    this.#trace = trace;
  }

  /** @internal The raw event, for writers that copy it unchanged. */
  get wire(): WireEvent {
    return this.#event;
  }

  get provider(): string {
    return this.#event.metadata.provider;
  }

  get providerGuid(): string {
    return this.#kind.providerGuid;
  }

  get name(): string {
    return this.#kind.name;
  }

  get id(): number {
    return this.#event.metadata.eventId;
  }

  get version(): number {
    return this.#event.labels?.version ?? this.#event.metadata.version;
  }

  get level(): number {
    return this.#event.labels?.level ?? this.#event.metadata.level;
  }

  get opcode(): number {
    return this.#event.labels?.opcode ?? this.#kind.opcode;
  }

  get opcodeName(): string | undefined {
    return this.#kind.opcodeName(this.opcode);
  }

  /** The format has no task numbers. */
  get task(): number {
    return 0;
  }

  get taskName(): string {
    return this.#kind.taskName(this.opcode);
  }

  get keywords(): bigint {
    return this.#event.labels?.keywords ?? this.#event.metadata.keywords;
  }

  get channel(): number {
    return 0;
  }

  get processId(): number | undefined {
    return this.#event.thread.processId;
  }

  get threadId(): number | undefined {
    return this.#event.thread.threadId;
  }

  get processor(): number | undefined {
    return this.#event.processor;
  }

  get timestamp(): Nanoseconds {
    return this.#trace.clock.startTime + this.timeSinceStart;
  }

  get timeSinceStart(): Nanoseconds {
    return this.#trace.clock.sinceStart(this.ticks);
  }

  override get nsSinceStart(): number {
    return this.#trace.clock.nsSinceStart(this.#event);
  }

  /** The trace's own time stamp. */
  get ticks(): bigint {
    return this.#event.ticks;
  }

  get activityId(): string | undefined {
    return this.#event.activityId;
  }

  get relatedActivityId(): string | undefined {
    return this.#event.relatedActivityId;
  }

  override get labels(): Readonly<Record<string, string | bigint>> | undefined {
    const { labels } = this.#event;
    if (labels === undefined) return undefined;
    const { traceId, spanId, pairs } = labels;
    // Most lists contain only activity ids.
    if (traceId === undefined && spanId === undefined && pairs.size === 0) return undefined;
    const record: Record<string, string | bigint> = Object.create(null);
    if (traceId !== undefined) record.TraceId = traceId;
    if (spanId !== undefined) record.SpanId = spanId;
    for (const [key, value] of pairs) record[key] = value;
    return record;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    return this.#kind.hexFields;
  }

  override fieldText(field: string): string | undefined {
    return this.#kind.texts?.get(field)?.(this.payload[field] ?? null, this.payloadBytes.length);
  }

  get payload(): Payload {
    return this.#payload.payload;
  }

  get payloadProblem(): string | undefined {
    return this.#payload.problem;
  }

  get payloadBytes(): Uint8Array {
    return this.#event.payloadBytes;
  }

  get stack(): readonly bigint[] | undefined {
    return this.#event.stack(this.#trace.pointerSize);
  }

  get position(): number {
    return this.#event.position;
  }

  /** @internal */
  forgetPayload(): void {
    this.#decoded = undefined;
  }

  get #payload(): KindPayload {
    if (this.#decoded !== undefined) return this.#decoded;
    const decoded = this.#kind.decode(this.#event, this.#trace.pointerSize);
    const { payloadStart, payloadEnd } = this.#event;
    this.#trace.decoded.add(this, payloadEnd - payloadStart, decoded.values);
    this.#decoded = decoded;
    return decoded;
  }
}
