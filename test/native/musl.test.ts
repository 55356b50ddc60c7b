/**
 * The addon compiled for musl, the C library of Alpine, in a real process of musl: the Bun that is built for Alpine, since
 * npm has no such Node.js. Debian's C++ library stands in for Alpine's.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPrograms } from '../../scripts/lib/installed.mjs';
import { isRequired } from '../../scripts/lib/require.mjs';
import { fetchedNode } from '../../scripts/nodes.mjs';
import { linuxOnly } from '../platforms.ts';
import { ForeignApplication } from './foreign-addon.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const missing = missingPrograms(['g++', 'musl-gcc']);

const reason =
  linuxOnly('musl') ??
  (process.arch === 'x64' ? undefined : 'it is tried on x64') ??
  (missing.length > 0 ? `${missing.join(', ')} missing` : undefined);
const isSkipped = reason !== undefined && !isRequired('tools');

const MUSL = '/usr/lib/x86_64-linux-musl';
const ask = (...args: readonly string[]) => execFileSync('g++', args, { encoding: 'utf8' }).trim();

/** The folder with what a program of Alpine finds in /usr/lib, but for musl. */
function makeLibraries(folder: string): void {
  for (const name of ['libstdc++.so.6', 'libgcc_s.so.1']) {
    symlinkSync(ask(`-print-file-name=${name}`), join(folder, name));
  }
  // Debian's C++ library loads this by name, so what it misses in musl can be in there
  const standIns = join(folder, 'ld-linux-x86-64.so.2');
  execFileSync('musl-gcc', ['-shared', '-fPIC', '-o', standIns, join(here, 'glibc_stand_ins.c')]);
}

/** The kernel's headers, which musl leaves to the system, without those of glibc beside them. */
function makeKernelHeaders(folder: string): void {
  for (const [name, target] of [
    ['linux', '/usr/include/linux'],
    ['asm-generic', '/usr/include/asm-generic'],
    ['asm', '/usr/include/x86_64-linux-gnu/asm'],
  ] as const) {
    symlinkSync(target, join(folder, name));
  }
}

describe.skipIf(isSkipped)(`on musl${isSkipped ? ` (skipped: ${reason})` : ''}`, () => {
  let application: ForeignApplication;
  let folder: string;
  let libraries: string;
  let bun: string;

  beforeAll(() => {
    application = new ForeignApplication('linux-x64/tracewright.musl.node');
    folder = mkdtempSync(join(tmpdir(), 'tracewright-musl-'));
    libraries = join(folder, 'lib');
    const kernel = join(folder, 'include');
    for (const each of [libraries, kernel]) mkdirSync(each);
    makeLibraries(libraries);
    makeKernelHeaders(kernel);
    const gcc = dirname(ask('-print-file-name=crtbeginS.o'));
    const cxx = `/usr/include/c++/${ask('-dumpversion')}`;
    const cxxOfSystem = `/usr/include/${ask('-print-multiarch')}/c++/${ask('-dumpversion')}`;
    const headers = [cxx, cxxOfSystem, join(gcc, 'include'), '/usr/include/x86_64-linux-musl', kernel];
    application.build(
      'g++',
      [
        ...['-nostdinc', '-nostdinc++', ...headers.flatMap((path) => ['-isystem', path])],
        ...['-include', join(here, 'musl_config.h'), `${MUSL}/crti.o`, `${gcc}/crtbeginS.o`],
      ],
      [
        ...['-nostdlib', `-L${libraries}`, '-l:libstdc++.so.6', '-l:libgcc_s.so.1', `-L${MUSL}`, '-lc'],
        ...[`${gcc}/crtendS.o`, `${MUSL}/crtn.o`, '-Wl,--allow-shlib-undefined'],
      ],
    );
    bun = join(fetchedNode('@oven/bun-linux-x64-musl', '1.4.5'), 'bun');
  }, 600_000);
  afterAll(() => {
    application?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the addon loads, and events of all threads are in a session', { timeout: 60_000 }, () => {
    const { reason: said, ...result } = application.run(bun, [], {
      ...process.env,
      LD_LIBRARY_PATH: libraries,
    });
    expect(result).toEqual({ runtimeIdentifier: 'linux-musl-x64', numbers: [1, 2] });
    // It is the addon that knows this
    expect(said).toMatch(/user_events_data/);
  });
});
