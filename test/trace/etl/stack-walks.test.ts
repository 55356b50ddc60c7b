import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StackDefinitions } from '../../../lib/trace/etl/stack-definitions.ts';
import { dataFolder, SKIP_REASON } from '../../conformance/data-folder.ts';
import { bufferBytes, etlBytes, kernelRecord, RAW_START } from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { at, readEtl } from './read-etl.ts';

const KERNEL = 0xffff_f800_0000_0000n;
const u64 = (...values: (bigint | number)[]) => {
  const bytes = new Bytes(true);
  for (const value of values) bytes.u64(value);
  return bytes.done();
};
const record = (ticks: number, opcode: number, payload: Uint8Array) =>
  kernelRecord({ type: 0x11, group: 0x18, opcode, time: RAW_START + BigInt(ticks), payload });

/** A sample of a thread, whose stack is to be attached. */
const sample = (ticks: number, thread: number) => {
  const payload = new Bytes(true).u64(0x1234).u32(thread).u32(1).done();
  return kernelRecord({ type: 0x11, group: 15, opcode: 46, time: RAW_START + BigInt(ticks), payload });
};
/** What refers to the event of a thread at a time. */
const reference = (of: number, thread: number, process = 70) => [
  ...u64(RAW_START + BigInt(of)),
  ...new Bytes(true).u32(process).u32(thread).done(),
];
const stack = (ticks: number, of: number, thread: number, ...frames: (bigint | number)[]) =>
  record(ticks, 32, Uint8Array.from([...reference(of, thread), ...u64(...frames)]));
const keyOfKernel = (ticks: number, of: number, thread: number, key: bigint, process = 70) =>
  record(ticks, 37, Uint8Array.from([...reference(of, thread, process), ...u64(key)]));
const keyOfUser = (ticks: number, of: number, thread: number, key: bigint) =>
  record(ticks, 38, Uint8Array.from([...reference(of, thread), ...u64(key)]));
const deleted = (ticks: number, key: bigint, ...frames: (bigint | number)[]) =>
  record(ticks, 35, u64(key, ...frames));
const listed = (ticks: number, key: bigint, ...frames: (bigint | number)[]) =>
  record(ticks, 36, u64(key, ...frames));

const KEY = 0xffff_fa83_0343_e610n;
const OTHER_KEY = 0xffff_fa83_0343_e750n;

async function stacksOf(...records: Uint8Array[]) {
  const { events, reader } = await readEtl(etlBytes([bufferBytes(records)]));
  const samples = events.filter(({ opcode }) => opcode === 46 || opcode === 1);
  return { stacks: samples.map((event) => event.stack), counts: reader.progress.stacks };
}

