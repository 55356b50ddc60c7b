/**
 * The functions in a PDB, the file with the symbols of a Windows program or library: those of its modules with sizes
 * and readable names, public symbols, and annotations. Source: LLVM, "The PDB File Format"; Microsoft, `cvinfo.h`.
 */
import { viewOf } from '../../base/bytes.ts';
import type { ReadBytes } from '../elf/elf-file.ts';
import { guidText } from '../guid.ts';
import { MsfFile } from './msf-file.ts';

const INFO_STREAM = 1;
const DBI_STREAM = 3;
const INFO_SIZE = 28;
const DBI_HEADER_SIZE = 64;
const MODULE_SIZE = 64;
const SECTION_SIZE = 40;
const NONE = 0xffff;
/** The index among the streams of the optional debug header. */
const SECTION_HEADERS = 5;

const S_PUB32 = 0x110e;
const PROCEDURES: ReadonlySet<number> = new Set([0x110f, 0x1110, 0x1146, 0x1147]);
const S_ANNOTATION = 0x1019;
/** A module's symbols start with so many bytes. */
const SIGNATURE_SIZE = 4;
const IS_CODE = 1;
const IS_FUNCTION = 2;

const MAX_STREAM = 256 << 20;
const MAX_FUNCTIONS = 4_000_000;
const MAX_NAME = 4096;

interface PdbFunction {
  /** Relative to the image. */
  readonly address: number;
  /** 0 if unknown. */
  readonly size: number;
  readonly name: string;
}

export class PdbFile {
  /** The GUID is in lower case; an image has the same. */
  readonly guid: string;
  readonly age: number;
  readonly #file: MsfFile;
  #wholeDbi: DataView | undefined;

  private constructor(file: MsfFile, info: Uint8Array, dbiHeader: DataView) {
    this.#file = file;
    this.guid = guidText(info.subarray(12, INFO_SIZE));
    this.age = dbiHeader.getUint32(8, true);
  }

  /**
   * Reads what identifies it: most PDBs that are looked at belong to another image.
   *
   * @returns undefined if it is not such a file
   */
  static open(read: ReadBytes): PdbFile | undefined {
    const file = MsfFile.open(read);
    if (file === undefined) return undefined;
    const info = file.stream(INFO_STREAM, INFO_SIZE);
    const dbi = viewOf(file.stream(DBI_STREAM, DBI_HEADER_SIZE));
    if (info.length < INFO_SIZE || dbi.byteLength < DBI_HEADER_SIZE) return undefined;
    return new PdbFile(file, info, dbi);
  }

