import { describe, expect, it } from 'vitest';
import { Guid } from '../../../lib/activity/guid.ts';
import { netTraceFields, valueWriterOf } from '../../../lib/eventpipe/field-layouts.ts';
import { fieldSchemas } from '../../../lib/source/field-schemas.ts';
import { compilePayloadWriter } from '../../../lib/wire/payload-writer.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import { decodeTracepointV1 } from '../../../lib/wire/tracepoint-v1/decode.ts';
import { isTracepointName, tracepointV1Definition } from '../../../lib/wire/tracepoint-v1/definition.ts';
import { TracepointV1Encoder } from '../../../lib/wire/tracepoint-v1/encode.ts';
import { readTracepointV1Metadata, tracepointV1Metadata } from '../../../lib/wire/tracepoint-v1/metadata.ts';
import { WRITE_INDEX_SIZE } from '../../../lib/wire/user-events.ts';
import { type Payload, takeFaults } from '../../../lib/wire/values/faults.ts';

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const hex = (text: string) => text.replaceAll(/\s/g, '');

const FIELDS = fieldSchemas('Demo.Req', { url: 'string', ms: 'int32' });
const REQUEST = {
  provider: 'Demo',
  eventId: 1,
  name: 'Req',
  keywords: 3n,
  version: 0,
  level: 4,
  fields: netTraceFields(FIELDS),
};
const METADATA = `
  44 00 65 00 6d 00 6f 00 00 00  01 00 00 00  52 00 65 00 71 00 00 00  03 00 00 00 00 00 00 00
  00 00 00 00  04 00 00 00  02 00 00 00
  12 00 00 00 75 00 72 00 6c 00 00 00  09 00 00 00 6d 00 73 00 00 00`;

const ACTIVITY = Guid.fromBytes(Uint8Array.from({ length: 16 }, (_, index) => index));
const RELATED = Guid.fromBytes(new Uint8Array(16).fill(0x11));

function encoderOf(metadata = tracepointV1Metadata(REQUEST), fields = FIELDS) {
  const encoder = new TracepointV1Encoder(1, metadata, compilePayloadWriter(fields, valueWriterOf));
  const encode = (payload: Payload, activityId?: Guid, relatedActivityId?: Guid, describes = false) => {
    const size = encoder.encode(payload, activityId, relatedActivityId, describes);
    return Uint8Array.from(scratch.subarray(WRITE_INDEX_SIZE, size));
  };
  return { encoder, encode };
}

describe('an event for a tracepoint', () => {
  const { encode } = encoderOf();
  const payload = { url: '/a', ms: 7 };

  it('begins with its metadata and its activity the first time', () => {
    expect(hexOf(encode(payload, ACTIVITY, undefined, true))).toBe(
      hex(`01 01 00 04 00 56 00 56 00 0a 00 01 40 00 00 00 ${METADATA}
        02 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  2f 00 61 00 00 00 07 00 00 00`),
    );
  });

  it('begins with its activity later', () => {
    expect(hexOf(encode(payload, ACTIVITY))).toBe(
      '0101000400110011000a0002000102030405060708090a0b0c0d0e0f2f006100000007000000',
    );
  });

  it('has an empty extension if it has neither', () => {
    expect(hexOf(encode(payload))).toBe(hex('01 0100 04000000 00000a00 2f006100000007000000'));
    expect(hexOf(encode(payload, Guid.empty, Guid.empty))).toBe(hexOf(encode(payload)));
  });

  it('has the ids that exist, with and without metadata, from event to event', () => {
    for (const describes of [true, false, true]) {
      for (const activityId of [undefined, ACTIVITY, Guid.empty]) {
        for (const relatedActivityId of [undefined, RELATED]) {
          const decoded = decodeTracepointV1(encode(payload, activityId, relatedActivityId, describes));
          expect(decoded.activityId).toBe(activityId === ACTIVITY ? ACTIVITY.toString() : undefined);
          expect(decoded.relatedActivityId).toBe(relatedActivityId?.toString());
          expect(decoded.metadata && hexOf(decoded.metadata)).toBe(describes ? hex(METADATA) : undefined);
          expect(hexOf(decoded.payload)).toBe('2f006100000007000000');
        }
      }
    }
  });

  it('contains the position of its payload, however long that is', () => {
    for (const length of [0, 1, 4000, 32_000]) {
      const event = decodeTracepointV1(encode({ url: 'x'.repeat(length), ms: 1 }, ACTIVITY, RELATED, true));
      expect(event.payload.length).toBe(2 * length + 6);
    }
  });

  it('is too large if its payload does not fit 16 bits of size', () => {
    encode({ url: 'x'.repeat(33_000), ms: 1 });
    expect(takeFaults()?.tooLarge).toBe(true);
  });

  it('cannot be described by metadata that no tracer accepts', () => {
    const large = encoderOf(new Uint8Array(8200));
    expect(large.encoder.canDescribe).toBe(false);
    expect(decodeTracepointV1(large.encode(payload, undefined, undefined, true)).metadata).toBeUndefined();
    expect(encoderOf().encoder.canDescribe).toBe(true);
  });
});

describe('metadata for a tracepoint', () => {
  it('contains the provider’s and the event’s names and numbers, and its fields', () => {
    expect(hexOf(tracepointV1Metadata(REQUEST))).toBe(hex(METADATA));
  });

  it('has an opcode after the fields, and arrays', () => {
    const fields = netTraceFields(fieldSchemas('Demo.Req', { sizes: 'uint16[]' }));
    const metadata = readTracepointV1Metadata(tracepointV1Metadata({ ...REQUEST, opcode: 1, fields }));
    expect(metadata).toMatchObject({ provider: 'Demo', eventId: 1, name: 'Req', opcode: 1 });
    expect(metadata.fields).toMatchObject([{ name: 'sizes', type: { element: {} } }]);
  });
});

describe('a tracepoint', () => {
  it('is registered with the fields that tools register it with', () => {
    expect(tracepointV1Definition('Demo_All')).toBe(
      'Demo_All u8 version; u16 event_id; __rel_loc u8[] extension; __rel_loc u8[] payload',
    );
  });

  it('has a name that cannot be misread', () => {
    const longest = 'x'.repeat(511 - tracepointV1Definition('').length);
    for (const name of ['Demo_All', 'OC_DotNet_My_Source_42_C', 'Größe-1.2']) {
      expect(isTracepointName(name), name).toBe(true);
    }
    for (const name of ['', 'a b', 'a;b', 'a:b', 'a/b', '..', 'a\0', 'a\n', `${longest}x`]) {
      expect(isTracepointName(name), name).toBe(false);
    }
    expect(isTracepointName(longest)).toBe(true);
  });
});
