/**
 * Writes the events of one definition to everyone who wants them: the tracer gets bytes, listeners get an object.
 * Called only for enabled events.
 */
import { Guid } from '../activity/guid.ts';
import { shown } from '../base/value-text.ts';
import { Audience, LISTENER_BIT, NOTICED_BITS, type Subscriber } from '../listen/audience.ts';
import { timestamp } from '../listen/timestamp.ts';
import { type EnabledWord, RELEASED_BIT, TRACER_BIT, type Tracer } from '../platform/tracer.ts';
import { amidEncoding, isEncoding } from '../wire/event-encoder.ts';
import type { EventSchema } from '../wire/schema.ts';
import { type Payload, takeFaults } from '../wire/values/faults.ts';
import type { Account } from './account.ts';
import { BadValueError } from './bad-value-error.ts';
import { DefinitionError } from './definition-error.ts';
import { type LazyPayload, payloadOf } from './lazy-payload.ts';
import type { SourceContext } from './source-context.ts';
import { registerEvent, type TracerEvent } from './tracer-event.ts';

/** Activity ids that an application passes explicitly, as GUID text. */
export interface WriteOptions {
  readonly activityId?: string;
  readonly relatedActivityId?: string;
}

export class EventWriter {
  readonly schema: EventSchema;
  readonly audience: Audience;
  readonly word: EnabledWord;
  readonly #context: SourceContext;
  readonly #tracer: Tracer;
  readonly #account: Account;
  readonly #tracerEvent: TracerEvent;
  readonly #encoder: TracerEvent['encoder'];

  /**
   * @param audience by default, the event has its own
   * @throws DefinitionError
   */
  constructor(context: SourceContext, schema: EventSchema, tracerEvent: TracerEvent, audience?: Audience) {
    this.schema = schema;
    this.#context = context;
    this.#tracer = context.tracer;
    this.#account = context.account;
    this.#tracerEvent = tracerEvent;
    this.#encoder = tracerEvent.encoder;
    const size = this.#encoder.fixedSize - tracerEvent.headSize;
    if (size > tracerEvent.sizes.most) {
      throw new DefinitionError(
        this.#place,
        `its names alone take ${size} bytes of each event; ${tracerEvent.sizes.said}.`,
      );
    }
    this.audience = audience ?? new Audience(context.tracer.allocate(), schema.level, schema.keywords);
    this.word = this.audience.word;
  }

