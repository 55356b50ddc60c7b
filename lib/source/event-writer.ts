/**
 * Writes the events of one definition to everyone who wants them: the tracer gets bytes, listeners get an object.
 * Called only for enabled events.
 */
import { Guid } from '../activity/guid.ts';
import { shown } from '../base/value-text.ts';
import { Audience, deliverTo, LISTENER_BIT, NOTICED_BITS, type Subscriber } from '../listen/audience.ts';
import { timestamp } from '../listen/timestamp.ts';
import { RELEASED_BIT, TRACER_BIT } from '../platform/tracer.ts';
import { amidEncoding, type EventEncoder, isEncoding } from '../wire/event-encoder.ts';
import { type BadValue, type FieldsCheck, PayloadChecker } from '../wire/payload-checker.ts';
import type { EventSchema } from '../wire/schema.ts';
import { type Payload, takeFaults } from '../wire/values/faults.ts';
import { BadValueError } from './bad-value-error.ts';
import { DefinitionError } from './definition-error.ts';
import { type LazyPayload, payloadOf } from './lazy-payload.ts';
import type { SourceContext } from './source-context.ts';
import { registerEvent, type TracerFormat } from './tracer-format.ts';

/** Activity ids that an application passes explicitly, as GUID text. */
export interface WriteOptions {
  readonly activityId?: string;
  readonly relatedActivityId?: string;
}

/** It is the event's audience, too, unless the event shares one, so that an event touches little memory. */
export class EventWriter extends Audience {
  readonly audience: Audience;
  readonly schema: EventSchema;
  readonly #context: SourceContext;
  readonly #format: TracerFormat;
  #encoder: EventEncoder | undefined;
  #fits: FieldsCheck | undefined;
  #identity: Readonly<Record<'provider' | 'providerGuid' | 'name', string> & { id: number }> | undefined;

  /**
   * @param audience by default, the event has its own
   * @throws DefinitionError
   */
  constructor(context: SourceContext, schema: EventSchema, format: TracerFormat, audience?: Audience) {
    checkFormat(context, schema, format);
    super(audience ?? context.tracer.allocate(), schema.level, schema.keywords);
    this.audience = audience ?? this;
    this.schema = schema;
    this.#context = context;
    this.#format = format;
    this.#encoder = undefined;
    this.#fits = undefined;
    this.#identity = undefined;
  }

