import { describe, expect, it } from 'vitest';
import { ElfFile } from '../../../lib/wire/elf/elf-file.ts';
import { elfBytes } from './elf-bytes.ts';

const open = (bytes: Uint8Array) => ElfFile.open((offset, size) => bytes.subarray(offset, offset + size));
const functions = [
  { name: 'main', address: 0x40_1000, size: 0x20 },
  { name: 'helper', address: 0x40_1020, size: 0x10, binding: 0 },
  { name: 'data', address: 0x40_1080, size: 0x10, type: 1 },
];

describe('an ELF file', () => {
  it('has segments, functions and a build id', () => {
    const elf = open(elfBytes({ functions, buildId: [0xab, 0xcd] }));
    expect(elf?.segments).toMatchObject([{ fileOffset: 0x1000, address: 0x40_1000, fileSize: 0x1000 }]);
    expect(elf?.buildId).toBe('abcd');
    const found = elf?.functions();
    expect(found?.symbols).toMatchObject([
      { address: 0x40_1000, size: 0x20, binding: 1, limit: 0x40_2000 },
      { address: 0x40_1020, size: 0x10, binding: 0 },
    ]);
    expect(found && Buffer.from(found.names).toString()).toBe('\0main\0helper\0data\0');
  });

  it('may have its build id in a section only, like those that perf makes of a jitdump', () => {
    const bytes = elfBytes({ functions, buildId: [0xab] });
    const note = 64 + 2 * 56;
    // Only one segment, and the first section becomes that of the note.
    bytes[56] = 1;
    const section = new DataView(bytes.buffer, bytes.length - 4 * 64);
    section.setUint32(4, 7, true);
    section.setUint32(24, note, true);
    section.setUint32(32, 17, true);
    expect(open(bytes)?.buildId).toBe('ab');
  });

  it('may be stripped', () => {
    expect(open(elfBytes({ functions, isStripped: true }))?.functions()).toBeUndefined();
  });

  it('must have the expected format', () => {
    expect(open(new Uint8Array(0))).toBeUndefined();
    expect(open(Buffer.from('#!/bin/sh\n'.repeat(20)))).toBeUndefined();
  });

  it('may be damaged anywhere', () => {
    const bytes = elfBytes({ functions });
    for (let at = 0; at < 64 + 2 * 56 + 40; at++) {
      const damaged = bytes.slice();
      damaged[at] = 0xff;
      expect(() => open(damaged)?.functions()).not.toThrow();
    }
    for (let at = bytes.length - 4 * 64; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = 0xff;
      expect(() => open(damaged)?.functions()).not.toThrow();
    }
    for (const size of [10, 100, 0x1800, bytes.length - 100]) {
      expect(() => open(bytes.subarray(0, size))?.functions()).not.toThrow();
    }
  });
});
