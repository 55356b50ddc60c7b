import { describe, expect, it } from 'vitest';
import { readBuffers } from '../../../lib/trace/etl/buffer-file.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import {
  bufferBytes,
  classicRecord,
  etlBytes,
  kernelRecord,
  messageRecord,
  RAW_START,
} from '../../wire/etl/etl-bytes.ts';
import { at, idsOf, readEtl } from './read-etl.ts';

describe('losses', () => {
  it('are those that the log header counts', async () => {
    const { reader } = await readEtl(etlBytes([], { eventsLost: 3, buffersLost: 4 }));
    expect(reader.progress).toMatchObject({ lostEvents: 3, lostBuffers: 4 });
  });

  it('are at least one for each buffer that reports any', async () => {
    const { reader } = await readEtl(
      etlBytes([bufferBytes([at(1)], { flags: 2 }), bufferBytes([], { flags: 6 })]),
    );
    expect(reader.progress).toMatchObject({ lostEvents: 2, lostBuffers: 1 });
  });
});

it('an .etl with very many buffers is read up to a limit', async () => {
  const bytes = etlBytes([bufferBytes([at(1)]), bufferBytes([at(2)])]);
  const read = async (max: number) => {
    let count = 0;
    for await (const _ of readBuffers(
      await new MemorySource(bytes).seekable(),
      { isBeforeVista: false },
      max,
    ))
      count++;
    return count;
  };
  expect(await read(3)).toBe(3);
  await expect(read(2)).rejects.toThrow('The file has more than 2 buffers, which is not supported.');
});

describe('a damaged .etl', () => {
  const buffers = [bufferBytes([at(1), at(2)]), bufferBytes([at(3), at(4)])];

  it('that ends inside a buffer delivers what precedes it', async () => {
    const whole = etlBytes(buffers);
    const { reader, events, error } = await readEtl(whole.subarray(0, whole.length - 100));
    expect(idsOf(events)).toEqual([1, 2, 3]);
    expect(error).toMatchObject({
      code: 'truncated',
      offset: whole.length - bufferBytes([at(3), at(4)]).length,
    });
    expect(reader.progress.bytesRead).toBe(whole.length - 100);
  });

  it('without all buffers that its header counts is truncated', async () => {
    const { events, error } = await readEtl(etlBytes(buffers, { buffersWritten: 4 }));
    expect(idsOf(events)).toEqual([1, 2, 3, 4]);
    expect(error?.message).toMatch(/^The file ends after 3 of its 4 buffers\./);
  });

  it('that was preallocated ends at the first zeros', async () => {
    const { events, error } = await readEtl(Buffer.concat([etlBytes(buffers), new Uint8Array(1000)]));
    expect([idsOf(events), error]).toEqual([[1, 2, 3, 4], undefined]);
  });

  it('delivers what precedes the damage in a buffer, and everything in the next', async () => {
    const damaged = bufferBytes([at(1), at(2)]);
    damaged[0x48 + 0x50 + 3] = 0x11;
    const { events, error } = await readEtl(etlBytes([damaged, buffers[1] as Uint8Array]));
    expect(idsOf(events)).toEqual([1, 3, 4]);
    expect(error).toMatchObject({ code: 'malformed', offset: etlBytes([]).length + 0x98 });
  });

  it("ends where a buffer's size is impossible", async () => {
    const damaged = bufferBytes([at(1), at(2)]);
    damaged.set([1, 0, 0, 0]);
    const { events, error } = await readEtl(etlBytes([buffers[1] as Uint8Array, damaged]));
    expect(idsOf(events)).toEqual([3, 4]);
    expect(error?.message).toMatch(/^A buffer cannot have 1 bytes\./);
  });

  it('never fails otherwise, whatever its bytes are', async () => {
    const whole = etlBytes([
      bufferBytes([at(1), kernelRecord({ group: 3, opcode: 1, time: RAW_START, version: 4 })]),
      bufferBytes([classicRecord({ time: RAW_START }), messageRecord(1, 0xff, new Uint8Array(40))]),
    ]);
    let seed = 1;
    const random = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
      return seed % limit;
    };
    for (let round = 0; round < 500; round++) {
      const bytes = Uint8Array.from(whole);
      for (let i = 0; i < 4; i++) bytes[random(bytes.length)] = random(256);
      try {
        const { events } = await readEtl(bytes);
        for (const event of events) event.toJSON();
      } catch (error) {
        expect(error).toBeInstanceOf(TraceError);
      }
    }
  });
});
