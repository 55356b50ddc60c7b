// Determines which system and processor a native binary is for, and which library versions it requires, from the file.
import { run } from '../lib/run.mjs';

/** ELF's e_machine, PE's Machine and Mach-O's cputype, by Node.js's name for the processor. */
const elfMachines = new Map([
  [62, 'x64'],
  [183, 'arm64'],
]);
const peMachines = new Map([
  [0x8664, 'x64'],
  [0xaa64, 'arm64'],
]);
const machMachines = new Map([
  [0x01000007, 'x64'],
  [0x0100000c, 'arm64'],
]);

/**
 * @param {Buffer} bytes at least the first 4 KiB of a shared library
 * @returns {string} in terms of `process.platform` and `process.arch`, such as `linux-x64`
 * @throws {Error} if Node.js cannot load it on any of these platforms
 */
export function binaryTarget(bytes) {
  const magic = bytes.subarray(0, 4).toString('latin1');
  if (magic === '\x7fELF') return named('linux', elfMachines, bytes.readUInt16LE(18));
  if (magic.startsWith('MZ'))
    return named('win32', peMachines, bytes.readUInt16LE(bytes.readUInt32LE(60) + 4));
  if (magic === '\xcf\xfa\xed\xfe') return named('darwin', machMachines, bytes.readUInt32LE(4));
  throw new Error(
    `The file begins with ${bytes.subarray(0, 4).toString('hex')}, not as ELF, PE or Mach-O do.`,
  );
}

function named(platform, machines, machine) {
  const arch = machines.get(machine);
  if (arch === undefined) throw new Error(`The file is for ${platform}, machine 0x${machine.toString(16)}.`);
  return `${platform}-${arch}`;
}

/** Compares dotted numbers: negative if the first is older. */
export function compareVersions(first, second) {
  const [a, b] = [first, second].map((version) => version.split('.').map(Number));
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The newest version of each versioned library interface that a dynamic symbol of the file requires.
 * @param {string} symbols the output of `objdump -T`
 * @returns {Map<string, string>} such as `GLIBC` to `2.17`
 */
export function newestVersions(symbols) {
  const newest = new Map();
  for (const [, name, version] of symbols.matchAll(/\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d+(?:\.\d+)*)\b/g)) {
    const known = newest.get(name);
    if (known === undefined || compareVersions(known, version) < 0) newest.set(name, version);
  }
  return newest;
}

/** `newestVersions` of an ELF file. Requires binutils. */
export function libraryVersions(file) {
  return newestVersions(run('objdump', ['-T', file]));
}
