/** Traces of Windows XP, Server 2003 and Vista: their headers, buffers and versions of the kernel's events. */
import { describe, expect, it } from 'vitest';
import { bufferBytes, etlBytes, kernelRecord, RAW_START, START_NS, utf16 } from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { at, idsOf, readEtl } from './read-etl.ts';

const XP = { isXp: true, is32Bit: true };
const bytes = () => new Bytes(true);

describe('a trace of Windows XP', () => {
  it('says so', async () => {
    const { reader, events } = await readEtl(etlBytes([bufferBytes([at(3)])], XP));
    expect(reader.info).toMatchObject({ pointerSize: 4, properties: { osVersion: '5.1.2600' } });
    expect(events[0]?.timestamp).toBe(START_NS + 300n);
  });

  it('counts lost events where later ones have flags', async () => {
    // As flags, this would be a compressed buffer with a lost one.
    const lossy = bufferBytes([at(1), at(2)], { flags: 0x44 });
    const { reader, events, error } = await readEtl(etlBytes([lossy, bufferBytes([at(3)])], XP));
    expect([idsOf(events), error]).toEqual([[1, 2, 3], undefined]);
    expect(reader.progress).toMatchObject({ lostEvents: 1, lostBuffers: 0 });
  });

  it('has threads of version 0, whose ids come in the other order', async () => {
    const thread = kernelRecord({
      type: 1,
      group: 5,
      opcode: 3,
      version: 0,
      time: RAW_START,
      payload: bytes().u32(77).u32(70).done(),
    });
    const sample = kernelRecord({
      type: 0x10,
      group: 15,
      opcode: 46,
      version: 1,
      time: RAW_START + 1n,
      payload: bytes().u32(0x401000).u32(77).u16(1).u16(0).done(),
    });
    const { events } = await readEtl(etlBytes([bufferBytes([thread, sample])], XP));
    expect([events[1]?.processId, events[1]?.threadId]).toEqual([70, 77]);
  });

  it('has names of processes of version 1', async () => {
    const start = kernelRecord({
      type: 1,
      group: 3,
      opcode: 1,
      version: 1,
      time: RAW_START,
      payload: bytes().u32(0x3000).u32(8).u32(4).u32(0).u32(0).u32(0).text('old.exe\0').done(),
    });
    const { reader } = await readEtl(etlBytes([bufferBytes([start])], XP));
    expect([...reader.progress.processNames]).toEqual([[8, 'old.exe']]);
  });
});

describe('an event of the kernel', () => {
  const image = (version: number, more: readonly number[]) =>
    kernelRecord({
      type: 2,
      group: 0x14,
      opcode: 10,
      version,
      time: RAW_START,
      payload: bytes().u64(0x1000n).u64(0x200n).u32(8).raw(utf16('a.dll\0')).raw(more).done(),
    });

  it('of a newer version than known has the known fields, and the rest as bytes', async () => {
    const unknown = kernelRecord({
      group: 1,
      opcode: 12,
      version: 9,
      time: RAW_START,
      payload: bytes().u64(0xabcn).u32(7).u32(0xdead).done(),
    });
    const { events } = await readEtl(etlBytes([bufferBytes([unknown])]));
    expect(events[0]?.toJSON()).toMatchObject({
      name: 'DiskIO/ReadInit',
      version: 9,
      payload: { Irp: '0xabc', IssuingThreadID: 7, Rest: 'adde0000' },
    });
  });

  it('has no rest if there is none, or if it is damaged', async () => {
    const records = [image(1, []), image(1, [1, 2]), image(1, []).slice(0, -14)];
    const short = records[2] as Uint8Array;
    short[4] = short.length;
    const { events } = await readEtl(etlBytes([bufferBytes(records)]));
    const known = { ImageBase: 0x1000n, ImageSize: 0x200n, ProcessID: 8, FileName: 'a.dll' };
    expect(events[0]?.payload).toEqual(known);
    expect(events[1]?.toJSON().payload).toMatchObject({ FileName: 'a.dll', Rest: '0102' });
    expect(Object.keys(events[2]?.payload ?? {})).not.toContain('Rest');
  });
});
