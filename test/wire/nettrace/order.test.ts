import { describe, expect, it } from 'vitest';
import { NetTraceParser } from '../../../lib/wire/nettrace/parser.ts';
import {
  type Bytes,
  block,
  compressedEventV4,
  eventsOf,
  faultOf,
  flat,
  guid,
  metadataBlock,
  metadataRow,
  readTrace,
  sequencePoint,
  threadRow,
  timesOf,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  v4Events,
  v6Trace,
  varuint,
} from './nettrace-bytes.ts';

describe('events', () => {
  const events = (...list: readonly (readonly [thread: number, sequence: number, time: number])[]) =>
    uncompressedBlock(list.map(([thread, sequence, time]) => uncompressedEvent({ thread, sequence, time })));
  const sorted = (thread: number, sequence: number, time: number) =>
    uncompressedBlock(uncompressedEvent({ thread, sequence, time, isSorted: true }));

  it('of several threads arrive in time order, and those with equal times in trace order', () => {
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

  it('arrive as soon as a sorted event is not older', () => {
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

  it('all arrive before a fault', () => {
    const { parser, events: found } = readTrace(v6Trace(events([1, 1, 10]), block(8, u32(0), u32(0))));
    expect(timesOf(found)).toEqual([10]);
    expect(parser.fault?.code).toBe('malformed');
    expect(parser.push(v6Trace())).toEqual([]);
  });

  it('of many threads are merged correctly', () => {
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

  it('make labels and stacks forgotten, but not for earlier events', () => {
    const stack = block(5, u32(1), u32(1), u32(8), u64(0x99));
    const withStack = event(1, { stackId: 1, labels: 1 });
    const [before, after] = eventsOf(
      v6Trace(label, stack, withStack, sequencePoint(2), event(2, { stackId: 1 })),
    );
    expect(before?.stack(8)).toEqual([0x99n]);
    expect(after?.stack(8)).toBeUndefined();
    expect(faultOf(v6Trace(label, sequencePoint(2), event(1, { labels: 1 })))?.sentence).toMatch(
      /label list 1/,
    );
  });

  it('make threads and metadata forgotten if they say so', () => {
    expect(faultOf(v6Trace(sequencePoint(1, 1), event(1)))?.sentence).toMatch(
      /thread with index 1 does not exist/,
    );
    expect(faultOf(v6Trace(sequencePoint(1, 2), event(1)))?.sentence).toMatch(
      /metadata 1, which does not exist/,
    );
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

  it('are those up to the number in a sequence point or a thread\u2019s end', () => {
    expect(lostIn(event(1), sequencePoint(2, 0, { thread: 1, sequence: 4 }), event(5))).toBe(3);
    expect(lostIn(event(1), block(7, varuint(1), varuint(3)))).toBe(2);
  });

  it('are not reported if numbers wrap around', () => {
    const nearEnd = sequencePoint(2, 0, { thread: 1, sequence: 0x7fff_ffff });
    const atEnd = sequencePoint(2, 0, { thread: 1, sequence: 0xffff_ffff });
    expect(lostIn(nearEnd, atEnd, event(0), event(1))).toBe(0x7fff_ffff + 1);
  });

  it('count as one if numbers go back', () => {
    expect(lostIn(event(1), event(2), event(2))).toBe(1);
  });

  it('are not distinguished from a new thread with the same id before version 6', () => {
    const first = compressedEventV4({ time: 1, sequence: 7 });
    const events = (...list: Bytes) => readTrace(v4Events(list)).parser.lostEvents;
    expect(events(first)).toBe(0);
    expect(events(first, compressedEventV4({ time: 1, sequence: 10, previousSequence: 7 }))).toBe(2);
  });
});
