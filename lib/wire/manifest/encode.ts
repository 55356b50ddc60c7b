/**
 * Encodes manifest-based events into the scratch buffer for EventWriteTransfer: the instructions for the addon (see
 * `etw/prefix.ts`), then the fields' values, packed, in manifest order.
 */
import { Channel, encodeEventDescriptor } from '../etw/event-descriptor.ts';
import { etwPrefixes, setEtwActivityIds } from '../etw/prefix.ts';
import { EventEncoder } from '../event-encoder.ts';
import { compilePayloadWriter, type ValueSchema } from '../payload-writer.ts';
import type { EventSchema } from '../schema.ts';
import type { ValueWriter } from '../values/faults.ts';
import { SESSION_KEYWORDS_MASK } from './constants.ts';
import { FIELD_LAYOUTS } from './field-layouts.ts';

const NO_METADATA = new Uint8Array(0);

export class ManifestEncoder extends EventEncoder {
  /** @param schema must have no `manifestProblem` */
  constructor(schema: EventSchema) {
    super(etwPrefixes(NO_METADATA), setEtwActivityIds, compilePayloadWriter(schema.fields, writerOf));
  }
}

function writerOf(schema: ValueSchema): ValueWriter {
  const layout = FIELD_LAYOUTS[schema.type];
  if (layout === undefined) throw new TypeError(`A manifest event has no fields of type ${schema.type}.`);
  return layout.write;
}

/**
 * The 16 bytes of the EVENT_DESCRIPTOR of a manifest-based event.
 *
 * @param channelKeyword the bit of the event's channel, if it has one
 */
export function manifestDescriptor(schema: EventSchema, channelKeyword = 0n): Uint8Array {
  const { channel = Channel.None } = schema;
  const keywords = schema.keywords | SESSION_KEYWORDS_MASK | channelKeyword;
  return encodeEventDescriptor({ ...schema, keywords, channel });
}