  /** Registers the event with the tracer. */
  register(): void {
    registerEvent(this.#context, this.word, this.#tracerEvent);
  }

  get enabled(): boolean {
    return this.audience.isThere;
  }

  /** Whether a write has any effect: the event is enabled, or the source is closed and counts it. */
  get isNoticed(): boolean {
    return ((this.word.words[this.word.index] as number) & NOTICED_BITS) !== 0;
  }

  /** Whether the source is closed; if so, counts the event that was to be written. */
  dropWhenClosed(): boolean {
    if (!this.audience.isClosed) return false;
    this.#account.dropLate(this.#place);
    return true;
  }

  /** @param activityId the event's activity, unless `options` specify another */
  write(
    lazyPayload: LazyPayload | undefined,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    options: WriteOptions | undefined,
  ): void {
    if (this.dropWhenClosed() || !this.enabled) return;
    let id = activityId;
    let relatedId = relatedActivityId;
    if (givesIds(options)) {
      id = this.#idOption('activityId', options.activityId) ?? id;
      relatedId = this.#idOption('relatedActivityId', options.relatedActivityId) ?? relatedId;
    }
    // EventHeader cannot have a related id without an activity id.
    if (relatedId !== undefined && id === undefined) id = Guid.empty;
    let { subscribers } = this.audience;
    let next = 0;
    let isSent = false;
    let error: BadValueError | undefined;
    try {
      const payload = this.#payloadOf(lazyPayload);
      if (payload === undefined) return;
      const wanted = this.word.words[this.word.index] as number;
      if ((wanted & RELEASED_BIT) !== 0) {
        // Creating the payload has closed the source.
        this.#account.dropLate(this.#place);
        return;
      }
      const toTracer = (wanted & TRACER_BIT) !== 0;
      isSent = !toTracer;
      error = isEncoding()
        ? this.#encodeAndSendAmidEncoding(payload, id, relatedId, toTracer)
        : this.#encodeAndSend(payload, id, relatedId, toTracer);
      isSent = true;
      if ((wanted & LISTENER_BIT) !== 0) {
        subscribers = this.audience.subscribers;
        const source = this.#context.source();
        const time = timestamp();
        while (next < subscribers.length) {
          const subscriber = subscribers[next++] as Subscriber;
          const { unfinished } = subscriber;
          if (unfinished !== undefined) (unfinished[0] as number)++;
          subscriber.deliver(source, this.schema, payload, id, relatedId, time);
        }
      }
    } catch {
      // The stack has overflowed or memory has run out, and the application must not suffer any more than it already
      // does. Only assignments: there may be no room for a call.
      if (!isSent) this.#account.interrupted++;
      while (next < subscribers.length) {
        const { unfinished } = subscribers[next++] as Subscriber;
        if (unfinished !== undefined) (unfinished[0] as number)++;
      }
      return;
    }
    if (error !== undefined && this.#context.throwOnErrors) throw error;
  }

  #payloadOf(lazyPayload: LazyPayload | undefined): Payload | undefined {
    try {
      return payloadOf(lazyPayload);
    } catch (error) {
      this.#dropThrown(error);
      return undefined;
    }
  }

  /** Separate, because a closure in `write` would cost each event a heap object for its variables (20 ns). */
  #encodeAndSendAmidEncoding(
    payload: Payload,
    id: Guid | undefined,
    relatedId: Guid | undefined,
    toTracer: boolean,
  ): BadValueError | undefined {
    return amidEncoding(() => this.#encodeAndSend(payload, id, relatedId, toTracer));
  }

  /** Returns what `throwOnErrors` throws. */
  #encodeAndSend(
    payload: Payload,
    id: Guid | undefined,
    relatedId: Guid | undefined,
    toTracer: boolean,
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
    if (toTracer) {
      if (faults?.tooLarge) this.#dropTooLarge('more than 65536');
      else this.#send(size);
    }
    if (faults === undefined || faults.badValues === 0) return undefined;
    try {
      return this.#countBadValues(faults.badValues, payload);
    } catch {
      // The event is on its way, however little room there is to report what is wrong with it.
      return undefined;
    }
  }

  #send(size: number): void {
    const { headSize, sizes } = this.#tracerEvent;
    const eventSize = size - headSize;
    if (eventSize > sizes.most) {
      this.#dropTooLarge(String(eventSize));
      return;
    }
    const error = this.#tracer.write(this.word, size);
    if (error === undefined) {
      this.#account.written++;
      if (eventSize > sizes.mostForAll) this.#account.tooLargeForFtrace++;
    } else {
      this.#account.drop(this.#tracer.writeReason(error));
    }
  }

  #idOption(name: string, text: string | undefined): Guid | undefined {
    if (text === undefined) return undefined;
    const id = typeof text === 'string' ? Guid.tryParse(text) : undefined;
    if (id === undefined) {
      this.#account.badValues++;
      this.#account.tell(
        `${this.schema.name} ${name}`,
        () => `${this.#place}: ${shown(text)} is not a GUID for ${name}.`,
      );
      if (this.#context.throwOnErrors)
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
    if (this.#context.throwOnErrors) describe();
    return error;
  }

  #findBadValues(payload: Payload): ReturnType<TracerEvent['encoder']['findBadValues']> {
    try {
      return this.#encoder.findBadValues(payload);
    } catch {
      // A getter that succeeds once and throws the second time.
      return [];
    }
  }

  #dropThrown(error: unknown): void {
    this.#account.dropThrown(this.#place, error);
  }

  #dropTooLarge(size: string): void {
    this.#account.tell(
      `${this.schema.name} size`,
      () => `${this.#place}: an event of ${size} bytes was dropped; ${this.#tracerEvent.sizes.said}.`,
    );
    this.#account.drop('tooLarge');
  }

  get #place(): string {
    return `${this.#context.provider.name}.${this.schema.name}`;
  }
}

/** Whether an application passes activity ids explicitly. */
export function givesIds(options: WriteOptions | undefined): options is WriteOptions {
  return options?.activityId !== undefined || options?.relatedActivityId !== undefined;
}
