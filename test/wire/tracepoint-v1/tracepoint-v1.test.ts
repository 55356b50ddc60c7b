import { describe, expect, it } from 'vitest';
import { Block } from '../../../lib/wire/nettrace/block.ts';
import { BlockKind } from '../../../lib/wire/nettrace/constants.ts';
import { decodePayload } from '../../../lib/wire/nettrace/payload.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { decodeTracepointV1, isTracepointV1 } from '../../../lib/wire/tracepoint-v1/decode.ts';
import { TracepointV1Error } from '../../../lib/wire/tracepoint-v1/error.ts';
import { readTracepointV1Metadata } from '../../../lib/wire/tracepoint-v1/metadata.ts';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));

/** Provider "Demo", event 1 "Req", keywords 3, level 4, fields url: String and ms: Int32. */
const METADATA = `
  44 00 65 00 6d 00 6f 00 00 00  01 00 00 00  52 00 65 00 71 00 00 00  03 00 00 00 00 00 00 00
  00 00 00 00  04 00 00 00  02 00 00 00
  12 00 00 00 75 00 72 00 6c 00 00 00  09 00 00 00 6d 00 73 00 00 00`;
const ACTIVITY = '02 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f';
/** "/a" and 7. */
const PAYLOAD = '2f 00 61 00 00 00 07 00 00 00';

const FIRST = bytesOf(`01 01 00 04 00 56 00 56 00 0a 00 01 40 00 00 00 ${METADATA} ${ACTIVITY} ${PAYLOAD}`);
const LATER = bytesOf(`01 01 00 04 00 11 00 11 00 0a 00 ${ACTIVITY} ${PAYLOAD}`);
const BARE = bytesOf(`01 01 00 04 00 00 00 00 00 0a 00 ${PAYLOAD}`);

const activityId = '03020100-0504-0706-0809-0a0b0c0d0e0f';
const payload = bytesOf(PAYLOAD);

describe('an event in the tracepoint format', () => {
  it('contains its metadata if it is the first of its kind', () => {
    expect(decodeTracepointV1(FIRST)).toEqual({
      eventId: 1,
      metadata: bytesOf(METADATA),
      activityId,
      payload,
    });
  });

  it('contains its activity, or nothing but its payload, if it is not', () => {
    expect(decodeTracepointV1(LATER)).toEqual({ eventId: 1, activityId, payload });
    expect(decodeTracepointV1(BARE)).toEqual({ eventId: 1, payload });
  });

  it('may have a related activity, and labels of later versions, at which reading ends', () => {
    const related = `03 ${'11'.repeat(16)}`;
    const event = bytesOf(`01 01 00 04 00 12 00 12 00 00 00 ${related} 09`);
    expect(decodeTracepointV1(event)).toEqual({
      eventId: 1,
      relatedActivityId: '11111111-1111-1111-1111-111111111111',
      payload: new Uint8Array(0),
    });
  });

  it('may be followed by perf’s padding', () => {
    expect(decodeTracepointV1(Uint8Array.from([...LATER, 0, 0, 0])).payload).toEqual(payload);
  });

  it('is recognised by the names of its fields', () => {
    const fields = (...names: string[]) => names.map((name) => ({ name }));
    expect(isTracepointV1(fields('version', 'event_id', 'extension', 'payload'))).toBe(true);
    expect(isTracepointV1(fields('version', 'event_id', 'extension'))).toBe(false);
    expect(isTracepointV1(fields('eventheader_flags', 'version', 'id', 'tag'))).toBe(false);
  });

  it('of another version, or cut anywhere, is rejected', () => {
    const errorOf = (bytes: Uint8Array) => {
      try {
        decodeTracepointV1(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(TracepointV1Error);
        return (error as Error).message;
      }
      throw new Error('no error was thrown');
    };
    expect(errorOf(Uint8Array.from([2, ...LATER.subarray(1)]))).toBe(
      'The event has format version 2, but only 1 is supported. (at byte 0)',
    );
    for (let length = 0; length < FIRST.length; length++) errorOf(FIRST.subarray(0, length));
    const cutLabel = bytesOf(`01 01 00 04 00 06 00 06 00 00 00 01 02 00 00 00 00`);
    expect(errorOf(cutLabel)).toBe('The extension ends early: 2 bytes are needed, 1 are left. (at byte 16)');
  });
});

describe('the metadata of the tracepoint format', () => {
  const metadata = readTracepointV1Metadata(bytesOf(METADATA));

  it('names the provider, the event and its fields', () => {
    expect(metadata).toMatchObject({
      provider: 'Demo',
      eventId: 1,
      name: 'Req',
      keywords: 3n,
      version: 0,
      level: 4,
      fields: [{ name: 'url' }, { name: 'ms' }],
    });
  });

  it('describes the payload', () => {
    const block = new Block(BlockKind.Event, payload, 0);
    const { payload: fields, problem } = decodePayload(metadata.fields, block, 0, payload.length);
    expect({ ...fields }).toEqual({ url: '/a', ms: 7 });
    expect(problem).toBeUndefined();
  });

  it('cut before its fields is rejected', () => {
    for (let length = 0; length < 38; length++) {
      expect(() => readTracepointV1Metadata(bytesOf(METADATA).subarray(0, length))).toThrow(TraceError);
    }
  });
});
