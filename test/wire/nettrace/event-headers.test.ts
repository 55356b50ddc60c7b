import { describe, expect, it } from 'vitest';
import {
  type Bytes,
  block,
  compressedEventV4,
  eventsOf,
  fastSerialized,
  faultOf,
  flat,
  guid,
  headV4,
  metadata,
  metadataV4,
  sized,
  timesOf,
  u16,
  u32,
  u64,
  uncompressedEvent,
  utf16,
  v4Events,
  v6Trace,
  varuint,
} from './nettrace-bytes.ts';

describe('an event of version 3', () => {
  const event = (metadataId: number, time: number, payload: Bytes, stack: Bytes = []): Bytes => {
    const body = flat(
      u32(metadataId),
      u32(77),
      u64(time),
      guid(5),
      guid(0),
      sized(u32)(payload),
      sized(u32)(stack),
    );
    return [u32(body.length), [...body], Array(-body.length & 3).fill(0)];
  };
  const bytes = fastSerialized(3, [
    'EventBlock',
    event(0, 1, metadataV4(1, 15, 'Event', u32(1), u32(18), utf16('Text'))),
    event(1, 2, utf16('a'), [u64(0x10), u64(0x20)]),
    event(1, 3, utf16('b')),
  ]);

  it('contains its thread, its activity and its stack; metadata is an event, too', () => {
    const [first, second] = eventsOf(bytes);
    expect(first?.metadata).toMatchObject({ eventId: 15, name: 'Event', fields: [{ name: 'Text' }] });
    expect(first?.thread).toMatchObject({ threadId: 77, processId: 1234 });
    expect(first?.activityId).toBe('00000005-0000-0000-0000-000000000000');
    expect(first?.relatedActivityId).toBeUndefined();
    expect(first?.stack(8)).toEqual([0x10n, 0x20n]);
    expect(second?.stack(8)).toBeUndefined();
    expect(second?.ticks).toBe(3n);
    expect(second?.payloadBytes).toEqual(flat(utf16('b')));
  });

  it('is found after padding', () => {
    for (const event of eventsOf(bytes)) expect(bytes[event.position + 4]).toBe(1);
  });
});

describe('an event of version 4', () => {
  it('repeats what the previous one had unless its header differs', () => {
    const events = eventsOf(
      v4Events(
        [0xff, varuint(1), varuint(0), varuint(9), varuint(3), varuint(9), varuint(0), varuint(100)],
        [guid(1), guid(2), varuint(2), [7, 8]],
        [0x00, varuint(5), [9, 10]],
        [0x90, varuint(1), guid(0), varuint(0)],
      ),
    );
    expect(timesOf(events)).toEqual([100, 105, 106]);
    expect(events.map((event) => event.payloadBytes)).toEqual([flat(7, 8), flat(9, 10), flat()]);
    expect(events.map((event) => event.activityId?.slice(0, 8))).toEqual(['00000001', '00000001', undefined]);
    expect(events.map((event) => event.relatedActivityId?.slice(0, 8))).toEqual(Array(3).fill('00000002'));
    expect(events.map((event) => event.processor)).toEqual([3, 3, 3]);
    expect(events.map((event) => event.thread.threadId)).toEqual([9, 9, 9]);
  });

  it('may be uncompressed', () => {
    const body = [u32(1), u32(1), u64(9), u64(8), u32(3), u32(0), u64(50), guid(1), guid(0), u32(4), u32(7)];
    const bytes = fastSerialized(4, metadata, ['EventBlock', headV4(0), sized(u32)(body)]);
    const [event] = eventsOf(bytes);
    expect(event).toMatchObject({ ticks: 50n, activityId: '00000001-0000-0000-0000-000000000000' });
    expect(event?.payloadBytes).toEqual(flat(u32(7)));
    expect(event?.thread.threadId).toBe(9);
  });

  it('has a processor only if its own thread wrote it', () => {
    const events = eventsOf(
      v4Events(
        compressedEventV4({ time: 1, thread: 1, captureThread: 2, processor: 3 }),
        compressedEventV4({ time: 1, thread: 1, processor: 0xffff_ffff }),
        compressedEventV4({ time: 1, thread: 1, processor: 3, sequence: 2, previousSequence: 1 }),
      ),
    );
    expect(events.map((event) => event.processor)).toEqual([undefined, undefined, 3]);
  });

  it('has a time that may go back within a block, by wrapping around', () => {
    const back = (1n << 64n) - 50n;
    const events = eventsOf(
      v4Events(
        compressedEventV4({ time: 100, isSorted: false }),
        [0x00, varuint(back)],
        [0x40, varuint(200)],
      ),
    );
    expect(events.map((event) => event.ticks)).toContain(50n);
    expect(events.at(-1)?.ticks).toBe(250n);
  });

  it('has a signed 64-bit time', () => {
    for (const time of [0n, 0x1_0000_0000n, 0x7fff_ffff_ffff_ffffn, -1n, -0x8000_0000_0000_0000n]) {
      expect(eventsOf(v4Events(compressedEventV4({ time: BigInt.asUintN(64, time) })))[0]?.ticks).toBe(time);
    }
  });

  it('is rejected if its metadata does not exist, or is defined twice', () => {
    expect(faultOf(v4Events(compressedEventV4({ metadataId: 2, time: 1 })))?.sentence).toMatch(
      /metadata 2, which/,
    );
    expect(faultOf(fastSerialized(4, metadata, metadata))?.sentence).toMatch(/Metadata 1 is defined twice/);
  });

  it('is rejected if it is longer than its block', () => {
    const fault = faultOf(v4Events([0x80, varuint(0), varuint(100)]));
    expect(fault).toMatchObject({ code: 'malformed' });
    expect(fault?.sentence).toMatch(/100 bytes are needed, but only 0 are left/);
  });
});

describe('a variable-length integer', () => {
  const head = [0x80, varuint(0)];

  it('has at most 32 bits if 32 are expected', () => {
    const fault = faultOf(v4Events(head, [0xff, 0xff, 0xff, 0xff, 0x1f]));
    expect(fault?.sentence).toMatch(/more than 32 bits/);
    expect(faultOf(v4Events(head, Array(6).fill(0x80)))?.sentence).toMatch(/more than 32 bits/);
  });

  it('has at most 64 bits', () => {
    expect(faultOf(v4Events([0x00, Array(9).fill(0xff), 0x02]))?.sentence).toMatch(/more than 64 bits/);
    expect(faultOf(v4Events([0x00, Array(10).fill(0x80), 0x00]))?.sentence).toMatch(/more than 64 bits/);
  });

  it('must have an end', () => {
    expect(faultOf(v4Events([0x00, 0x80]))?.sentence).toMatch(/integer has no end/);
  });
});

describe('the header of an event block', () => {
  it('may be longer than known, but not shorter', () => {
    const longer = block(2, u16(24), u16(0), u64(0), u64(0), u32(0), uncompressedEvent({ time: 1 }));
    expect(eventsOf(v6Trace(longer)).length).toBe(1);
    expect(faultOf(v6Trace(block(2, u16(19), u16(0), u64(0), u64(0))))?.sentence).toMatch(
      /cannot have 19 bytes/,
    );
  });
});
