/** Puts small ELF files together for tests: one segment with code, its functions, a build id. */
import { Bytes } from '../perf-data/file-bytes.ts';

export interface ElfParts {
  /** Of the code, in memory; in the file it starts at 0x1000. */
  readonly address?: number;
  readonly functions: readonly {
    /** If it is that of the function before, they share its bytes. */
    readonly name: string;
    readonly address: number;
    readonly size?: number;
    /** 0 local, 1 global, 2 weak. */
    readonly binding?: number;
    /** 0 a label, 2 a function. */
    readonly type?: number;
  }[];
  readonly buildId?: readonly number[];
  readonly isStripped?: boolean;
}

const CODE = 0x1000;
const CODE_SIZE = 0x1000;

export function elfBytes({
  address = 0x40_1000,
  functions,
  buildId = [1, 2, 3, 4],
  isStripped = false,
}: ElfParts) {
  let names = '\0';
  let nameAt = 0;
  let last: string | undefined;
  const symbols = new Bytes(true).raw(new Uint8Array(24));
  for (const { name, address: at, size = 0, binding = 1, type = 2 } of functions) {
    if (name !== last) {
      nameAt = names.length;
      names += `${name}\0`;
      last = name;
    }
    symbols
      .u32(nameAt)
      .raw([(binding << 4) | type, 0])
      .u16(1)
      .u64(at)
      .u64(size);
  }
  const note = new Bytes(true).u32(4).u32(buildId.length).u32(3).text('GNU\0').raw(buildId).done();
  const symbolBytes = symbols.done();
  const noteAt = 64 + 2 * 56;
  const symbolsAt = CODE + CODE_SIZE;
  const namesAt = symbolsAt + symbolBytes.length;
  const sectionsAt = namesAt + names.length;
  const segment = (type: number, at: number, inMemory: number, size: number) => (bytes: Bytes) =>
    bytes.u32(type).u32(5).u64(at).u64(inMemory).u64(inMemory).u64(size).u64(size).u64(4);
  const section = (
    bytes: Bytes,
    type: number,
    flags: number,
    inMemory: number,
    at: number,
    size: number,
    link = 0,
  ) => bytes.u32(0).u32(type).u64(flags).u64(inMemory).u64(at).u64(size).u32(link).u32(0).u64(1).u64(0);
  const bytes = new Bytes(true)
    .raw([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    .u16(3)
    .u16(62)
    .u32(1)
    .u64(0)
    .u64(64)
    .u64(sectionsAt)
    .u32(0)
    .u16(64)
    .u16(56)
    .u16(2)
    .u16(64)
    .u16(isStripped ? 2 : 4)
    .u16(0);
  segment(1, CODE, address, CODE_SIZE)(bytes);
  segment(4, noteAt, 0, note.length)(bytes);
  bytes
    .raw(note)
    .raw(new Uint8Array(symbolsAt - noteAt - note.length))
    .raw(symbolBytes)
    .text(names);
  section(bytes, 0, 0, 0, 0, 0);
  section(bytes, 1, 4, address, CODE, CODE_SIZE);
  section(bytes, 2, 0, 0, symbolsAt, symbolBytes.length, 3);
  section(bytes, 3, 0, 0, namesAt, names.length);
  return bytes.done();
}
