import { describe, expect, it } from 'vitest';
import { JitDump } from '../../lib/symbols/jit-dump.ts';
import { Bytes } from '../wire/perf-data/file-bytes.ts';

const record = (type: number, time: number, body: Uint8Array) =>
  new Bytes(true)
    .u32(type)
    .u32(16 + body.length)
    .u64(time)
    .raw(body)
    .done();
const load = (time: number, address: number, size: number, index: number, name: string) => {
  const body = new Bytes(true).u32(42).u32(42).u64(address).u64(address).u64(size).u64(index);
  return record(0, time, body.text(`${name}\0`).raw(new Uint8Array(size)).done());
};
const move = (time: number, from: number, to: number, size: number, index: number) =>
  record(1, time, new Bytes(true).u32(42).u32(42).u64(to).u64(from).u64(to).u64(size).u64(index).done());

function dump(...records: Uint8Array[]) {
  const bytes = new Bytes(true).u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(42).u64(0).u64(0);
  for (const each of records) bytes.raw(each);
  return bytes.done();
}

describe('a jitdump', () => {
  it('has functions where they were at a time', () => {
    const read = JitDump.read(dump(load(10, 0x1000, 0x20, 1, 'f'), load(20, 0x1000, 0x20, 2, 'g')));
    expect([15, 20, 30].map((time) => read?.nameAt(0x101f, time))).toEqual(['f', 'g', 'g']);
    expect(read?.nameAt(0x1020, 30)).toBeUndefined();
  });

  it('has functions that have moved', () => {
    const read = JitDump.read(dump(load(10, 0x1000, 0x20, 7, 'f'), move(20, 0x1000, 0x5000, 0x20, 7)));
    expect(read?.nameAt(0x5001, 30)).toBe('f');
  });

  it('is read up to its end or the first damage, other records are skipped', () => {
    const whole = dump(
      record(2, 5, new Uint8Array(8)),
      load(10, 0x1000, 0x20, 1, 'f'),
      load(20, 0x2000, 8, 2, 'g'),
    );
    expect(JitDump.read(whole.subarray(0, whole.length - 4))?.nameAt(0x1000, 50)).toBe('f');
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.slice();
      damaged[at] = 0xff;
      expect(() => JitDump.read(damaged)).not.toThrow();
    }
    expect(JitDump.read(new Uint8Array(100))).toBeUndefined();
  });
});