  /** Registers the event with the tracer. */
  register(): void {
    registerEvent(this.#context, this.audience, this.#format, this.schema);
  }

  get enabled(): boolean {
    return this.audience.isThere;
  }

  /** Whether a write has any effect: the event is enabled, or the source is closed and counts it. */
  get isNoticed(): boolean {
    return ((this.audience.words[this.audience.index] as number) & NOTICED_BITS) !== 0;
  }

  /** Whether the source is closed; if so, counts the event that was to be written. */
  dropWhenClosed(): boolean {
    if (!this.audience.isClosed) return false;
    this.#context.account.dropLate(this.#place);
    return true;
  }

  /**
   * @param activityId the event's activity, unless `options` specify another
   * @param givenTime the time of the event for subscribers, if it has been read: reading a clock takes 50 ns
   */
  write(
    lazyPayload: LazyPayload | undefined,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    options: WriteOptions | undefined,
    givenTime?: bigint,
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
      const wanted = this.audience.words[this.audience.index] as number;
      if ((wanted & RELEASED_BIT) !== 0) {
        // Creating the payload has closed the source.
        this.#context.account.dropLate(this.#place);
        return;
      }
      const toTracer = (wanted & TRACER_BIT) !== 0;
      isSent = !toTracer;
      if (!toTracer) error = this.#check(payload);
      else if (isEncoding()) error = this.#encodeAndSendAmidEncoding(payload, id, relatedId);
      else error = this.#encodeAndSend(payload, id, relatedId);
      isSent = true;
      if ((wanted & LISTENER_BIT) !== 0) {
        subscribers = this.audience.subscribers;
        const source = this.#context.source();
        const time = givenTime ?? timestamp();
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
      if (!isSent) this.#context.account.interrupted++;
      while (next < subscribers.length) {
        const { unfinished } = subscribers[next++] as Subscriber;
        if (unfinished !== undefined) (unfinished[0] as number)++;
      }
      return;
    }
    if (error !== undefined && this.#context.throwOnErrors) throw error;
  }

  get provider(): string {
    return this.#context.provider.name;
  }

  /** Readers recognize the event by it. */
  get identity() {
    const { name: provider, guid: providerGuid } = this.#context.provider;
    const { name, id } = this.schema;
    this.#identity ??= Object.freeze({ provider, providerGuid, name, id });
    return this.#identity;
  }

  /** Delivers an event of another kind to a single subscriber, if it wants this event. */
  deliverTo(
    subscriber: Subscriber,
    schema: EventSchema,
    lazyPayload: LazyPayload,
    activityId: Guid,
    relatedActivityId: Guid | undefined,
  ): void {
    if (!this.audience.subscribers.includes(subscriber)) return;
    const payload = this.#payloadOf(lazyPayload);
    if (payload === undefined || this.audience.isClosed) return;
    const source = this.#context.source();
    deliverTo(subscriber, source, schema, payload, activityId, relatedActivityId, timestamp());
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
  ): BadValueError | undefined {
    return amidEncoding(() => this.#encodeAndSend(payload, id, relatedId));
  }

  /** Returns what `throwOnErrors` throws. */
  #encodeAndSend(
    payload: Payload,
    id: Guid | undefined,
    relatedId: Guid | undefined,
  ): BadValueError | undefined {
    let size: number;
    try {
      this.#encoder ??= this.#format.encoderOf(this.schema);
      size = this.#encoder.encode(payload, id, relatedId);
    } catch (error) {
      takeFaults();
      this.#dropThrown(error);
      return undefined;
    }
    const faults = takeFaults();
    if (faults?.tooLarge) this.#dropTooLarge('more than 65536');
    else this.#send(size);
    if (faults === undefined || faults.badValues === 0) return undefined;
    return this.#countBadValues(faults.badValues, payload);
  }

  /** Counts the bad values that encoding would count, if nothing needs the bytes. */
  #check(payload: Payload): BadValueError | undefined {
    try {
      this.#fits ??= this.#checker.compile();
      if (this.#fits(payload)) return undefined;
    } catch (error) {
      this.#dropThrown(error);
      return undefined;
    }
    return this.#countBadValues(undefined, payload);
  }

  #send(size: number): void {
    const { headSize, sizes } = this.#format;
    const eventSize = size - headSize;
    if (eventSize > sizes.most) {
      this.#dropTooLarge(String(eventSize));
      return;
    }
    const error = this.#context.tracer.write(this.audience, size);
    if (error === undefined) {
      this.#context.account.written++;
      if (eventSize > sizes.mostForAll) this.#context.account.tooLargeForFtrace++;
    } else {
      this.#context.account.drop(this.#context.tracer.writeReason(error));
    }
  }

  #idOption(name: string, text: string | undefined): Guid | undefined {
    if (text === undefined) return undefined;
    const id = typeof text === 'string' ? Guid.tryParse(text) : undefined;
    if (id === undefined) {
      this.#context.account.badValues++;
      this.#context.account.tell(
        `${this.schema.name} ${name}`,
        () => `${this.#place}: ${shown(text)} is not a GUID for ${name}.`,
      );
      if (this.#context.throwOnErrors)
        throw new BadValueError(this.#place, [{ field: name, type: 'GUID', value: text }]);
    }
    return id;
  }

  /** @param count undefined: as many as are found now */
  #countBadValues(count: number | undefined, payload: Payload): BadValueError | undefined {
    try {
      const found = count === undefined ? this.#findBadValues(payload) : undefined;
      let error: BadValueError | undefined;
      const describe = () => {
        error ??= new BadValueError(this.#place, found ?? this.#findBadValues(payload));
        return error.message;
      };
      // A getter may return another value the second time.
      this.#context.account.badValues += count ?? Math.max(1, found?.length ?? 0);
      this.#context.account.tell(`${this.schema.name} bad value`, describe);
      if (this.#context.throwOnErrors) describe();
      return error;
    } catch {
      // The event is on its way, however little room there is to report what is wrong with it.
      return undefined;
    }
  }

  #findBadValues(payload: Payload): readonly BadValue[] {
    try {
      return this.#checker.badValues(payload);
    } catch {
      // A getter that succeeds once and throws the second time.
      return [];
    }
  }

  #dropThrown(error: unknown): void {
    this.#context.account.dropThrown(this.#place, error);
  }

  #dropTooLarge(size: string): void {
    this.#context.account.tell(
      `${this.schema.name} size`,
      () => `${this.#place}: an event of ${size} bytes was dropped; ${this.#format.sizes.said}.`,
    );
    this.#context.account.drop('tooLarge');
  }

  get #checker(): PayloadChecker {
    return new PayloadChecker(this.schema.fields, this.#format.checks);
  }

  get #place(): string {
    return `${this.#context.provider.name}.${this.schema.name}`;
  }
}

/** Called before the event takes an enabled word. */
function checkFormat({ provider }: SourceContext, schema: EventSchema, format: TracerFormat): void {
  const problem = format.problemOf(schema);
  if (problem !== undefined) throw new DefinitionError(`${provider.name}.${schema.name}`, problem);
}

/** Whether an application passes activity ids explicitly. */
export function givesIds(options: WriteOptions | undefined): options is WriteOptions {
  return options?.activityId !== undefined || options?.relatedActivityId !== undefined;
}
