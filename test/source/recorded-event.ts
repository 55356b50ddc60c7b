/** One event whose writes a fake kernel records, and its decoder. */
import type { Guid } from '../../lib/activity/guid.ts';
import { Subscriptions } from '../../lib/listen/subscriptions.ts';
import { LISTENABLE } from '../../lib/listen/written-event.ts';
import { Tracer } from '../../lib/platform/tracer.ts';
import { Account } from '../../lib/source/account.ts';
import { type EventOptions, event } from '../../lib/source/event.ts';
import { eventSchemas } from '../../lib/source/event-schemas.ts';
import { EventWriter, type WriteOptions } from '../../lib/source/event-writer.ts';
import type { FieldDefinitions } from '../../lib/source/fields.ts';
import type { LazyPayload } from '../../lib/source/lazy-payload.ts';
import { tracepointOf, UserEventsFormat } from '../../lib/source/tracer-format.ts';
import { type Payload as DecodedPayload, payloadOf } from '../../lib/wire/decoded-field.ts';
import { decodeEventHeader, type EventHeaderEvent } from '../wire/eventheader/decode-event.ts';
import { FakeAddon } from './fake-addon.ts';

export interface RecordedEventOptions extends EventOptions {
  readonly name?: string;
  readonly throwOnErrors?: boolean;
}

export class RecordedEvent {
  readonly addon = new FakeAddon();
  readonly account = new Account();
  readonly writer: EventWriter;

  constructor(fields: FieldDefinitions, options: RecordedEventOptions = {}) {
    const { name = 'Event', throwOnErrors = false, ...eventOptions } = options;
    const [schema] = eventSchemas('Provider', { [name]: event(fields, eventOptions) }, {}, []);
    if (schema === undefined) throw new Error('No schema was made.');
    const tracer = new Tracer(this.addon);
    tracer.open();
    const guid = 'b2b9b8a2-8a0c-5f4c-8d3c-000000000000';
    const subscriptions = new Subscriptions('Provider', () => {});
    const context = {
      provider: { name: 'Provider', guid },
      tracer,
      account: this.account,
      throwOnErrors,
      subscriptions,
      source: () => ({ name: 'Provider', guid, [LISTENABLE]: subscriptions }),
    };
    this.writer = new EventWriter(context, schema, new UserEventsFormat({ name: 'Provider' }));
    this.writer.register();
    this.addon.record(true);
  }

  write(payload?: LazyPayload, activityId?: Guid, relatedActivityId?: Guid, options?: WriteOptions): void {
    this.writer.write(payload, activityId, relatedActivityId, options);
  }

  /** The last event, as bytes. */
  get bytes(): Uint8Array {
    const bytes = this.addon.events.at(-1);
    if (bytes === undefined) throw new Error('No event was written.');
    return bytes;
  }

  /** The last event, decoded. */
  get decoded(): EventHeaderEvent {
    return decodeEventHeader(tracepointOf({ name: 'Provider' }, this.writer.schema), this.bytes);
  }

  /** What the decoder makes of a payload. */
  roundTrip(payload: LazyPayload): DecodedPayload {
    this.write(payload);
    return payloadOf(this.decoded.fields);
  }
}
