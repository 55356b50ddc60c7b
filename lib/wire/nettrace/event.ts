/** An event of a nettrace: its position in its block, and what it refers to. */
import { bigInt } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import type { Block } from './block.ts';
import { FormatVersion, UNKNOWN_PROCESSOR } from './constants.ts';
import type { EventHeader } from './event-header.ts';
import type { GuidLabel, LabelList } from './labels.ts';
import type { NetTraceMetadata } from './metadata.ts';
import { type StackBytes, type StackTable, stackAddresses } from './stacks.ts';

const NO_GUID = '00000000-0000-0000-0000-000000000000';

/** A thread, as described by the trace. */
export interface NetTraceThread {
  /** The operating system's ids; undefined if the trace does not contain them. */
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** Only version 6 has the name and the properties. */
  readonly name: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

export class NetTraceEvent {
  readonly metadata: NetTraceMetadata;
  readonly thread: NetTraceThread;
  readonly block: Block;
  /** Where in the block the event starts, its payload starts, and it ends. */
  readonly start: number;
  readonly payloadStart: number;
  readonly payloadEnd: number;
  /** The halves of the timestamp, a signed integer: signed, and unsigned. */
  readonly timeHigh: number;
  readonly timeLow: number;
  /** The processor is undefined if the trace does not contain it. */
  readonly processor: number | undefined;
  /** Only version 6 has labels. */
  readonly labels: LabelList | undefined;
  readonly #activityAt: number;
  readonly #relatedActivityAt: number;
  readonly #stackId: number;
  readonly #stacks: StackTable | StackBytes;

  /** @param stacks the table in which to look up the event's stack by its id, or the stack itself */
  constructor(
    header: EventHeader,
    formatVersion: number,
    metadata: NetTraceMetadata,
    thread: NetTraceThread,
    block: Block,
    start: number,
    labels: LabelList | undefined,
    stacks: StackTable | StackBytes,
  ) {
    this.metadata = metadata;
    this.thread = thread;
    this.block = block;
    this.start = start;
    this.payloadStart = header.payloadStart;
    this.payloadEnd = header.payloadEnd;
    this.timeHigh = header.timeHigh;
    this.timeLow = header.timeLow;
    this.processor = processorOf(header, formatVersion);
    this.labels = labels;
    this.#activityAt = header.activityAt;
    this.#relatedActivityAt = header.relatedActivityAt;
    this.#stackId = header.stackId;
    this.#stacks = stacks;
  }

  /** The time on the trace's clock; see `TraceHead`. */
  get ticks(): bigint {
    return bigInt(this.timeHigh, this.timeLow);
  }

  /** The position in bytes from the start of the trace. */
  get position(): number {
    return this.block.position + this.start;
  }

  get payloadBytes(): Uint8Array {
    return this.block.bytes.subarray(this.payloadStart, this.payloadEnd);
  }

  /** The GUID as lower-case text; undefined if there is none, or it is all zeros. */
  get activityId(): string | undefined {
    return this.#guidAt(this.#activityAt, this.labels?.activityId);
  }

  get relatedActivityId(): string | undefined {
    return this.#guidAt(this.#relatedActivityAt, this.labels?.relatedActivityId);
  }

  /** Addresses, innermost frame first. */
  stack(pointerSize: number): readonly bigint[] | undefined {
    const stack = this.#stacks instanceof Map ? this.#stacks.get(this.#stackId) : this.#stacks;
    return stack === undefined || stack.start === stack.end ? undefined : stackAddresses(stack, pointerSize);
  }

  #guidAt(at: number, label: GuidLabel | undefined): string | undefined {
    const text = at < 0 ? label?.text : guidText(this.block.bytes, at);
    return text === NO_GUID ? undefined : text;
  }
}

/** Before version 6, the processor is that of the thread that wrote the event, if that was another thread. */
function processorOf(header: EventHeader, formatVersion: number): number | undefined {
  if (header.processor === UNKNOWN_PROCESSOR) return undefined;
  if (formatVersion < FormatVersion.V6 && header.threadId !== header.captureThreadId) return undefined;
  return header.processor;
}
