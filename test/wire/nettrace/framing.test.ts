import { describe, expect, it } from 'vitest';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import {
  ascii,
  block,
  compressedBlock,
  compressedEventV4,
  endOfStream,
  fastSerialized,
  flat,
  headV4,
  metadataBlockV4,
  metadataV4,
  readTrace,
  START_TIME_MS,
  sequencePoint,
  timesOf,
  traceBlock,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  v6Start,
  v6Trace,
} from './nettrace-bytes.ts';

const v4Trace = fastSerialized(
  4,
  metadataBlockV4(metadataV4(1, 15, 'Event', u32(0))),
  ['StackBlock', u32(1), u32(1), u32(8), u64(0x1234)],
  ['EventBlock', headV4(1), compressedEventV4({ time: 5, stackId: 1 }), [0, 2], [0, 3]],
  ['SPBlock', u64(20), u32(1), u64(1), u32(3)],
);
const v6Whole = v6Trace(
  block(5, u32(1), u32(1), u32(8), u64(0x1234)),
  block(8, u32(1), u32(1), [0x85, 1, 0x6b, 1, 0x76]),
  uncompressedBlock(
    uncompressedEvent({ time: 5, labels: 1, stackId: 1 }),
    uncompressedEvent({ time: 7, sequence: 2 }),
  ),
  sequencePoint(20, 0, { thread: 1, sequence: 2 }),
);

const faultOf = (bytes: Uint8Array) => readTrace(bytes).parser.fault;

describe('the head of a trace', () => {
  it('of version 6 contains time, clock, pointer size and properties', () => {
    const properties = { ProcessId: '1234', HardwareThreadCount: '16', Ponies: 'many' };
    const { head } = readTrace(flat(v6Start, traceBlock(properties), endOfStream)).parser;
    expect(head).toMatchObject({
      formatVersion: 6,
      startTimeMs: START_TIME_MS,
      syncTicks: 0n,
      ticksPerSecond: 1000n,
      pointerSize: 8,
      processId: 1234,
      processors: 16,
      samplingInterval: undefined,
    });
    expect(Object.fromEntries(head?.properties ?? [])).toEqual(properties);
  });

  it.each([3, 4] as const)('of version %i contains process, processors and sampling, too', (version) => {
    const { head, fault } = readTrace(fastSerialized(version)).parser;
    expect(fault).toBeUndefined();
    expect(head).toMatchObject({
      formatVersion: version,
      startTimeMs: START_TIME_MS,
      processId: 1234,
      processors: 4,
      samplingInterval: 1_000_000,
    });
  });
});

describe('a trace', () => {
  it.each([
    ['version 4', v4Trace, [5, 7, 10]],
    ['version 6', v6Whole, [5, 7]],
  ])('of %s yields the same in chunks of one byte as in one', (_, bytes, times) => {
    for (const size of [1, 7, bytes.length]) {
      const { parser, events } = readTrace(bytes, size);
      expect(parser.fault).toBeUndefined();
      expect(timesOf(events)).toEqual(times);
      expect(parser.lostEvents).toBe(0);
      expect(events[0]?.stack(8)).toEqual([0x1234n]);
      expect(parser.bytesRead).toBe(bytes.length);
    }
  });

  it.each([
    ['version 3', fastSerialized(3, ['EventBlock'])],
    ['version 4', v4Trace],
    ['version 6', v6Whole],
  ])('of %s that ends early at any byte says so, at its end', (_, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      const fault = faultOf(bytes.subarray(0, length));
      expect(fault).toBeInstanceOf(TraceError);
      expect(fault).toMatchObject({ code: 'truncated', offset: length });
    }
  });

  it.each([
    ['version 4', v4Trace],
    ['version 6', v6Whole],
  ])('of %s with any byte changed is read, or rejected for a reason', (_, bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = (damaged[at] as number) ^ change;
        const { fault } = readTrace(damaged).parser;
        if (fault !== undefined) expect(['truncated', 'malformed', 'unsupported']).toContain(fault.code);
      }
    }
  });

  it('that is cut inside a block of events delivers the complete ones before the cut', () => {
    const start = v4Trace.length - 80;
    const counts = Array.from(
      { length: 80 },
      (_, i) => readTrace(v4Trace.subarray(0, start + i)).events.length,
    );
    expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3]));
    expect(counts).toEqual([...counts].sort());
  });

  it('ends where it says; anything after that is ignored', () => {
    const { parser, events } = readTrace(flat([...v6Whole], ascii('whatever')));
    expect(parser.fault).toBeUndefined();
    expect(parser.bytesRead).toBe(v6Whole.length);
    expect(events.length).toBe(2);
  });

  it('of version 6 may have blocks of unknown kinds', () => {
    const bytes = v6Trace(block(9, [1, 2, 3]), compressedBlock(), block(255));
    expect(faultOf(bytes)).toBeUndefined();
  });
});

describe('a trace is rejected', () => {
  const refused = (bytes: Uint8Array, code: string, offset: number, reason: RegExp) => {
    const fault = faultOf(bytes);
    expect(fault?.sentence).toMatch(reason);
    expect(fault).toMatchObject({ code, offset });
  };

  it('that starts like no such trace', () => {
    refused(
      flat(ascii('This is some text, and no trace.')),
      'malformed',
      0,
      /Expected "!FastSerialization\.1"/,
    );
  });

  it('of an unknown version', () => {
    refused(flat(ascii('Nettrace'), u32(0), u32(7), u32(0)), 'unsupported', 12, /has version 7/);
    refused(flat(ascii('Nettrace'), u32(0), u32(5), u32(0)), 'malformed', 12, /has version 5/);
  });

  it('that does not start with its description', () => {
    refused(flat(v6Start, compressedBlock()), 'malformed', 24, /first block is of kind 2/);
    refused(flat(v6Start, endOfStream), 'malformed', 24, /ends before it describes itself/);
  });

  it('that describes itself twice', () => {
    refused(flat(v6Start, traceBlock(), traceBlock()), 'malformed', 68, /twice/);
  });

  it('whose clock cannot yield times', () => {
    const bytes = flat(v6Start, traceBlock());
    bytes.fill(0, 20 + 4 + 24, 20 + 4 + 32);
    refused(bytes, 'malformed', 56, /0 ticks per second/);
  });

  it('with an object of an unknown type, which version 4 cannot skip', () => {
    refused(fastSerialized(4, ['OddBlock']), 'malformed', 117, /type "OddBlock" does not exist/);
  });

  it('with a block too large to be kept in memory, before that is tried', () => {
    const bytes = fastSerialized(4, ['EventBlock']);
    const sizeAt = Buffer.from(bytes).indexOf('EventBlock') + 'EventBlock'.length + 1;
    bytes.set(flat(u32(0x7fff_ffff)), sizeAt);
    refused(bytes, 'unsupported', sizeAt, /2147483647 bytes/);
    bytes.set(flat(u32(0xffff_ffff)), sizeAt);
    refused(bytes, 'malformed', sizeAt, /-1 bytes/);
  });
});
