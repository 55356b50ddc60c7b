/**
 * The code that processes and the kernel had mapped before a recording, as records: the kernel reports only later
 * mappings. Sources: proc_pid_maps(5), `/proc/kallsyms`, `/proc/modules`, and Linux `tools/perf/util/synthetic-events.c`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { kernelMappingRecord, mappingRecord } from '../wire/perf-data/write/records.ts';

/** More have no use: a reader has no room for them either. */
const MAX_MAPPINGS = 200_000;
const BATCH_SIZE = 1 << 16;
/** Addresses of the kernel, as seen by processes. */
const KERNEL_START = 1n << 63n;
const EXECUTABLE_LINE =
  /^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])x([ps]) ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\d+) *(.*)$/gm;
const MAX_FILENAME = 4096;
/** perf's name for memory without a file. */
const ANONYMOUS = '//anon';
const READ = 1;
const WRITE = 2;
const EXECUTE = 4;
const SHARED = 1;
const PRIVATE = 2;

/** The numbers in the names of a folder's entries; none if it has gone with its process. */
export function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Yields the mappings of these processes, as far as this user may see them. @param onMany called if not all fit */
export function* processMappings(
  processIds: Iterable<number>,
  onMany: () => void,
): Generator<Uint8Array, void, undefined> {
  let count = 0;
  for (const pid of processIds) {
    for (const match of textOf(`/proc/${pid}/maps`).matchAll(EXECUTABLE_LINE)) {
      const [, from, to, read, write, sharing, offset, major, minor, inode = '', filename = ''] = match;
      const start = hex(from);
      if (start >= KERNEL_START) continue;
      if (++count > MAX_MAPPINGS) return onMany();
      yield mappingRecord(pid, {
        start,
        length: hex(to) - start,
        fileOffset: hex(offset),
        major: Number(hex(major)),
        minor: Number(hex(minor)),
        inode: BigInt(inode),
        protection: (read === 'r' ? READ : 0) | (write === 'w' ? WRITE : 0) | EXECUTE,
        flags: sharing === 's' ? SHARED : PRIVATE,
        filename: filename === '' ? ANONYMOUS : filename.slice(0, MAX_FILENAME),
      });
    }
  }
}

/** Yields the mappings of the kernel and its modules; none if it hides its addresses from this user. */
export function* kernelMappings(): Generator<Uint8Array, void, undefined> {
  const symbols = textOf('/proc/kallsyms');
  const addressOf = (name: string) => hex(new RegExp(`^([0-9a-f]+) [tT] ${name}$`, 'm').exec(symbols)?.[1]);
  const start = addressOf('_text');
  const end = addressOf('_etext');
  if (start === 0n || end <= start) return;
  // perf finds out by this symbol whether the kernel is elsewhere when it reads the file.
  const filename = '[kernel.kallsyms]_text';
  yield kernelMappingRecord({ start, length: end - start, fileOffset: start, filename });
  for (const [, name, size = '', address] of textOf('/proc/modules').matchAll(
    /^(\S+) (\d+) .* 0x([0-9a-f]+)/gm,
  )) {
    const at = hex(address);
    if (at === 0n) continue;
    yield kernelMappingRecord({ start: at, length: BigInt(size), fileOffset: 0n, filename: `[${name}]` });
  }
}

/** The records in larger pieces, for writing. */
export function* batches(records: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const record of records) {
    batch.push(record);
    size += record.length;
    if (size < BATCH_SIZE) continue;
    yield Buffer.concat(batch);
    batch = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(batch);
}

/** Returns nothing if it has gone, or this user may not read it. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function hex(digits = '0'): bigint {
  return BigInt(`0x${digits}`);
}
