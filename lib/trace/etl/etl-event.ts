/** An event of an .etl: a view of its record. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import type { EtlBuffer, EtlRecord } from '../../wire/etl/buffer.ts';
import { positionOf } from '../../wire/etl/buffer.ts';
import { nanosecondsOf } from '../../wire/etl/clock.ts';
import { RecordType } from '../../wire/etl/constants.ts';
import {
  type ExtendedItem,
  type ExtendedItems,
  extendedItemsOf,
  hasExtendedItems,
  relatedActivityIdOf,
  stackOf,
} from '../../wire/etl/extended-items.ts';
import {
  activityIdOf,
  channelOf,
  idNumberOf,
  isMessageEvent,
  keywordsOf,
  layoutKind,
  levelOf,
  opcodeOf,
  pointerSizeOf,
  taskOf,
  versionOf,
} from '../../wire/etl/record.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import type { DecodedPayloads, PayloadHolder } from '../decoded-payloads.ts';
import type { Labels } from '../tag-labels.ts';
import { type Nanoseconds, TraceEvent } from '../trace-event.ts';
import type { DecodedPayload, DescribedEvent } from './described-event.ts';
import type { EventDescriber } from './event-describer.ts';
import { messageLabels } from './message-descriptions.ts';
import type { AttachedStack, StackPart } from './stack-definitions.ts';

/** Stands for a missing id. */
const NO_ID = 0xffff_ffff;

const NO_ITEMS: readonly ExtendedItem[] = [];

/** What all events of a trace share. */
export interface EtlTrace {
  readonly clock: { fileTime(ticks: number): bigint };
  readonly startTime: Nanoseconds;
  readonly describer: EventDescriber;
  readonly decoded: DecodedPayloads;
}

export class EtlEvent extends TraceEvent implements EtlRecord, PayloadHolder {
  /** @internal This and the next three: the location of the record. */
  readonly buffer: EtlBuffer;
  /** @internal */
  readonly offset: number;
  /** @internal */
  readonly end: number;
  /** @internal */
  readonly type: number;
  /** @internal Raw time since the start of the trace. */
  readonly ticks: number;
  readonly #trace: EtlTrace;
  readonly #threadId: number | undefined;
  readonly #processId: number | undefined;
  #items: ExtendedItems | undefined;
  #described: DescribedEvent | undefined;
  #decoded: DecodedPayload | undefined;
  #attached: AttachedStack[] | undefined;

  constructor(
    trace: EtlTrace,
    record: EtlRecord,
    ticks: number,
    threadId: number | undefined,
    processId: number | undefined,
  ) {
    super();
    this.buffer = record.buffer;
    this.offset = record.offset;
    this.end = record.end;
    this.type = record.type;
    this.ticks = ticks;
    this.#trace = trace;
    this.#threadId = threadId;
    this.#processId = processId;
  }

  get provider(): string {
    return this.#describe().provider;
  }

  get providerGuid(): string | undefined {
    return this.#describe().providerGuid;
  }

  get name(): string {
    return this.#describe().name;
  }

  get id(): number {
    return idNumberOf(this);
  }

  get version(): number {
    return versionOf(this);
  }

