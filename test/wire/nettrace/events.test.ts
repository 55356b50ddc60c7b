import { describe, expect, it } from 'vitest';
import { NetTraceParser } from '../../../lib/wire/nettrace/parser.ts';
import {
  type Bytes,
  block,
  compressedBlock,
  compressedEventV4,
  eventsOf,
  fastSerialized,
  flat,
  guid,
  headV4,
  metadataBlock,
  metadataBlockV4,
  metadataRow,
  metadataV4,
  readTrace,
  row,
  sequencePoint,
  sized,
  threadRow,
  timesOf,
  traceBlock,
  u8,
  u16,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  utf16,
  v6Start,
  v6Trace,
  varint,
  varuint,
} from './nettrace-bytes.ts';

const metadata = metadataBlockV4(metadataV4(1, 15, 'Event', u32(0)));
const v4Events = (...events: Bytes) => fastSerialized(4, metadata, ['EventBlock', headV4(1), events]);
const faultOf = (bytes: Uint8Array) => readTrace(bytes).parser.fault;

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

  it('has its thread, its activity and its stack with it; metadata is an event, too', () => {
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

  it('is found behind padding', () => {
    for (const event of eventsOf(bytes)) expect(bytes[event.position + 4]).toBe(1);
  });
});

describe('an event of version 4', () => {
  it('has what the one before it had, where its header says nothing', () => {
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

  it('has a processor only where its own thread wrote it', () => {
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

  it('has a time of 64 bits, with a sign', () => {
    for (const time of [0n, 0x1_0000_0000n, 0x7fff_ffff_ffff_ffffn, -1n, -0x8000_0000_0000_0000n]) {
      expect(eventsOf(v4Events(compressedEventV4({ time: BigInt.asUintN(64, time) })))[0]?.ticks).toBe(time);
    }
  });

  it('is refused where its metadata is not there, or was there before', () => {
    expect(faultOf(v4Events(compressedEventV4({ metadataId: 2, time: 1 })))?.reason).toMatch(
      /metadata 2, which/,
    );
    expect(faultOf(fastSerialized(4, metadata, metadata))?.reason).toMatch(/Metadata 1 is given twice/);
  });

  it('is refused where it is longer than its block', () => {
    const fault = faultOf(v4Events([0x80, varuint(0), varuint(100)]));
    expect(fault).toMatchObject({ code: 'malformed' });
    expect(fault?.reason).toMatch(/100 bytes are wanted where 0 are left/);
  });
});

describe('an integer of variable length', () => {
  const head = [0x80, varuint(0)];

  it('has at most 32 bits where 32 are meant', () => {
    const fault = faultOf(v4Events(head, [0xff, 0xff, 0xff, 0xff, 0x1f]));
    expect(fault?.reason).toMatch(/more than 32 bits/);
    expect(faultOf(v4Events(head, Array(6).fill(0x80)))?.reason).toMatch(/more than 32 bits/);
  });

  it('has at most 64 bits', () => {
    expect(faultOf(v4Events([0x00, Array(9).fill(0xff), 0x02]))?.reason).toMatch(/more than 64 bits/);
    expect(faultOf(v4Events([0x00, Array(10).fill(0x80), 0x00]))?.reason).toMatch(/more than 64 bits/);
  });

  it('has an end', () => {
    expect(faultOf(v4Events([0x00, 0x80]))?.reason).toMatch(/integer has no end/);
  });
});

describe('an event of version 6', () => {
  it('has the process and thread of its thread', () => {
    const bytes = v6Trace(
      compressedBlock([
        0xc7,
        varuint(1),
        varuint(0),
        varuint(1),
        varuint(5),
        varuint(2),
        varuint(9),
        varuint(0),
      ]),
    );
    const [event] = eventsOf(bytes);
    expect(event?.thread).toMatchObject({ processId: 84, threadId: 12 });
    expect(event?.processor).toBe(5);
    expect(event?.ticks).toBe(9n);
  });

  it('has the process of the trace where its thread has none, and no thread where that has no id', () => {
    const threads = block(6, row(varuint(3), 1, utf8('worker'), 4, utf8('k'), utf8('v')));
    const event = uncompressedEvent({ time: 1, thread: 3 });
    const [found] = eventsOf(
      flat(
        v6Start,
        traceBlock({ ProcessId: '55' }),
        metadataBlock(metadataRow(1, 15, 'Event')),
        threads,
        uncompressedBlock(event),
        u32(0),
      ),
    );
    expect(found?.thread).toMatchObject({ processId: 55, threadId: undefined, name: 'worker' });
    expect(found?.thread.properties.get('k')).toBe('v');
  });

  it('is refused where its thread or its labels are not there', () => {
    const withThread = uncompressedBlock(uncompressedEvent({ time: 1, thread: 9 }));
    expect(faultOf(v6Trace(withThread))?.reason).toMatch(/no thread with index 9/);
    const withLabels = uncompressedBlock(uncompressedEvent({ time: 1, labels: 9 }));
    expect(faultOf(v6Trace(withLabels))?.reason).toMatch(/label list 9, which is not there/);
  });

  it('may have a stack that is not there', () => {
    const bytes = v6Trace(uncompressedBlock(uncompressedEvent({ time: 1, stackId: 9 })));
    expect(eventsOf(bytes)[0]?.stack(8)).toBeUndefined();
  });
});

describe('labels', () => {
  const labelBlock = (firstIndex: number, ...lists: readonly Bytes[]) =>
    block(8, u32(firstIndex), u32(lists.length), lists);
  const labelled = (labels: Bytes, event: Bytes) => eventsOf(v6Trace(labels, event));

  it('give an event activities, trace and span ids and whatever else', () => {
    const list = [
      [1, guid(1)],
      [2, guid(2)],
      [3, Array.from({ length: 16 }, (_, i) => i)],
      [4, u64(0x1234_5678_9abc_def0n)],
      [5, utf8('key'), utf8('value')],
      [0x86, utf8('number'), varint(-5n)],
    ];
    const event = uncompressedBlock(uncompressedEvent({ time: 1, labels: 1 }));
    const [found] = labelled(labelBlock(1, list), event);
    expect(found?.activityId).toBe('00000001-0000-0000-0000-000000000000');
    expect(found?.relatedActivityId).toBe('00000002-0000-0000-0000-000000000000');
    expect(found?.labels).toMatchObject({
      traceId: '000102030405060708090a0b0c0d0e0f',
      spanId: '123456789abcdef0',
    });
    expect([...(found?.labels?.pairs ?? [])]).toEqual([
      ['key', 'value'],
      ['number', -5n],
    ]);
  });

  it('override opcode, keywords, level and version', () => {
    const list = [
      [7, u8(1)],
      [8, u64(0xff)],
      [9, u8(3)],
      [0x8a, u8(2)],
    ];
    const [found] = labelled(
      labelBlock(1, list),
      uncompressedBlock(uncompressedEvent({ time: 1, labels: 1 })),
    );
    expect(found?.labels).toMatchObject({ opcode: 1, keywords: 0xffn, level: 3, version: 2 });
  });

  it('stay those of the event before in compressed headers, until 0 clears them', () => {
    const events = compressedBlock(
      [0xd7, varuint(1), varuint(0), varuint(1), varuint(0), varuint(1), varuint(1), varuint(2), varuint(0)],
      [0x40, varuint(1)],
      [0x50, varuint(1), varuint(0)],
    );
    const found = labelled(labelBlock(2, [0x81, guid(1)]), events);
    expect(found.map((event) => event.activityId?.slice(0, 8))).toEqual(['00000001', '00000001', undefined]);
  });

  it('of an unknown kind cannot be passed over; list 0 is the empty one', () => {
    expect(faultOf(v6Trace(labelBlock(1, [0x8b])))?.reason).toMatch(/no label of kind 11/);
    expect(faultOf(v6Trace(labelBlock(0, [0x8a, 1])))?.reason).toMatch(/Label list 0/);
  });
});

describe('events', () => {
  const events = (...list: readonly (readonly [thread: number, sequence: number, time: number])[]) =>
    uncompressedBlock(list.map(([thread, sequence, time]) => uncompressedEvent({ thread, sequence, time })));
  const sorted = (thread: number, sequence: number, time: number) =>
    uncompressedBlock(uncompressedEvent({ thread, sequence, time, isSorted: true }));

  it('of several threads come in the order of time, those of one time in that of the trace', () => {
    const found = eventsOf(
      v6Trace(events([1, 1, 10], [1, 2, 30], [1, 3, 50]), events([2, 1, 10], [2, 2, 20], [2, 3, 50])),
    );
    expect(found.map((event) => [Number(event.ticks), event.thread.threadId])).toEqual([
      [10, 11],
      [10, 12],
      [20, 12],
      [30, 11],
      [50, 11],
      [50, 12],
    ]);
  });

  it('come as soon as a sorted event is not older', () => {
    const parser = new NetTraceParser();
    const push = (...blocks: Bytes) => timesOf(parser.push(flat(blocks)));
    const start = v6Trace();
    parser.push(start.subarray(0, -4));
    expect(push(events([1, 1, 10], [1, 2, 30]))).toEqual([]);
    expect(push(events([2, 1, 20]))).toEqual([]);
    expect(push(sorted(2, 2, 30))).toEqual([10, 20, 30]);
    expect(push(sequencePoint(40))).toEqual([30]);
    expect(push(events([2, 3, 50]))).toEqual([]);
    expect(timesOf(parser.end())).toEqual([50]);
    expect(parser.fault?.code).toBe('truncated');
  });

  it('all come before a fault', () => {
    const { parser, events: found } = readTrace(v6Trace(events([1, 1, 10]), block(8, u32(0), u32(0))));
    expect(timesOf(found)).toEqual([10]);
    expect(parser.fault?.code).toBe('malformed');
    expect(parser.push(v6Trace())).toEqual([]);
  });

  it('of many threads are merged right', () => {
    const threads = Array.from({ length: 40 }, (_, i) => i + 3);
    const rows = block(
      6,
      threads.map((index) => threadRow(index, 1, index)),
    );
    const blocks = threads.map((thread) =>
      events(
        ...Array.from(
          { length: 50 },
          (_, i) => [thread, i + 1, ((i * 7919 * thread) % 101) + i * 101] as const,
        ),
      ),
    );
    const { parser, events: found } = readTrace(v6Trace(rows, blocks));
    const times = timesOf(found);
    expect(times.length).toBe(2000);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(parser.lostEvents).toBe(0);
  });
});

describe('sequence points', () => {
  const event = (sequence: number, extra = {}) =>
    uncompressedBlock(uncompressedEvent({ time: sequence, sequence, ...extra }));
  const label = block(8, u32(1), u32(1), [0x81, guid(1)]);

  it('make labels and stacks forgotten, but not by events from before', () => {
    const stack = block(5, u32(1), u32(1), u32(8), u64(0x99));
    const withStack = event(1, { stackId: 1, labels: 1 });
    const [before, after] = eventsOf(
      v6Trace(label, stack, withStack, sequencePoint(2), event(2, { stackId: 1 })),
    );
    expect(before?.stack(8)).toEqual([0x99n]);
    expect(after?.stack(8)).toBeUndefined();
    expect(faultOf(v6Trace(label, sequencePoint(2), event(1, { labels: 1 })))?.reason).toMatch(
      /label list 1/,
    );
  });

  it('make threads and metadata forgotten where they say so', () => {
    expect(faultOf(v6Trace(sequencePoint(1, 1), event(1)))?.reason).toMatch(/no thread with index 1/);
    expect(faultOf(v6Trace(sequencePoint(1, 2), event(1)))?.reason).toMatch(/metadata 1, which is not there/);
    const again = metadataBlock(metadataRow(1, 16, 'Other'));
    const found = eventsOf(v6Trace(event(1), sequencePoint(2, 2), again, event(2)));
    expect(found.map((each) => each.metadata.name)).toEqual(['Event', 'Other']);
  });
});

describe('lost events', () => {
  const event = (sequence: number, thread = 1) =>
    uncompressedBlock(uncompressedEvent({ time: 1, sequence, thread }));
  const lostIn = (...blocks: Bytes) => {
    const { parser } = readTrace(v6Trace(blocks));
    expect(parser.fault).toBeUndefined();
    return parser.lostEvents;
  };

  it('are those between the numbers of a thread\u2019s events', () => {
    expect(lostIn(event(1), event(2), event(5))).toBe(2);
    expect(lostIn(event(1), event(1, 2), event(2), event(3, 2))).toBe(1);
    expect(lostIn(event(4))).toBe(3);
  });

  it('are those up to the number that a sequence point or a thread\u2019s end tells', () => {
    expect(lostIn(event(1), sequencePoint(2, 0, { thread: 1, sequence: 4 }), event(5))).toBe(3);
    expect(lostIn(event(1), block(7, varuint(1), varuint(3)))).toBe(2);
  });

  it('are not there where numbers wrap around', () => {
    const nearEnd = sequencePoint(2, 0, { thread: 1, sequence: 0x7fff_ffff });
    const atEnd = sequencePoint(2, 0, { thread: 1, sequence: 0xffff_ffff });
    expect(lostIn(nearEnd, atEnd, event(0), event(1))).toBe(0x7fff_ffff + 1);
  });

  it('count as one where numbers go back', () => {
    expect(lostIn(event(1), event(2), event(2))).toBe(1);
  });

  it('are not told from a new thread with the same id before version 6', () => {
    const first = compressedEventV4({ time: 1, sequence: 7 });
    const events = (...list: Bytes) => readTrace(v4Events(list)).parser.lostEvents;
    expect(events(first)).toBe(0);
    expect(events(first, compressedEventV4({ time: 1, sequence: 10, previousSequence: 7 }))).toBe(2);
  });
});

describe('threads of version 6', () => {
  it('may be given once, until they are removed', () => {
    const again = block(6, threadRow(1, 84, 99));
    expect(faultOf(v6Trace(again))?.reason).toMatch(/Thread index 1 is given twice/);
    const event = (sequence: number) => uncompressedBlock(uncompressedEvent({ time: 1, sequence }));
    const found = eventsOf(v6Trace(event(1), block(7, varuint(1), varuint(1)), again, event(1)));
    expect(found.map((each) => each.thread.threadId)).toEqual([11, 99]);
  });

  it('are gone when they are removed', () => {
    const removed = block(7, varuint(1), varuint(0));
    const event = uncompressedBlock(uncompressedEvent({ time: 1 }));
    expect(faultOf(v6Trace(removed, event))?.reason).toMatch(/no thread with index 1/);
    expect(faultOf(v6Trace(block(7, varuint(9), varuint(0))))?.reason).toMatch(/no thread with index 9/);
  });

  it('cannot have entries that are not known', () => {
    expect(faultOf(v6Trace(block(6, row(varuint(9), 7))))?.reason).toMatch(/no entry 7 of a thread/);
  });
});

describe('the head of an event block', () => {
  it('may be longer than is known here, and not shorter', () => {
    const longer = block(2, u16(24), u16(0), u64(0), u64(0), u32(0), uncompressedEvent({ time: 1 }));
    expect(eventsOf(v6Trace(longer)).length).toBe(1);
    expect(faultOf(v6Trace(block(2, u16(19), u16(0), u64(0), u64(0))))?.reason).toMatch(
      /cannot have 19 bytes/,
    );
  });
});
