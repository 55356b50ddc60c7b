/**
 * A DLL that has resources and no code, as Windows loads it for data (PE32+). The same resources make the same bytes.
 *
 * Source: Microsoft's "PE Format".
 */
import { ByteWriter } from '../../base/byte-writer.ts';

export interface Resource {
  /** A name, or the number of a standard type. */
  readonly type: string | number;
  readonly id: number;
  /** The LANGID. */
  readonly language: number;
  readonly data: Uint8Array;
}

const PE_OFFSET = 0x40;
const HEADERS_SIZE = 0x200;
/** The section has this address in memory. */
const SECTION_ADDRESS = 0x1000;
const FILE_ALIGNMENT = 0x200;
const MACHINE_X64 = 0x8664;
const OPTIONAL_HEADER_SIZE = 240;
/** Executable image, addresses above 2 GB, DLL. */
const FILE_FLAGS = 0x2022;
/** Address space layout randomization, no execution of data, no exception handlers. */
const DLL_FLAGS = 0x540;
const WINDOWS_GUI = 2;
const DIRECTORIES = 16;
const RESOURCE_DIRECTORY = 2;
/** Readable initialized data. */
const SECTION_FLAGS = 0x4000_0040;
/** An offset in a resource directory has this bit if it leads to a name, or to another directory. */
const HIGH_BIT = 0x8000_0000;

/** @param resources no two of one type, id and language */
export function resourceDll(resources: readonly Resource[]): Uint8Array {
  const section = resourceSection(resources);
  const fileSize = align(section.length, FILE_ALIGNMENT);
  const out = new ByteWriter();
  dosHeader(out);
  out.uint32(0x4550).uint16(MACHINE_X64).uint16(1).uint32(0).uint32(0).uint32(0);
  out.uint16(OPTIONAL_HEADER_SIZE).uint16(FILE_FLAGS);
  optionalHeader(out, section.length, fileSize);
  out.bytes(Buffer.from('.rsrc\0\0\0')).uint32(section.length).uint32(SECTION_ADDRESS);
  out.uint32(fileSize).uint32(HEADERS_SIZE).uint64(0).uint32(0).uint32(SECTION_FLAGS);
  return out.pad(HEADERS_SIZE).bytes(section).pad(FILE_ALIGNMENT).copy();
}

function align(size: number, alignment: number): number {
  return Math.ceil(size / alignment) * alignment;
}

function dosHeader(out: ByteWriter): void {
  out
    .uint16(0x5a4d)
    .bytes(new Uint8Array(PE_OFFSET - 6))
    .uint32(PE_OFFSET);
}

function optionalHeader(out: ByteWriter, size: number, fileSize: number): void {
  out.uint16(0x20b).uint16(0).uint32(0).uint32(fileSize).uint32(0).uint32(0).uint32(0);
  out.uint64(0x1_8000_0000n).uint32(SECTION_ADDRESS).uint32(FILE_ALIGNMENT);
  // The operating system and the subsystem are those of Windows Vista: 6.0.
  out.uint32(6).uint32(0).uint32(6).uint32(0);
  out
    .uint32(SECTION_ADDRESS + align(size, SECTION_ADDRESS))
    .uint32(HEADERS_SIZE)
    .uint32(0);
  out.uint16(WINDOWS_GUI).uint16(DLL_FLAGS);
  out.uint64(0x10_0000).uint64(0x1000).uint64(0x10_0000).uint64(0x1000).uint32(0).uint32(DIRECTORIES);
  for (let index = 0; index < DIRECTORIES; index++) {
    const isResources = index === RESOURCE_DIRECTORY;
    out.uint32(isResources ? SECTION_ADDRESS : 0).uint32(isResources ? size : 0);
  }
}

type Key = string | number;
/** A directory, or a resource. */
type Node = Map<Key, Node> | Resource;

function resourceSection(resources: readonly Resource[]): Uint8Array {
  const out = new ByteWriter();
  const root = new Map<Key, Node>();
  for (const resource of resources) {
    child(child(root, resource.type), resource.id).set(resource.language, resource);
  }
  const names: [at: number, name: string][] = [];
  const entries: [at: number, resource: Resource][] = [];
  const write = (directory: Map<Key, Node>) => {
    const sorted = [...directory].sort(([a], [b]) => byKey(a, b));
    const named = sorted.filter(([key]) => typeof key === 'string').length;
    out
      .uint32(0)
      .uint32(0)
      .uint32(0)
      .uint16(named)
      .uint16(sorted.length - named);
    const start = out.length;
    for (const [key] of sorted) out.uint32(typeof key === 'number' ? key : 0).uint32(0);
    for (const [index, [key, node]] of sorted.entries()) {
      const at = start + 8 * index;
      if (typeof key === 'string') names.push([at, key]);
      if (node instanceof Map) {
        patch(out, at + 4, out.length + HIGH_BIT);
        write(node);
      } else entries.push([at + 4, node]);
    }
  };
  write(root);
  const data: [at: number, bytes: Uint8Array][] = [];
  for (const [at, resource] of entries) {
    patch(out, at, out.length);
    data.push([out.length, resource.data]);
    out.uint32(0).uint32(resource.data.length).uint32(0).uint32(0);
  }
  for (const [at, name] of names) {
    patch(out, at, out.length + HIGH_BIT);
    out.uint16(name.length).utf16(name);
  }
  for (const [at, bytes] of data) {
    out.pad(8);
    patch(out, at, SECTION_ADDRESS + out.length);
    out.bytes(bytes);
  }
  return out.copy();
}

function child(directory: Map<Key, Node>, key: Key): Map<Key, Node> {
  const found = directory.get(key) ?? new Map<Key, Node>();
  directory.set(key, found);
  return found as Map<Key, Node>;
}

/** Names come before numbers. */
function byKey(a: Key, b: Key): number {
  if (typeof a === typeof b) return a < b ? -1 : 1;
  return typeof a === 'string' ? -1 : 1;
}

function patch(out: ByteWriter, at: number, value: number): void {
  out.view.setUint32(at, value, true);
}
