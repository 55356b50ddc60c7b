/**
 * Writes the events of one definition to all who want them: the kernel's tracer gets bytes, listeners get
 * an object. Called only when somebody does want them.
 */
import { Guid } from '../activity/guid.ts';
import { type EnabledWord, KERNEL_BIT, type Kernel } from '../platform/kernel.ts';
import { LISTENER_BIT, type ListenableEvent, type Listener } from '../session/listener.ts';
import { shown, thrownText } from '../session/shown.ts';
import { timestamp } from '../session/timestamp.ts';
import { amidEncoding, isEncoding } from '../wire/event-encoder.ts';
import type { EventSchema } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { type Payload, takeFaults } from '../wire/values/faults.ts';
import type { Account } from './account.ts';
import { BadValueError } from './bad-value-error.ts';
import { DefinitionError } from './definition-error.ts';
import type { KernelEvent } from './kernel-event.ts';

/** Any of these bits in an enabled word: somebody wants the event. */
export const WANTED_BITS = KERNEL_BIT | LISTENER_BIT;

/** A payload, or a function that makes it, called only when somebody wants the event. */
export type LazyPayload = Payload | (() => Payload);

/** Ids that an application gives an event itself, as GUID text. */
export interface WriteOptions {
  readonly activityId?: string;
  readonly relatedActivityId?: string;
}

export class EventWriter implements ListenableEvent {
  readonly schema: EventSchema;
  readonly word: EnabledWord;
  listeners: readonly Listener[] = [];
  readonly #provider: string;
  readonly #kernelEvent: KernelEvent;
  readonly #encoder: KernelEvent['encoder'];
  readonly #kernel: Kernel;
  readonly #account: Account;
  readonly #throwOnErrors: boolean;

  constructor(
    provider: string,
    schema: EventSchema,
    kernelEvent: KernelEvent,
    kernel: Kernel,
    account: Account,
    throwOnErrors: boolean,
  ) {
    this.schema = schema;
    this.#provider = provider;
    this.#kernelEvent = kernelEvent;
    this.#encoder = kernelEvent.encoder;
    this.#kernel = kernel;
    this.#account = account;
    this.#throwOnErrors = throwOnErrors;
    const size = this.#encoder.fixedSize - kernelEvent.headSize;
    if (size > kernelEvent.sizes.most) {
      throw new DefinitionError(
        this.#place,
        `its names alone take ${size} bytes of each event; ${kernelEvent.sizes.said}.`,
      );
    }
    this.word = kernel.allocate();
  }

  /** Makes the event known to the kernel. */
  register(): void {
    const { name, definition } = this.#kernelEvent;
    const problem = this.#kernel.register(this.word, name, definition, scratch);
    if (problem !== undefined && problem !== this.#kernel.reason) this.#account.tell(name, () => problem);
  }

  get enabled(): boolean {
    return ((this.word.words[this.word.index] as number) & WANTED_BITS) !== 0;
  }

  setEnabledBit(bit: number, on: boolean): void {
    // Atomic, because the kernel changes its own bit of the word whenever it likes.
    if (on) Atomics.or(this.word.words, this.word.index, bit);
    else Atomics.and(this.word.words, this.word.index, ~bit);
  }

  /** @param activityId what the event belongs to, unless `options` say otherwise */
  write(
    lazyPayload: LazyPayload | undefined,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    options: WriteOptions | undefined,
  ): void {
    let id = activityId;
    let relatedId = relatedActivityId;
    if (givesIds(options)) {
      id = this.#idOption('activityId', options.activityId) ?? id;
      relatedId = this.#idOption('relatedActivityId', options.relatedActivityId) ?? relatedId;
    }
    // EventHeader has no related id without an activity id.
    if (relatedId !== undefined && id === undefined) id = Guid.empty;
    const payload = this.#payloadOf(lazyPayload);
    if (payload === undefined) return;
    const wanted = this.word.words[this.word.index] as number;
    const toKernel = (wanted & KERNEL_BIT) !== 0;
    const error = isEncoding()
      ? this.#encodeAndSendAmidEncoding(payload, id, relatedId, toKernel)
      : this.#encodeAndSend(payload, id, relatedId, toKernel);
    if ((wanted & LISTENER_BIT) !== 0) this.#deliver(payload, id, relatedId);
    if (error !== undefined && this.#throwOnErrors) throw error;
  }

  #payloadOf(lazyPayload: LazyPayload | undefined): Payload | undefined {
    if (typeof lazyPayload === 'function') {
      try {
        return lazyPayload() ?? NO_PAYLOAD;
      } catch (error) {
        this.#dropThrown(error);
        return undefined;
      }
    }
    if (typeof lazyPayload === 'object' && lazyPayload !== null) return lazyPayload;
    // Without fields nothing is missing; with fields each one is, and is counted.
    return NO_PAYLOAD;
  }

  /** Apart, because a closure in `write` would cost each event a heap object for its variables (20 ns). */
  #encodeAndSendAmidEncoding(
    payload: Payload,
    id: Guid | undefined,
    relatedId: Guid | undefined,
    toKernel: boolean,
  ): BadValueError | undefined {
    return amidEncoding(() => this.#encodeAndSend(payload, id, relatedId, toKernel));
  }

  /** Returns what `throwOnErrors` throws. */
  #encodeAndSend(
    payload: Payload,
    id: Guid | undefined,
    relatedId: Guid | undefined,
    toKernel: boolean,
  ): BadValueError | undefined {
    let size: number;
    try {
      size = this.#encoder.encode(payload, id, relatedId);
    } catch (error) {
      takeFaults();
      this.#dropThrown(error);
      return undefined;
    }
    const faults = takeFaults();
    if (toKernel) {
      if (faults?.tooLarge) this.#dropTooLarge('more than 65536');
      else this.#send(size);
    }
    return faults !== undefined && faults.badValues > 0
      ? this.#countBadValues(faults.badValues, payload)
      : undefined;
  }