  get level(): number {
    const level = levelOf(this);
    return level === 0 && this.isMessage ? (this.#describe().level ?? 0) : level;
  }

  get opcode(): number {
    return opcodeOf(this);
  }

  get opcodeName(): string | undefined {
    return this.#describe().opcodeName;
  }

  get task(): number {
    return this.#isManifestEvent ? taskOf(this) : 0;
  }

  get taskName(): string | undefined {
    return this.#describe().taskName;
  }

  get keywords(): bigint {
    return this.#isManifestEvent ? keywordsOf(this) : 0n;
  }

  get channel(): number {
    return this.#isManifestEvent ? channelOf(this) : 0;
  }

  get processId(): number | undefined {
    return this.#processId === NO_ID ? undefined : this.#processId;
  }

  get threadId(): number | undefined {
    return this.#threadId === NO_ID ? undefined : this.#threadId;
  }

  get processor(): number {
    return this.buffer.header.processor;
  }

  get timestamp(): Nanoseconds {
    return nanosecondsOf(this.#trace.clock.fileTime(this.ticks));
  }

  get timeSinceStart(): Nanoseconds {
    return this.timestamp - this.#trace.startTime;
  }

  get activityId(): string | undefined {
    return this.#isManifestEvent ? activityIdOf(this) : undefined;
  }

  get relatedActivityId(): string | undefined {
    return relatedActivityIdOf(this, this.#extended().items);
  }

  get payload(): Payload {
    return this.#decode().payload;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    return this.#describe().hexFields;
  }

  override fieldText(field: string): string | undefined {
    const textOf = this.#describe().texts?.get(field);
    return textOf?.(this.payload[field] ?? null, this.payloadBytes.length);
  }

  get payloadProblem(): string | undefined {
    return this.#decode().problem;
  }

  override get message(): string | undefined {
    return this.#describe().message?.(this.payload, this.payloadBytes.length);
  }

  override get labels(): Labels | undefined {
    const { labels } = this.#describe();
    if (layoutKind(this) === Layout.Message) return messageLabels(this, labels);
    return hasExtendedItems(this) && !this.isMessage
      ? this.#trace.describer.labels(this, this.#extended().items)
      : labels;
  }

  override get isMessage(): boolean {
    const { type } = this;
    if (type === RecordType.Message) return true;
    return (type === RecordType.Event64 || type === RecordType.Event32) && isMessageEvent(this);
  }

  get payloadBytes(): Uint8Array {
    return this.buffer.bytes.subarray(this.#extended().payload, this.end);
  }

  /** The stack recorded with the event, or attached to it: the part in the kernel, then the part in user mode. */
  get stack(): readonly bigint[] | undefined {
    const own = stackOf(this, this.#extended().items);
    const attached = this.#attached;
    if (attached === undefined) return own;
    return [...(own ?? []), ...framesOf(attached, 'kernel'), ...framesOf(attached, 'user')];
  }

  get position(): number {
    return positionOf(this.buffer, this.offset);
  }

  /** @internal */
  get hasAttachedStack(): boolean {
    return this.#attached !== undefined;
  }

  /** @internal @returns false if the event already has this part */
  attachStack(stack: AttachedStack): boolean {
    this.#attached ??= [];
    if (this.#attached.some(({ part }) => part === stack.part)) return false;
    this.#attached.push(stack);
    return true;
  }

  get #isManifestEvent(): boolean {
    return layoutKind(this) === Layout.Event;
  }

  #extended(): ExtendedItems {
    this.#items ??= extendedItemsOf(this);
    return this.#items;
  }

  #describe(): DescribedEvent {
    this.#described ??= this.#trace.describer.describe(
      this,
      hasExtendedItems(this) ? this.#extended().items : NO_ITEMS,
    );
    return this.#described;
  }

  /** @internal */
  forgetPayload(): void {
    this.#decoded = undefined;
  }

  #decode(): DecodedPayload {
    if (this.#decoded !== undefined) return this.#decoded;
    const { payloadBytes } = this;
    const decoded = this.#extended().isDamaged
      ? { payload: new EmptyPayload(), problem: 'An extended item of the event is damaged.', values: 0 }
      : this.#describe().decode(payloadBytes, pointerSizeOf(this));
    const added = this.isMessage
      ? (this.#describe().complete?.(decoded.payload, this, pointerSizeOf(this)) ?? 0)
      : 0;
    this.#trace.decoded.add(this, payloadBytes.length + added, decoded.values);
    this.#decoded = decoded;
    return decoded;
  }
}

function framesOf(attached: readonly AttachedStack[], wanted: StackPart): Iterable<bigint> {
  return attached.find(({ part }) => part === wanted)?.frames() ?? [];
}
