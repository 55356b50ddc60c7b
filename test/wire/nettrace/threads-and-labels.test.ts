import { describe, expect, it } from 'vitest';
import {
  type Bytes,
  block,
  compressedBlock,
  eventsOf,
  flat,
  guid,
  metadataBlock,
  metadataRow,
  readTrace,
  row,
  threadRow,
  traceBlock,
  u8,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  v6Start,
  v6Trace,
  varint,
  varuint,
} from './nettrace-bytes.ts';

const faultOf = (bytes: Uint8Array) => readTrace(bytes).parser.fault;

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

  it('has the process of the trace if its thread has none, and no thread if that has no id', () => {
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

  it('is rejected if its thread or its labels do not exist', () => {
    const withThread = uncompressedBlock(uncompressedEvent({ time: 1, thread: 9 }));
    expect(faultOf(v6Trace(withThread))?.sentence).toMatch(/thread with index 9 does not exist/);
    const withLabels = uncompressedBlock(uncompressedEvent({ time: 1, labels: 9 }));
    expect(faultOf(v6Trace(withLabels))?.sentence).toMatch(/label list 9, which does not exist/);
  });

  it('may refer to a missing stack', () => {
    const bytes = v6Trace(uncompressedBlock(uncompressedEvent({ time: 1, stackId: 9 })));
    expect(eventsOf(bytes)[0]?.stack(8)).toBeUndefined();
  });
});

describe('labels', () => {
  const labelBlock = (firstIndex: number, ...lists: readonly Bytes[]) =>
    block(8, u32(firstIndex), u32(lists.length), lists);
  const labelled = (labels: Bytes, event: Bytes) => eventsOf(v6Trace(labels, event));

  it('give an event activities, trace and span ids and others', () => {
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

  it('stay those of the previous event in compressed headers, until 0 clears them', () => {
    const events = compressedBlock(
      [0xd7, varuint(1), varuint(0), varuint(1), varuint(0), varuint(1), varuint(1), varuint(2), varuint(0)],
      [0x40, varuint(1)],
      [0x50, varuint(1), varuint(0)],
    );
    const found = labelled(labelBlock(2, [0x81, guid(1)]), events);
    expect(found.map((event) => event.activityId?.slice(0, 8))).toEqual(['00000001', '00000001', undefined]);
  });

  it('of an unknown kind cannot be skipped; list 0 is the empty one', () => {
    expect(faultOf(v6Trace(labelBlock(1, [0x8b])))?.sentence).toMatch(/label kind 11 does not exist/);
    expect(faultOf(v6Trace(labelBlock(0, [0x8a, 1])))?.sentence).toMatch(/Label list 0/);
  });
});

describe('threads of version 6', () => {
  it('may be defined once, until they are removed', () => {
    const again = block(6, threadRow(1, 84, 99));
    expect(faultOf(v6Trace(again))?.sentence).toMatch(/Thread index 1 is defined twice/);
    const event = (sequence: number) => uncompressedBlock(uncompressedEvent({ time: 1, sequence }));
    const found = eventsOf(v6Trace(event(1), block(7, varuint(1), varuint(1)), again, event(1)));
    expect(found.map((each) => each.thread.threadId)).toEqual([11, 99]);
  });

  it('are gone when they are removed', () => {
    const removed = block(7, varuint(1), varuint(0));
    const event = uncompressedBlock(uncompressedEvent({ time: 1 }));
    expect(faultOf(v6Trace(removed, event))?.sentence).toMatch(/thread with index 1 does not exist/);
    expect(faultOf(v6Trace(block(7, varuint(9), varuint(0))))?.sentence).toMatch(
      /thread with index 9 does not exist/,
    );
  });

  it('cannot have unknown entries', () => {
    expect(faultOf(v6Trace(block(6, row(varuint(9), 7))))?.sentence).toMatch(/entry 7 does not exist/);
  });
});
