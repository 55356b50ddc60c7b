import { describe, expect, it } from 'vitest';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { PdbFile } from '../../../lib/wire/pdb/pdb-file.ts';
import { pdbBytes } from './pdb-bytes.ts';

const guid = '31985172-45d8-44ed-b92b-943840f8c3d8';
const bytes = pdbBytes({
  guid: guidBytes(guid),
  age: 3,
  sections: [0x1000, 0x5000],
  procedures: [
    { name: 'app::main', section: 1, offset: 0x10, size: 0x20 },
    { name: 'café', section: 2, offset: 0, size: 8 },
    { name: 'elsewhere', section: 9, offset: 0, size: 8 },
  ],
  publics: [
    { name: '?main@app@@YAXXZ', section: 1, offset: 0x10 },
    { name: '?data@app@@3HA', section: 2, offset: 0x40, isCode: false },
  ],
  annotations: [['TMF:', 'first', 'second'], [], ['TMC:']],
});
const open = (file: Uint8Array) =>
  PdbFile.open((offset, size) => file.subarray(offset, Math.min(file.length, offset + size)));

describe('a PDB', () => {
  it('has the id that its image has', () => {
    const { guid: found, age } = open(bytes) ?? {};
    expect([found, age]).toEqual([guid, 3]);
  });

  it('has functions of modules and public ones, relative to the image, and no data', () => {
    expect(open(bytes)?.functions()).toEqual([
      { address: 0x1010, size: 0x20, name: 'app::main' },
      { address: 0x5000, size: 8, name: 'café' },
      { address: 0x1010, size: 0, name: '?main@app@@YAXXZ' },
    ]);
  });

  it('has the annotations of modules', () => {
    expect([...(open(bytes)?.annotations() ?? [])]).toEqual([['TMF:', 'first', 'second'], [], ['TMC:']]);
  });

  it('is not any other file', () => {
    expect(open(Buffer.from('MZ'))).toBeUndefined();
    expect(open(Buffer.alloc(4096))).toBeUndefined();
  });

  it('is read no further than its id until its functions are wanted', () => {
    let size = 0;
    const file = PdbFile.open((offset, length) => {
      size += Math.min(length, bytes.length - offset);
      return bytes.subarray(offset, offset + length);
    });
    expect(file?.guid).toBe(guid);
    expect(size).toBeLessThan(1000);
  });

  it('has no streams that share their blocks', () => {
    const bomb = Buffer.from(bytes);
    const directory = bomb.readUInt32LE(3 * 512) * 512;
    // One of its streams claims all of the file.
    bomb.writeUInt32LE(bytes.length, directory + 4 + 3 * 4);
    expect(open(bomb)).toBeUndefined();
  });

  it('can be cut off or damaged anywhere', () => {
    for (let length = 0; length < bytes.length; length += 7) {
      const file = open(bytes.subarray(0, length));
      file?.functions();
      expect([...(file?.annotations() ?? [])].length).toBeLessThanOrEqual(3);
    }
    for (let at = 0; at < bytes.length; at += 2) {
      for (const value of [0x7f, 0xff]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        expect(open(damaged)?.functions().length ?? 0).toBeLessThan(1000);
        expect([...(open(damaged)?.annotations() ?? [])].flat().length).toBeLessThan(1000);
      }
    }
  });
});
