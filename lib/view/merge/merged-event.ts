/** An event of one of several traces, with its time and process in the merged trace. */
import { type Nanoseconds, TraceEvent } from '../../trace/trace-event.ts';
import type { Payload } from '../../wire/decoded-field.ts';

export class MergedEvent extends TraceEvent {
  readonly timestamp: Nanoseconds;
  readonly timeSinceStart: Nanoseconds;
  readonly processId: number | undefined;
  readonly #event: TraceEvent;

  constructor(
    event: TraceEvent,
    timestamp: Nanoseconds,
    timeSinceStart: Nanoseconds,
    processId: number | undefined,
  ) {
    super();
    this.#event = event;
    this.timestamp = timestamp;
    this.timeSinceStart = timeSinceStart;
    this.processId = processId;
  }

  get provider(): string {
    return this.#event.provider;
  }

  get providerGuid(): string | undefined {
    return this.#event.providerGuid;
  }

  get name(): string {
    return this.#event.name;
  }

  get id(): number {
    return this.#event.id;
  }

  get version(): number {
    return this.#event.version;
  }

  get level(): number {
    return this.#event.level;
  }

  get opcode(): number {
    return this.#event.opcode;
  }

  get opcodeName(): string | undefined {
    return this.#event.opcodeName;
  }

  get task(): number {
    return this.#event.task;
  }

  get taskName(): string | undefined {
    return this.#event.taskName;
  }

  get keywords(): bigint {
    return this.#event.keywords;
  }

  get channel(): number {
    return this.#event.channel;
  }

  get threadId(): number | undefined {
    return this.#event.threadId;
  }

  get processor(): number | undefined {
    return this.#event.processor;
  }

  get activityId(): string | undefined {
    return this.#event.activityId;
  }

  get relatedActivityId(): string | undefined {
    return this.#event.relatedActivityId;
  }

  get payload(): Payload {
    return this.#event.payload;
  }

  override get hexFields(): ReadonlySet<string> | undefined {
    return this.#event.hexFields;
  }

  override fieldText(field: string): string | undefined {
    return this.#event.fieldText(field);
  }

  get payloadProblem(): string | undefined {
    return this.#event.payloadProblem;
  }

  get payloadBytes(): Uint8Array {
    return this.#event.payloadBytes;
  }

  get stack(): readonly bigint[] | undefined {
    return this.#event.stack;
  }

  get position(): number {
    return this.#event.position;
  }

  override get labels(): Readonly<Record<string, string | bigint>> | undefined {
    return this.#event.labels;
  }

  override get message(): string | undefined {
    return this.#event.message;
  }

  override get isMessage(): boolean {
    return this.#event.isMessage;
  }
}
