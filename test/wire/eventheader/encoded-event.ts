/** Encodes events with fields as applications write them, for tests, and decodes them again. */
import { fieldSchemas } from '../../../lib/source/field-schemas.ts';
import type { FieldDefinitions } from '../../../lib/source/fields.ts';
import { type Payload as DecodedPayload, payloadOf } from '../../../lib/wire/decoded-field.ts';
import { EventHeaderEncoder } from '../../../lib/wire/eventheader/encode.ts';
import type { GuidWords } from '../../../lib/wire/guid.ts';
import { type BadValue, PayloadChecker } from '../../../lib/wire/payload-checker.ts';
import type { EventSchema } from '../../../lib/wire/schema.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import { WRITE_INDEX_SIZE } from '../../../lib/wire/user-events.ts';
import { CHECKS } from '../../../lib/wire/values/checks.ts';
import { type Faults, type Payload, takeFaults } from '../../../lib/wire/values/faults.ts';
import { decodeEventHeader } from './decode-event.ts';

export function schemaOf(fields: FieldDefinitions, rest: Partial<EventSchema> = {}): EventSchema {
  return {
    name: 'E',
    id: 0,
    version: 0,
    level: 4,
    keywords: 0n,
    opcode: 0,
    task: 0,
    tag: 0,
    ...rest,
    fields: fieldSchemas('P.E', fields),
  };
}

/** An event's bytes, from its header on. */
export function encode(
  encoder: EventHeaderEncoder,
  payload: Payload,
  activityId?: GuidWords,
  relatedActivityId?: GuidWords,
): Uint8Array {
  const size = encoder.encode(payload, activityId, relatedActivityId);
  return Uint8Array.from(scratch.subarray(WRITE_INDEX_SIZE, size));
}

export function decode(bytes: Uint8Array): DecodedPayload {
  return payloadOf(decodeEventHeader('P_L4K0', bytes).fields);
}

/** What came of one payload. */
export interface Encoded {
  readonly decoded: DecodedPayload;
  readonly faults: Faults | undefined;
  readonly badValues: readonly BadValue[];
}

export function encodeAndDecode(fields: FieldDefinitions, payload: Payload): Encoded {
  const schema = schemaOf(fields);
  const bytes = encode(new EventHeaderEncoder(schema), payload);
  const faults = takeFaults();
  const badValues = new PayloadChecker(schema.fields, CHECKS).badValues(payload);
  return { decoded: decode(bytes), faults, badValues };
}
