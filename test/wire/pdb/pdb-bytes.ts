/** Puts small PDB files together for tests: one module with procedures, public symbols, sections. */

export interface PdbParts {
  readonly guid: Uint8Array;
  readonly age: number;
  /** Where each section begins in the image. */
  readonly sections: readonly number[];
  /** With sizes, in a module. */
  readonly procedures: readonly {
    readonly name: string;
    readonly section: number;
    readonly offset: number;
    readonly size: number;
  }[];
  readonly publics: readonly {
    readonly name: string;
    readonly section: number;
    readonly offset: number;
    readonly isCode?: boolean;
  }[];
  /** The texts of each, in the module. */
  readonly annotations?: readonly (readonly string[])[];
}

const BLOCK = 512;
const NONE = 0xffff;
const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const padded = (bytes: Buffer, size: number) =>
  Buffer.concat([bytes, Buffer.alloc(Math.ceil(bytes.length / size) * size - bytes.length)]);

function record(kind: number, ...parts: Buffer[]): Buffer {
  const body = padded(Buffer.concat([u16(0), u16(kind), ...parts]), 4);
  body.writeUInt16LE(body.length - 2);
  return body;
}

export function pdbBytes({ guid, age, sections, procedures, publics, annotations = [] }: PdbParts): Buffer {
  const info = Buffer.concat([u32(20_000_404, 0, age), guid]);
  const module = Buffer.concat([
    u32(4),
    ...procedures.map(({ name, section, offset, size }) =>
      record(0x1110, u32(0, 0, 0, size, 0, 0, 0, offset), u16(section), Buffer.from(`\0${name}\0`)),
    ),
    ...annotations.map((texts) =>
      record(
        0x1019,
        u32(0),
        u16(1),
        u16(texts.length),
        Buffer.from(texts.map((text) => `${text}\0`).join('')),
      ),
    ),
  ]);
  const symbols = Buffer.concat(
    publics.map(({ name, section, offset, isCode = true }) =>
      record(0x110e, u32(isCode ? 2 : 0, offset), u16(section), Buffer.from(`${name}\0`)),
    ),
  );
  const headers = Buffer.concat(
    sections.map((address) => Buffer.concat([Buffer.alloc(8), u32(0x1000, address), Buffer.alloc(24)])),
  );
  const moduleInfo = Buffer.alloc(64);
  moduleInfo.writeUInt16LE(6, 34);
  moduleInfo.writeUInt32LE(module.length, 36);
  const modules = padded(Buffer.concat([moduleInfo, Buffer.from('app.obj\0app.lib\0')]), 4);
  const debug = Buffer.concat([...Array.from({ length: 5 }, () => u16(NONE)), u16(4)]);
  const dbi = Buffer.concat([
    u32(0xffff_ffff, 19_990_903, age),
    Buffer.concat([NONE, 0, NONE, 0, 5, 0].map(u16)),
    u32(modules.length, 0, 0, 0, 0, 0, debug.length, 0, 0, 0),
    modules,
    debug,
  ]);
  const streams = [Buffer.alloc(0), info, Buffer.alloc(0), dbi, headers, symbols, module];
  const blocks: Buffer[] = [];
  // After the header, the free block maps, and the map of the directory.
  const first = 4;
  const numbers = streams.flatMap((stream) => {
    const all = padded(stream, BLOCK);
    return Array.from({ length: all.length / BLOCK }, (_, index) => {
      blocks.push(all.subarray(index * BLOCK, (index + 1) * BLOCK));
      return first + blocks.length - 1;
    });
  });
  const directory = u32(streams.length, ...streams.map(({ length }) => length), ...numbers);
  const directoryBlock = first + blocks.length;
  const header = padded(
    Buffer.concat([
      Buffer.from('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0', 'latin1'),
      u32(BLOCK, 1, directoryBlock + Math.ceil(directory.length / BLOCK), directory.length, 0, 3),
    ]),
    BLOCK,
  );
  const map = padded(u32(directoryBlock), BLOCK);
  return Buffer.concat([header, Buffer.alloc(2 * BLOCK), map, ...blocks, padded(directory, BLOCK)]);
}
