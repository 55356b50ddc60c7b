/** Files of trace-cmd: both versions, all processors and buffers in one order, what is lost, damage. */
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { readTraceDatHead } from '../../../lib/wire/trace-dat/head.ts';
import { entryHead, LOST_COUNT_STORED, LOST_EVENTS, pageOf } from '../../wire/ftrace/page-bytes.ts';
import { FUNCTION, MARKER, TICK, type TraceDatParts, version6, version7 } from './trace-dat-bytes.ts';

interface Tick {
  readonly after: number;
  readonly number: number;
  readonly type?: number;
}

/** A page of events in thread 71, each so long after the one before. */
const page = (time: bigint, ticks: readonly Tick[], lost?: bigint) =>
  pageOf(
    ticks.flatMap(({ after, number, type = TICK }) => [entryHead(3, after), type, 71, number]),
    lost === undefined ? { time } : { time, lost, flags: LOST_EVENTS | LOST_COUNT_STORED },
  );

async function read(bytes: Uint8Array) {
  const trace = await openTrace(bytes);
  const events: TraceEvent[] = [];
  let fault: unknown;
  try {
    for await (const batch of trace.batches()) events.push(...batch);
  } catch (error) {
    fault = error;
  }
  return { trace, events, fault };
}

const numbersOf = (events: readonly TraceEvent[]) => events.map(({ payload }) => payload.number);

const TWO_PROCESSORS: TraceDatParts = {
  pages: [
    [
      page(1000n, [
        { after: 0, number: 1 },
        { after: 20, number: 3 },
      ]),
      page(2000n, [{ after: 0, number: 5 }]),
    ],
    [
      page(1010n, [
        { after: 0, number: 2 },
        { after: 500, number: 4 },
      ]),
    ],
  ],
};

const FILES: readonly (readonly [string, (parts: TraceDatParts) => Uint8Array])[] = [
  ['version 6', version6],
  ['version 7', version7],
  ['version 7, compressed with zlib', (parts) => version7({ ...parts, compression: 'zlib' })],
  ['version 7, compressed with zstd', (parts) => version7({ ...parts, compression: 'zstd' })],
];

describe.each(FILES)('a trace.dat of %s', (name, bytesOf) => {
  it('has the events of all processors in time order', async () => {
    const { trace, events, fault } = await read(bytesOf(TWO_PROCESSORS));
    expect(fault).toBeUndefined();
    expect(numbersOf(events)).toEqual([1, 2, 3, 4, 5]);
    expect(events.map(({ processor }) => processor)).toEqual([0, 1, 0, 1, 0]);
    expect(events.map(({ timestamp }) => timestamp)).toEqual([1000n, 1010n, 1020n, 1510n, 2000n]);
    expect(events[0]).toMatchObject({ provider: 'user_events', name: 'Tick', threadId: 71 });
    expect(trace.info).toMatchObject({
      format: 'trace.dat',
      formatVersion: name.includes('6') ? 6 : 7,
      startTime: 1000n,
      hasWallTime: false,
      properties: { CLOCK: 'local' },
    });
  });

  it('names only threads, so its events have no known process', async () => {
    const { events } = await read(bytesOf(TWO_PROCESSORS));
    expect(events.every(({ processId }) => processId === undefined)).toBe(true);
  });

  it('has wall-clock times if it was recorded with --date', async () => {
    const { trace, events } = await read(bytesOf({ ...TWO_PROCESSORS, date: '0x5f5e100' }));
    expect(events[0]?.timestamp).toBe(100_000_000_000n + 1000n);
    expect(events[0]?.timeSinceStart).toBe(0n);
    expect(trace.info.hasWallTime).toBe(true);
  });

  it('says so if its clock does not count nanoseconds', async () => {
    const { trace } = await read(bytesOf({ ...TWO_PROCESSORS, clock: 'counter' }));
    expect(trace.info.problems).toEqual(['The times are counts of the clock "counter", not nanoseconds.']);
  });

  it('counts overwritten events', async () => {
    const { trace, events } = await read(bytesOf({ pages: [[page(1n, [{ after: 0, number: 1 }], 17n)]] }));
    expect(events).toHaveLength(1);
    expect(trace.lostEvents).toBe(17);
  });

  it('names events without a format by the number of their tracepoint', async () => {
    const { events } = await read(bytesOf({ pages: [[page(1n, [{ after: 0, number: 1, type: 999 }])]] }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ provider: 'tracepoint', name: '999' });
  });

  it('may have no events at all', async () => {
    const { events, fault } = await read(bytesOf({ pages: [[], []] }));
    expect([events, fault]).toEqual([[], undefined]);
  });

  it('delivers all events before the damage, wherever it is cut off', async () => {
    const whole = bytesOf(TWO_PROCESSORS);
    for (let size = 12; size < whole.length; size += 211) {
      const cut = whole.slice(0, size);
      const outcome = await read(cut).catch((error: unknown) => ({ events: [], fault: error }));
      expect(outcome.events.length).toBeLessThanOrEqual(5);
      if (outcome.fault !== undefined) expect(outcome.fault).toMatchObject({ name: 'TraceError' });
      else expect(outcome.events).toHaveLength(5);
    }
  });

  it('is rejected with a sentence, or read, whichever byte is damaged', async () => {
    const whole = bytesOf(TWO_PROCESSORS);
    for (let at = 0; at < whole.length; at += 151) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      const { fault } = await read(damaged).catch((error: unknown) => ({ fault: error }));
      if (fault !== undefined) expect(fault).toMatchObject({ name: 'TraceError' });
    }
  });
});

