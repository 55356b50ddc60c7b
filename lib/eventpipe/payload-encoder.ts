/** Encodes the payloads of one kind of events as they stand in a nettrace. */
import { amidEncoding, EventEncoder, isEncoding } from '../wire/event-encoder.ts';
import { compilePayloadWriter } from '../wire/payload-writer.ts';
import type { FieldSchema } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { type Payload, takeFaults } from '../wire/values/faults.ts';
import { valueWriterOf } from './field-layouts.ts';

const NOTHING = new Uint8Array(0);
const NO_PREFIXES = { plain: NOTHING, withActivity: NOTHING, withRelated: NOTHING };

export class PayloadEncoder {
  readonly #encoder: EventEncoder;

  constructor(fields: readonly FieldSchema[]) {
    this.#encoder = new EventEncoder(NO_PREFIXES, () => {}, compilePayloadWriter(fields, valueWriterOf));
  }

  /**
   * The payload's bytes, in memory that the next event reuses; undefined where it is too large or cannot be read.
   * A value that does not fit its field is the nearest that does: who wrote the event has counted it.
   */
  encode(payload: Payload): Uint8Array | undefined {
    return isEncoding() ? amidEncoding(() => this.#encode(payload)?.slice()) : this.#encode(payload);
  }

  #encode(payload: Payload): Uint8Array | undefined {
    try {
      const size = this.#encoder.encode(payload, undefined, undefined);
      return takeFaults()?.tooLarge ? undefined : new Uint8Array(scratch.buffer, scratch.byteOffset, size);
    } catch {
      // A getter or a proxy that throws.
      takeFaults();
      return undefined;
    }
  }
}
