import { describe, expect, it } from 'vitest';
import { bufferBytes, etlBytes, kernelRecord, RAW_START } from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { readEtl } from './read-etl.ts';

describe('kernel records', () => {
  const u32s = (...values: number[]) => {
    const bytes = new Bytes(true);
    for (const value of values) bytes.u32(value);
    return bytes.done();
  };
  const switchTo = (ticks: number, thread: number) =>
    kernelRecord({
      type: 0x11,
      group: 5,
      opcode: 36,
      time: RAW_START + BigInt(ticks),
      payload: u32s(thread, 0),
    });
  const other = (ticks: number) =>
    kernelRecord({ type: 0x11, group: 200, opcode: 1, time: RAW_START + BigInt(ticks) });

  it('without ids belong to the thread that was last switched to on their processor', async () => {
    const thread = kernelRecord({ group: 5, opcode: 3, version: 3, time: RAW_START, payload: u32s(70, 77) });
    const bytes = etlBytes([
      bufferBytes([thread], { processor: 0 }),
      bufferBytes([other(1), switchTo(2, 77), other(3)], { processor: 1 }),
      bufferBytes([other(4), switchTo(5, 88), other(6)], { processor: 2 }),
    ]);
    const { events } = await readEtl(bytes);
    const ids = events.filter(({ opcode }) => opcode === 1).map((event) => [event.processId, event.threadId]);
    expect(ids).toEqual([
      [undefined, undefined],
      [70, 77],
      [undefined, undefined],
      [undefined, 88],
    ]);
  });

  it('belong to the thread that their payload names', async () => {
    const sample = kernelRecord({
      type: 0x11,
      group: 15,
      opcode: 46,
      time: RAW_START + 3n,
      payload: new Bytes(true).u64(0x1234).u32(99).u32(1).done(),
    });
    const { events } = await readEtl(etlBytes([bufferBytes([switchTo(2, 77), sample])]));
    expect(events[1]?.threadId).toBe(99);
  });

  it('belong to the process and thread that they are about, not those that ran', async () => {
    const about = (ticks: number, group: number, opcode: number, payload: Uint8Array) =>
      kernelRecord({ group, opcode, version: 3, time: RAW_START + BigInt(ticks), payload });
    const image = (process: number) => new Bytes(true).u64(0x1000).u64(0x100).u32(process).done();
    const { events } = await readEtl(
      etlBytes([
        bufferBytes([about(1, 5, 1, u32s(20, 21)), about(2, 20, 10, image(20)), about(3, 20, 10, image(10))]),
      ]),
    );
    // The records say that thread 11 of process 10 ran.
    expect(events.map(({ processId, threadId }) => [processId, threadId])).toEqual([
      [20, 21],
      [20, undefined],
      [10, 11],
    ]);
  });

  it('contain the names of processes', async () => {
    const process = (ticks: number, opcode: number, id: number, name: string) => {
      const payload = new Bytes(true).u64(0).u32(id).u32(4).u32(0).u32(0).u64(0).u32(0).u32(0);
      return kernelRecord({
        group: 3,
        opcode,
        version: 4,
        time: RAW_START + BigInt(ticks),
        payload: payload.text(`${name}\0\0\0\0\0\0\0`).done(),
      });
    };
    const bytes = etlBytes([
      bufferBytes([
        process(1, 3, 10, 'old.exe'),
        process(2, 1, 10, 'new.exe'),
        process(3, 4, 20, 'last.exe'),
      ]),
    ]);
    const { reader } = await readEtl(bytes);
    expect([...reader.progress.processNames]).toEqual([
      [10, 'new.exe'],
      [20, 'last.exe'],
    ]);
  });
});