  get #dbi(): DataView {
    this.#wholeDbi ??= viewOf(this.#file.stream(DBI_STREAM, MAX_STREAM));
    return this.#wholeDbi;
  }

  /** Returns the functions in no particular order. */
  functions(): PdbFunction[] {
    const sections = this.#sectionAddresses();
    const found: PdbFunction[] = [];
    for (const { stream, size } of this.#modules()) {
      readSymbols(this.#file.stream(stream, Math.min(size, MAX_STREAM)), SIGNATURE_SIZE, sections, found);
    }
    const symbols = this.#dbi.getUint16(20, true);
    if (symbols !== NONE) readSymbols(this.#file.stream(symbols, MAX_STREAM), 0, sections, found);
    return found;
  }

  /** The texts of the annotations that the program's modules have: `TMF:` and what follows, `TMC:`. */
  *annotations(): Generator<readonly string[]> {
    for (const { stream, size } of this.#modules()) {
      const bytes = this.#file.stream(stream, Math.min(size, MAX_STREAM));
      const view = viewOf(bytes);
      for (const { kind, at, end } of recordsOf(bytes, SIGNATURE_SIZE)) {
        if (kind !== S_ANNOTATION || at + 12 > end) continue;
        // Behind an offset u32 and a section u16: the number of texts u16.
        const texts = Buffer.from(bytes.subarray(at + 12, end))
          .toString('utf8')
          .split('\0');
        yield texts.slice(0, Math.min(view.getUint16(at + 10, true), texts.length - 1));
      }
    }
  }

  /** Where each section of the image begins, relative to the image. */
  #sectionAddresses(): number[] {
    const dbi = this.#dbi;
    // The parts before the optional debug header: modules, contributions, map, sources, types, edit and continue.
    const before = [24, 28, 32, 36, 40, 52].reduce((sum, at) => sum + dbi.getUint32(at, true), 0);
    const at = DBI_HEADER_SIZE + before + 2 * SECTION_HEADERS;
    const stream = at + 2 <= dbi.byteLength ? dbi.getUint16(at, true) : NONE;
    if (stream === NONE) return [];
    const headers = viewOf(this.#file.stream(stream, NONE * SECTION_SIZE));
    const addresses: number[] = [];
    for (let offset = 0; offset + SECTION_SIZE <= headers.byteLength; offset += SECTION_SIZE)
      addresses.push(headers.getUint32(offset + 12, true));
    return addresses;
  }

  /** The streams with the symbols of each module, which has its own. */
  *#modules(): Generator<{ readonly stream: number; readonly size: number }> {
    const dbi = this.#dbi;
    const seen = new Set([NONE]);
    const end = Math.min(DBI_HEADER_SIZE + dbi.getUint32(24, true), dbi.byteLength);
    for (let at = DBI_HEADER_SIZE; at + MODULE_SIZE <= end; ) {
      const stream = dbi.getUint16(at + 34, true);
      if (!seen.has(stream)) yield { stream, size: dbi.getUint32(at + 36, true) };
      seen.add(stream);
      // Then two names, padded to 4 bytes.
      const names = endOfText(dbi, endOfText(dbi, at + MODULE_SIZE, end), end);
      at = DBI_HEADER_SIZE + 4 * Math.ceil((names - DBI_HEADER_SIZE) / 4);
    }
  }
}

function endOfText(view: DataView, from: number, end: number): number {
  let at = from;
  while (at < end && view.getUint8(at) !== 0) at++;
  return at + 1;
}

/** A record has a u16 with its size, which does not count itself, and a u16 with its kind. */
function* recordsOf(bytes: Uint8Array, start: number): Generator<{ kind: number; at: number; end: number }> {
  const view = viewOf(bytes);
  for (let at = start; at + 4 <= bytes.length; ) {
    const end = at + 2 + view.getUint16(at, true);
    if (end > bytes.length || end < at + 4) return;
    yield { kind: view.getUint16(at + 2, true), at, end };
    at = end;
  }
}

function readSymbols(
  bytes: Uint8Array,
  start: number,
  sections: readonly number[],
  found: PdbFunction[],
): void {
  const view = viewOf(bytes);
  for (const { kind, at, end } of recordsOf(bytes, start)) {
    if (found.length >= MAX_FUNCTIONS) return;
    if (PROCEDURES.has(kind)) add(bytes, at + 32, end, 7, at + 16);
    else if (kind === S_PUB32 && at + 8 <= end) {
      if ((view.getUint32(at + 4, true) & (IS_CODE | IS_FUNCTION)) !== 0)
        add(bytes, at + 8, end, 6, undefined);
    }
  }

  /** @param place of a u32 offset and a u16 section; @param name behind these bytes; @param size where its u32 is */
  function add(all: Uint8Array, place: number, end: number, name: number, size: number | undefined): void {
    if (place + name >= end) return;
    const base = sections[view.getUint16(place + 4, true) - 1];
    if (base === undefined) return;
    const text = all.subarray(place + name, Math.min(end, place + name + MAX_NAME));
    const length = text.indexOf(0);
    found.push({
      address: base + view.getUint32(place, true),
      size: size === undefined ? 0 : view.getUint32(size, true),
      name: Buffer.from(length < 0 ? text : text.subarray(0, length)).toString('utf8'),
    });
  }
}