describe('a trace.dat', () => {
  it('has the events of its instances, too', async () => {
    const instance = [[page(1015n, [{ after: 0, number: 9 }])], []];
    const { events, fault } = await read(version6({ ...TWO_PROCESSORS, instance }));
    expect(fault).toBeUndefined();
    expect(numbersOf(events)).toEqual([1, 2, 9, 3, 4, 5]);
  });

  it("has ftrace's own events", async () => {
    const pages = [[page(1n, [{ after: 0, number: 1, type: MARKER }])]];
    const { events } = await read(version7({ pages }));
    expect(events[0]).toMatchObject({ provider: 'ftrace', name: 'print' });
  });

  it('names the functions that the function tracer has met, as trace-cmd does', async () => {
    const pages = [[pageOf([entryHead(4, 0), FUNCTION, 71, 0x8100_0104, 0xffff_ffff], { time: 1n })]];
    const symbols = 'ffffffff81000000 T first\nffffffff81000100 t schedule\nffffffff81000200 T last\n';
    const { events } = await read(version7({ pages, symbols }));
    expect(events[0]?.payload.ip).toBe(0xffff_ffff_8100_0104n);
    expect(events[0]?.fieldText('ip')).toBe('schedule');
    const without = await read(version7({ pages }));
    expect(without.events[0]?.fieldText('ip')).toBeUndefined();
  });

  it('is read once if its descriptions are damaged, and again only if they are longer than what was read', async () => {
    const readsOf = (change: (bytes: Buffer) => void) => {
      const bytes = Buffer.concat([version6(TWO_PROCESSORS), Buffer.alloc(5 << 20)]);
      change(bytes);
      const reading = readTraceDatHead();
      // Those that are answered before the fault.
      let reads = 0;
      let step = reading.next();
      try {
        for (; !step.done; reads++) step = reading.next(bytes.subarray(step.value.start, step.value.end));
      } catch (error) {
        expect(error).toMatchObject({ name: 'TraceError' });
      }
      return reads;
    };
    expect(readsOf((bytes) => bytes.write('x', bytes.indexOf('header_event')))).toBe(1);
    // The size of its text is more than the first 4 MB.
    const size = 'header_page\0'.length;
    expect(readsOf((bytes) => bytes.writeBigUInt64LE(5n << 20n, bytes.indexOf('header_page') + size))).toBe(
      2,
    );
  });

  it.each([
    [
      'another version',
      (bytes: Buffer) => bytes.write('8', 10),
      'Version 8 of trace.dat is not supported, only 6 and 7.',
    ],
    [
      'a big-endian machine',
      (bytes: Buffer) => bytes.writeUInt8(1, 12),
      'A trace.dat of a big-endian machine is not supported.',
    ],
    [
      'another compression',
      (bytes: Buffer) => bytes.write('lzip', 18),
      'The compression "lzip" is not supported, only zlib and zstd.',
    ],
  ])('of %s is rejected', async (_, change, sentence) => {
    const bytes = Buffer.from(version7(TWO_PROCESSORS));
    change(bytes);
    await expect(openTrace(bytes)).rejects.toThrow(sentence);
  });

  it('that trace-cmd has not completed is rejected, with the remedy', async () => {
    const bytes = Buffer.from(version7(TWO_PROCESSORS));
    bytes.writeBigUInt64LE(0n, bytes.indexOf('none\0') + 'none\0'.length + 2);
    await expect(openTrace(bytes)).rejects.toThrow('Try "trace-cmd restore".');
  });

  it('whose options form a cycle is rejected', async () => {
    const bytes = Buffer.from(version7(TWO_PROCESSORS));
    const options = bytes.readBigUInt64LE(bytes.indexOf('none\0') + 'none\0'.length + 2);
    bytes.writeBigUInt64LE(options, bytes.length - 8);
    await expect(openTrace(bytes)).rejects.toThrow('A trace.dat has at most 1024 sections.');
  });
});