  #send(size: number): void {
    const { headSize, sizes } = this.#kernelEvent;
    const eventSize = size - headSize;
    if (eventSize > sizes.most) {
      this.#dropTooLarge(String(eventSize));
      return;
    }
    const error = this.#kernel.write(this.word, size);
    if (error === undefined) {
      this.#account.written++;
      if (eventSize > sizes.mostForAll) this.#account.tooLargeForFtrace++;
    } else {
      this.#account.drop(this.#kernel.writeReason(error));
    }
  }

  #deliver(payload: Payload, id: Guid | undefined, relatedId: Guid | undefined): void {
    const { name, level, keywords, opcode, id: eventId } = this.schema;
    const event = {
      provider: this.#provider,
      name,
      level,
      keywords,
      opcode,
      id: eventId,
      activityId: id?.toString(),
      relatedActivityId: relatedId?.toString(),
      payload,
      timestamp: timestamp(),
    };
    for (const listener of this.listeners) listener.deliver(event);
  }

  #idOption(name: string, text: string | undefined): Guid | undefined {
    if (text === undefined) return undefined;
    const id = typeof text === 'string' ? Guid.tryParse(text) : undefined;
    if (id === undefined) {
      this.#account.badValues++;
      this.#account.tell(
        `${this.schema.name} ${name}`,
        () => `${this.#place}: ${shown(text)} is no GUID for ${name}.`,
      );
      if (this.#throwOnErrors)
        throw new BadValueError(this.#place, [{ field: name, type: 'GUID', value: text }]);
    }
    return id;
  }

  #countBadValues(count: number, payload: Payload): BadValueError | undefined {
    this.#account.badValues += count;
    let error: BadValueError | undefined;
    const describe = () => {
      error ??= new BadValueError(this.#place, this.#findBadValues(payload));
      return error.message;
    };
    this.#account.tell(`${this.schema.name} bad value`, describe);
    if (this.#throwOnErrors) describe();
    return error;
  }

  #findBadValues(payload: Payload): ReturnType<KernelEvent['encoder']['findBadValues']> {
    try {
      return this.#encoder.findBadValues(payload);
    } catch {
      // A getter that answers once and throws the second time.
      return [];
    }
  }

  #dropThrown(error: unknown): void {
    this.#account.drop('payloadThrew');
    this.#account.tell(
      `${this.schema.name} payload`,
      () => `${this.#place}: reading the payload threw ${thrownText(error)}`,
    );
  }

  #dropTooLarge(size: string): void {
    this.#account.drop('tooLarge');
    this.#account.tell(
      `${this.schema.name} size`,
      () => `${this.#place}: an event of ${size} bytes was dropped; ${this.#kernelEvent.sizes.said}.`,
    );
  }

  get #place(): string {
    return `${this.#provider}.${this.schema.name}`;
  }
}

/** Frozen, because listeners get it and it is everyone's. */
const NO_PAYLOAD: Payload = Object.freeze({});

/** Whether an application gives an event ids itself. */
export function givesIds(options: WriteOptions | undefined): options is WriteOptions {
  return options?.activityId !== undefined || options?.relatedActivityId !== undefined;
}