describe('the stacks of an .etl', () => {
  it('follow their events, the kernel part first', async () => {
    const { stacks } = await stacksOf(
      sample(2, 77),
      stack(3, 2, 77, KERNEL, KERNEL + 1n),
      at(4),
      stack(5, 2, 77, 0x30),
      sample(6, 55),
      stack(7, 6, 55, 0x99),
    );
    expect(stacks).toEqual([[KERNEL, KERNEL + 1n, 0x30n], undefined, [0x99n]]);
  });

  it('may be stored under keys whose frames come later', async () => {
    const { stacks, counts } = await stacksOf(
      sample(2, 77),
      keyOfKernel(3, 2, 77, KEY),
      keyOfUser(4, 2, 77, OTHER_KEY),
      listed(90, OTHER_KEY, 0x30, 0x40),
      listed(91, KEY, KERNEL),
    );
    expect(stacks).toEqual([[KERNEL, 0x30n, 0x40n]]);
    expect(counts).toEqual({ events: 1, withoutEvent: 0, withoutFrames: 0, withoutUserPart: 0 });
  });

  it('are those that a key represented at the time', async () => {
    const { stacks } = await stacksOf(
      sample(2, 77),
      keyOfUser(3, 2, 77, KEY),
      deleted(4, KEY, 0x10),
      sample(5, 77),
      keyOfUser(6, 5, 77, KEY),
      deleted(7, KEY, 0x20),
      sample(8, 77),
      keyOfUser(9, 8, 77, KEY),
      listed(90, KEY, 0x30),
    );
    expect(stacks).toEqual([[0x10n], [0x20n], [0x30n]]);
  });

  it('of the kernel and of user mode may share a key', async () => {
    const { stacks } = await stacksOf(
      sample(2, 77),
      keyOfKernel(3, 2, 77, KEY),
      keyOfUser(4, 2, 77, KEY),
      listed(90, KEY, 0x30),
      listed(91, KEY, KERNEL),
    );
    expect(stacks).toEqual([[KERNEL, 0x30n]]);
  });

  it('end in user mode for all events since the thread entered the kernel', async () => {
    const { stacks, counts } = await stacksOf(
      sample(2, 77),
      stack(3, 2, 77, KERNEL),
      sample(4, 77),
      keyOfKernel(5, 4, 77, KEY),
      sample(6, 55),
      stack(7, 6, 55, KERNEL + 5n),
      keyOfUser(8, 4, 77, OTHER_KEY),
      sample(9, 77),
      listed(90, KEY, KERNEL + 1n),
      listed(91, OTHER_KEY, 0x30),
    );
    expect(stacks).toEqual([[KERNEL, 0x30n], [KERNEL + 1n, 0x30n], [KERNEL + 5n], undefined]);
    expect(counts).toMatchObject({ events: 3, withoutUserPart: 1 });
  });

  it('of Idle and System are only in the kernel', async () => {
    const { counts } = await stacksOf(sample(2, 77), keyOfKernel(3, 2, 77, KEY, 4), listed(90, KEY, KERNEL));
    expect(counts).toMatchObject({ events: 1, withoutUserPart: 0 });
  });

  it("of a thread's start are those of the thread that starts it", async () => {
    const start = kernelRecord({
      group: 5,
      opcode: 1,
      version: 3,
      time: RAW_START + 2n,
      threadId: 77,
      payload: new Bytes(true).u32(70).u32(88).done(),
    });
    const { stacks } = await stacksOf(start, keyOfUser(3, 2, 77, KEY), listed(90, KEY, 0x30));
    expect(stacks).toEqual([[0x30n]]);
  });

  it('that belong to nothing in the trace, or have no frames in it, are counted', async () => {
    const { stacks, counts } = await stacksOf(
      sample(2, 77),
      keyOfUser(3, 2, 77, OTHER_KEY),
      stack(4, 1_000, 77, 0x98),
      deleted(5, KEY, 0x30),
      sample(6, 77),
      keyOfUser(7, 6, 77, KEY),
    );
    expect(stacks).toEqual([undefined, undefined]);
    expect(counts).toEqual({ events: 0, withoutEvent: 1, withoutFrames: 2, withoutUserPart: 0 });
  });

  it('that are too short for their contents are ignored', async () => {
    const { stacks } = await stacksOf(
      sample(2, 77),
      record(3, 32, Uint8Array.from(reference(2, 77))),
      record(4, 37, u64(KEY)),
      record(5, 35, u64(KEY)),
      record(6, 36, u64()),
    );
    expect(stacks).toEqual([undefined]);
  });

  it('are bounded in memory', async () => {
    const definitions = new StackDefinitions(150);
    const { events } = await readEtl(
      etlBytes([bufferBytes([listed(1, KEY, 0x10), listed(2, OTHER_KEY, 0x20)])]),
    );
    for (const event of events) definitions.learn(event as never, 0);
    const keys = [KEY, OTHER_KEY].map((key) => Number(key & 0x1f_ffff_ffff_ffffn));
    expect(keys.map((key) => definitions.find('user', key, 0) !== undefined)).toEqual([true, false]);
  });
});

const recording = join(dataFolder ?? '', 'etl', 'net.4.5.2.x64.etl');
const isThere = dataFolder !== undefined && existsSync(recording);

describe.skipIf(!isThere)(`the stacks of a recording of Windows 8 (${SKIP_REASON})`, () => {
  it('are all joined', async () => {
    const { events, reader } = await readEtl(readFileSync(recording));
    const counts: Record<string, number> = {};
    let frames = 0;
    for (const { provider, name, stack } of events) {
      if (stack === undefined || provider !== 'Windows Kernel') continue;
      counts[name] = (counts[name] ?? 0) + 1;
      frames += stack.length;
    }
    expect(counts).toEqual({
      'PerfInfo/Sample': 6318,
      'DiskIO/ReadInit': 1208,
      'DiskIO/WriteInit': 21,
      'DiskIO/FlushInit': 2,
      'Memory/HardFault': 153,
      'Thread/Start': 9,
    });
    expect(frames).toBe(207_949);
    // The threads of the others had not left the kernel when the recording ended.
    expect(reader.progress.stacks).toEqual({
      events: 7_746,
      withoutEvent: 0,
      withoutFrames: 0,
      withoutUserPart: 17,
    });
  });
});
