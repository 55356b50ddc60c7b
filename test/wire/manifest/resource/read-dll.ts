/** Reads the resources of a DLL as Windows does, and fails where anything is not as the format says. */
import { expect } from 'vitest';

export interface ReadResource {
  readonly type: string | number;
  readonly id: string | number;
  readonly language: string | number;
  readonly data: Buffer;
}

export function resourcesOf(dll: Uint8Array): ReadResource[] {
  const file = Buffer.from(dll);
  expect(file.toString('latin1', 0, 2)).toBe('MZ');
  const header = file.readUInt32LE(0x3c);
  expect(file.toString('latin1', header, header + 4)).toBe('PE\0\0');
  const optional = header + 24;
  expect(file.readUInt16LE(header + 6), 'sections').toBe(1);
  expect(file.readUInt16LE(optional), 'PE32+').toBe(0x20b);
  const section = optional + file.readUInt16LE(header + 20);
  const [size, address, fileSize, start] = [8, 12, 16, 20].map((at) => file.readUInt32LE(section + at)) as [
    number,
    number,
    number,
    number,
  ];
  expect(section + 40).toBeLessThanOrEqual(file.readUInt32LE(optional + 60));
  expect(file.readUInt32LE(optional + 56), 'image size').toBe(address + Math.ceil(size / 0x1000) * 0x1000);
  expect([file.readUInt32LE(optional + 128), file.readUInt32LE(optional + 132)]).toEqual([address, size]);
  expect(start + fileSize).toBe(file.length);
  return directory(file.subarray(start, start + size), address, 0, []);
}

function directory(section: Buffer, address: number, at: number, path: (string | number)[]): ReadResource[] {
  const names = section.readUInt16LE(at + 12);
  const count = names + section.readUInt16LE(at + 14);
  const keys: (string | number)[] = [];
  const found = Array.from({ length: count }, (_, index) => {
    const entry = at + 16 + 8 * index;
    const [name, offset] = [section.readUInt32LE(entry), section.readUInt32LE(entry + 4)];
    expect(name >= 0x8000_0000, 'names come first').toBe(index < names);
    const key = index < names ? text(section, name - 0x8000_0000) : name;
    keys.push(key);
    if (offset >= 0x8000_0000) return directory(section, address, offset - 0x8000_0000, [...path, key]);
    const start = section.readUInt32LE(offset) - address;
    const data = section.subarray(start, start + section.readUInt32LE(offset + 4));
    const [type = '', id = '', language = ''] = [...path, key];
    return [{ type, id, language, data }];
  });
  const numbers = keys.slice(names) as number[];
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  return found.flat();
}

function text(section: Buffer, at: number): string {
  return section.toString('utf16le', at + 2, at + 2 + 2 * section.readUInt16LE(at));
}
