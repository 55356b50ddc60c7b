/**
 * The functions in an ELF file: 64 bits, little-endian. It is read in chunks, and nothing in it is trusted: sizes are
 * limited, and anything outside the file does not exist.
 * Source: System V Application Binary Interface, `elf.h`.
 */
import { hexText, viewOf } from '../../base/bytes.ts';

/** Reads up to `size` bytes from `offset`; fewer at the end of the file. */
export type ReadBytes = (offset: number, size: number) => Uint8Array;

const MAGIC = 0x464c457f;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const HEADER_SIZE = 64;
const SECTION_SIZE = 64;
const SEGMENT_SIZE = 56;
const SYMBOL_SIZE = 24;
const PT_LOAD = 1;
const PT_NOTE = 4;
const SHT_SYMTAB = 2;
const SHT_NOTE = 7;
const SHT_DYNSYM = 11;
const NT_GNU_BUILD_ID = 3;
const EXECUTABLE = 4n;

const MAX_HEADERS = 4096;
const MAX_NOTES = 64 << 10;
const MAX_SYMBOLS = 4_000_000;
const MAX_NAMES = 256 << 20;

const TYPE_NONE = 0;
const TYPE_FUNCTION = 2;
const TYPE_IFUNC = 10;
const FIRST_RESERVED_SECTION = 0xff00;

interface ElfSegment {
  readonly fileOffset: number;
  readonly fileSize: number;
  readonly address: number;
}

interface ElfSymbol {
  readonly address: number;
  readonly size: number;
  /** Its position in `names`. */
  readonly name: number;
  readonly binding: number;
  /** Its section ends here. */
  readonly limit: number | undefined;
}

interface Section {
  readonly type: number;
  readonly isCode: boolean;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

export class ElfFile {
  readonly segments: readonly ElfSegment[];
  /** The build id in hex. */
  readonly buildId: string | undefined;
  readonly #read: ReadBytes;
  readonly #sections: readonly Section[];

  private constructor(read: ReadBytes, header: DataView) {
    this.#read = read;
    this.#sections = table(read, header, [0x28, 0x3a, 0x3c], SECTION_SIZE, sectionAt);
    const segments = table(read, header, [0x20, 0x36, 0x38], SEGMENT_SIZE, segmentAt);
    this.segments = segments.filter(({ type }) => type === PT_LOAD);
    const notes = segments.filter(({ type }) => type === PT_NOTE);
    // Files that perf makes of a jitdump have them in sections only.
    for (const { type, offset: fileOffset, size: fileSize, address } of this.#sections) {
      if (type === SHT_NOTE) notes.push({ type, fileOffset, fileSize, address });
    }
    this.buildId = notes
      .map(({ fileOffset, fileSize }) => buildIdIn(read(fileOffset, Math.min(fileSize, MAX_NOTES))))
      .find((id) => id !== undefined);
  }

  /** @returns undefined if it is not such a file */
  static open(read: ReadBytes): ElfFile | undefined {
    const header = viewOf(read(0, HEADER_SIZE));
    if (header.byteLength < HEADER_SIZE || header.getUint32(0, true) !== MAGIC) return undefined;
    if (header.getUint8(4) !== CLASS_64 || header.getUint8(5) !== LITTLE_ENDIAN) return undefined;
    return new ElfFile(read, header);
  }

  /** Its functions in no particular order, from .symtab, otherwise .dynsym. */
  functions(): { readonly symbols: readonly ElfSymbol[]; readonly names: Uint8Array } | undefined {
    const sections = this.#sections;
    const symtab =
      sections.find(({ type }) => type === SHT_SYMTAB) ?? sections.find(({ type }) => type === SHT_DYNSYM);
    const strings = symtab && sections[symtab.link];
    if (symtab === undefined || strings === undefined || strings.size > MAX_NAMES) return undefined;
    const bytes = this.#read(symtab.offset, Math.min(symtab.size, MAX_SYMBOLS * SYMBOL_SIZE));
    const view = viewOf(bytes);
    const symbols: ElfSymbol[] = [];
    for (let at = 0; at + SYMBOL_SIZE <= bytes.length; at += SYMBOL_SIZE) {
      if (this.#isFunction(view, at)) symbols.push(this.#symbolAt(view, at));
    }
    return { symbols, names: this.#read(strings.offset, strings.size) };
  }

  #symbolAt(view: DataView, at: number): ElfSymbol {
    const section = this.#sections[view.getUint16(at + 6, true)];
    return {
      address: numberAt(view, at + 8),
      size: numberAt(view, at + 16),
      name: view.getUint32(at, true),
      binding: view.getUint8(at + 4) >> 4,
      limit: section && section.address + section.size,
    };
  }

  /** Functions, and labels of assembly code that are visible to other files. */
  #isFunction(view: DataView, at: number): boolean {
    const section = view.getUint16(at + 6, true);
    if (view.getUint32(at, true) === 0 || section === 0) return false;
    const type = view.getUint8(at + 4) & 15;
    if (type === TYPE_FUNCTION || type === TYPE_IFUNC) return true;
    const isVisible = [0, 3].includes(view.getUint8(at + 5) & 3);
    return (
      type === TYPE_NONE &&
      isVisible &&
      section < FIRST_RESERVED_SECTION &&
      this.#sections[section]?.isCode === true
    );
  }
}

function sectionAt(view: DataView, at: number): Section {
  return {
    type: view.getUint32(at + 4, true),
    isCode: (view.getBigUint64(at + 8, true) & EXECUTABLE) !== 0n,
    address: numberAt(view, at + 16),
    offset: numberAt(view, at + 24),
    size: numberAt(view, at + 32),
    link: view.getUint32(at + 40, true),
  };
}

function segmentAt(view: DataView, at: number) {
  return {
    type: view.getUint32(at, true),
    fileOffset: numberAt(view, at + 8),
    address: numberAt(view, at + 16),
    fileSize: numberAt(view, at + 32),
  };
}

/** The entries of a table of the header, which contains at `places` its position, entry size and number of entries. */
function table<T>(
  read: ReadBytes,
  header: DataView,
  [offset, size, count]: readonly [number, number, number],
  expectedSize: number,
  entryAt: (view: DataView, at: number) => T,
): T[] {
  if (header.getUint16(size, true) !== expectedSize) return [];
  const wanted = Math.min(header.getUint16(count, true), MAX_HEADERS) * expectedSize;
  const view = viewOf(read(numberAt(header, offset), wanted));
  const entries: T[] = [];
  for (let at = 0; at + expectedSize <= view.byteLength; at += expectedSize) entries.push(entryAt(view, at));
  return entries;
}

/** Layout of a note: sizes of name and content u32, type u32, name, content, each padded to 4 bytes. */
function buildIdIn(bytes: Uint8Array): string | undefined {
  const view = viewOf(bytes);
  for (let at = 0; at + 12 <= bytes.length; ) {
    const content = at + 12 + padded(view.getUint32(at, true));
    const size = view.getUint32(at + 4, true);
    if (view.getUint32(at + 8, true) === NT_GNU_BUILD_ID)
      return hexText(bytes.subarray(content, content + size));
    at = content + padded(size);
  }
  return undefined;
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}

function numberAt(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
