/**
 * The files with names of functions: programs and libraries, the maps that runtimes write for perf, the list of the
 * kernel's functions. A trace names the files and is not trusted: only regular files in the user's folders are opened,
 * without following links out of them.
 */
import { fstatSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { indexOfNul } from '../base/bytes.ts';
import { ElfFile, type ReadBytes } from '../wire/elf/elf-file.ts';
import { readKernelSymbols } from '../wire/kernel-symbols.ts';
import { PdbFile } from '../wire/pdb/pdb-file.ts';
import { type NamedFunction, SymbolTable } from '../wire/symbol-table.ts';
import { JitDump } from './jit-dump.ts';
import { type PerfMap, readPerfMap } from './perf-map.ts';
import { openIn, openRegular, readBytes, readText } from './trusted-files.ts';

/** All symbols together, in bytes: those of a browser take a third. */
const MAX_SYMBOLS_SIZE = 512 << 20;
/** The approximate size of a function besides its name. */
const FUNCTION_SIZE = 100;
/** The number of files searched for, found or not. */
const MAX_FILES = 4096;
const MAX_NAME_SIZE = 4096;
/** Names that end alike may share their bytes; in a file that a linker made, few do. */
const NAMES_PER_BYTE = 4;
const STB_GLOBAL = 1;
const STB_WEAK = 2;

/** Runtimes write their maps here. */
const MAPS_FOLDER = '/tmp';

/** A program or library. */
interface SymbolFile {
  /** The function at a position in the file. */
  nameAt(fileOffset: number): string | undefined;
}

/** Which PDB belongs to a Windows image. */
export interface DebugId {
  /** The PDB was here when the image was built. */
  readonly filename: string;
  /** The GUID is in lower case. */
  readonly guid: string;
  readonly age: number;
}

export class SymbolFolders {
  readonly #folders: readonly string[];
  readonly #maps = new Map<number, PerfMap | undefined>();
  readonly #dumps = new Map<number, JitDump | undefined>();
  readonly #files = new Map<string, SymbolFile | undefined>();
  readonly #pdbs = new Map<string, SymbolTable | undefined>();
  #room = MAX_SYMBOLS_SIZE;
  #kernel: SymbolTable | undefined;
  #hasReadKernel = false;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The map written by a process. */
  perfMap(processId: number): PerfMap | undefined {
    return cached(this.#maps, processId, () => {
      const name = `perf-${processId}.map`;
      const text =
        this.#first([name, join('tmp', name)], readText, processId) ??
        openIn(MAPS_FOLDER, name, readText, processId) ??
        mapInContainer(processId);
      return text === undefined ? undefined : readPerfMap(text);
    });
  }

  /** @param filename where the process wrote it, if known */
  jitDump(processId: number, filename: string | undefined): JitDump | undefined {
    return cached(this.#dumps, processId, () => {
      const name = `jit-${processId}.dump`;
      const bytes = this.#first([name, filename ?? join('tmp', name)], readBytes, processId);
      return bytes && JitDump.read(bytes);
    });
  }

  /**
   * @param filename from the trace
   * @param buildId of the file, if known: then no other file with that name is used
   */
  file(filename: string, buildId: string | undefined): SymbolFile | undefined {
    return cached(this.#files, `${filename}\0${buildId}`, () => {
      const paths = [filename, filename.slice(filename.lastIndexOf('/') + 1)];
      return this.#first(paths, (descriptor) => this.#symbolFile(descriptor, buildId));
    });
  }

  /** The symbols of a Windows image, in a folder or in a symbol store: `app.pdb`, `app.pdb/GUIDAGE/app.pdb`. */
  pdb({ filename, guid, age }: DebugId): SymbolTable | undefined {
    return cached(this.#pdbs, `${filename}\0${guid}\0${age}`, () => {
      const name = baseName(filename);
      const key = `${guid.replaceAll('-', '')}${age.toString(16)}`;
      const paths = [join(name, key.toUpperCase(), name), join(name, key, name), name];
      return this.#first(paths, (descriptor) => {
        const file = PdbFile.open(readerOf(descriptor));
        return file?.guid === guid && file.age === age ? this.#tableOf(file.functions()) : undefined;
      });
    });
  }

  kernel(): SymbolTable | undefined {
    if (this.#hasReadKernel) return this.#kernel;
    this.#hasReadKernel = true;
    const text = this.#first(['kallsyms', 'proc/kallsyms'], readText);
    this.#kernel = text === undefined ? undefined : readKernelSymbols(text);
    return this.#kernel;
  }

  #symbolFile(descriptor: number, buildId: string | undefined): SymbolFile | undefined {
    const elf = ElfFile.open(readerOf(descriptor));
    if (elf === undefined || (buildId !== undefined && elf.buildId !== buildId)) return undefined;
    const id = elf.buildId ?? '';
    const debug = join('.build-id', id.slice(0, 2), `${id.slice(2)}.debug`);
    const functions =
      (id === '' ? undefined : this.#first([join('usr/lib/debug', debug), debug], debugFunctions)) ??
      functionsOf(elf);
    const table = functions && this.#tableOf(functions);
    if (table === undefined) return undefined;
    const { segments } = elf;
    return {
      nameAt: (offset) => {
        const segment = segments.find(
          (each) => offset >= each.fileOffset && offset < each.fileOffset + each.fileSize,
        );
        return segment && table.nameAt(offset - segment.fileOffset + segment.address);
      },
    };
  }

  /** Returns undefined if the tables of all files would take too much memory. */
  #tableOf(functions: readonly NamedFunction[]): SymbolTable | undefined {
    this.#room -= functions.reduce((size, { name }) => size + FUNCTION_SIZE + name.length, 0);
    return this.#room < 0 ? undefined : new SymbolTable(functions);
  }

  /** @param processId of the process that wrote it */
  #first<T>(
    paths: readonly string[],
    read: (descriptor: number) => T | undefined,
    processId?: number,
  ): T | undefined {
    for (const folder of this.#folders) {
      for (const path of paths) {
        const found = openIn(folder, path, read, processId);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

/** The last part of a path of any system. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function debugFunctions(descriptor: number): NamedFunction[] | undefined {
  const elf = ElfFile.open(readerOf(descriptor));
  return elf && functionsOf(elf);
}

function functionsOf(elf: ElfFile): NamedFunction[] | undefined {
  const found = elf.functions();
  if (found === undefined) return undefined;
  const names = Buffer.from(found.names.buffer, found.names.byteOffset, found.names.length);
  const functions: NamedFunction[] = [];
  let room = NAMES_PER_BYTE * names.length;
  for (const { address, size, name, binding, limit } of found.symbols) {
    const nul = indexOfNul(names, name, Math.min(names.length, name + MAX_NAME_SIZE));
    const end = nul < 0 ? Math.min(names.length, name + MAX_NAME_SIZE) : nul;
    room -= end - name;
    if (room < 0) break;
    functions.push({
      address,
      size,
      limit,
      name: names.toString('utf8', name, end),
      isWeak: binding === STB_WEAK,
      isGlobal: binding === STB_GLOBAL,
    });
  }
  return functions;
}

/**
 * The map of a process in a container, where it has another id and a /tmp of its own: of one that is still running,
 * because its folders cannot be found later. The map must belong to the process's user or to root.
 */
function mapInContainer(processId: number): string | undefined {
  const folder = `/proc/${processId}`;
  try {
    const [, ids = ''] = /^NSpid:\s+(.*)$/m.exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
    const [, ...inner] = ids.trim().split(/\s+/);
    if (inner.length === 0) return undefined;
    const { uid } = statSync(folder);
    // Resolving `root` here would lead back to this system's own folders; the kernel enters the container.
    const path = `${folder}/root${MAPS_FOLDER}/perf-${inner.at(-1)}.map`;
    return openRegular(path, readText, (stats) => stats.uid === uid || stats.uid === 0);
  } catch {
    return undefined;
  }
}

function readerOf(descriptor: number): ReadBytes {
  const { size: fileSize } = fstatSync(descriptor);
  return (offset, size) => {
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(size, fileSize - offset)));
    return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(descriptor, bytes, 0, bytes.length, offset));
  };
}

export function cached<K, V>(map: Map<K, V | undefined>, key: K, make: () => V | undefined): V | undefined {
  if (map.has(key)) return map.get(key);
  const made = map.size < MAX_FILES ? make() : undefined;
  map.set(key, made);
  return made;
}
