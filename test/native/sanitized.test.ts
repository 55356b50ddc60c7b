/**
 * The addon's own C++ under AddressSanitizer, UndefinedBehaviorSanitizer and valgrind, on a real kernel: alone,
 * and inside Node.js with threads that come and go. Run by `npm run test:asan`, and by `npm test`.
 *
 * The sanitizers run in QEMU: they want more address space than user-mode Linux gives a process.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRequired } from '../../scripts/lib/require.mjs';
import { runInVm } from '../../scripts/vm/index.mjs';
import { buildAddon } from '../kernel/build-addon.ts';
import { type KernelKind, skipReason } from '../kernel/guest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SANITIZE = [
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
  '-g',
  '-O1',
];

const PROGRAMS = ['passed_tracer', 'process_context', 'provider', 'recorder'] as const;

/** Interrupts JavaScript, so there is nothing of it to run without Node.js. */
const NEEDS_NODE = 'port_watch.cc';

/** Why the suite is skipped, if it is. */
function reason(): string | undefined {
  for (const kernel of ['uml', 'qemu'] as const) {
    const missing = skipReason(kernel);
    if (missing !== undefined) return missing;
  }
  const valgrind = spawnSync('valgrind', ['--version']);
  return valgrind.error !== undefined && !isRequired('tools') ? 'valgrind is not installed' : undefined;
}

const skipped = reason();

describe.skipIf(skipped !== undefined)(
  `the native code${skipped === undefined ? '' : ` (skipped: ${skipped})`}`,
  () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    /** Compiles a program beside this file with the platform's sources. */
    function compile(name: string, flags: readonly string[]): string {
      const program = join(folder, name);
      const platform = join(root, 'native/linux');
      const sources = [
        fileURLToPath(new URL(`${name}.cc`, import.meta.url)),
        join(root, 'native/flag_page.cc'),
        ...readdirSync(platform)
          .filter((file) => file.endsWith('.cc') && file !== NEEDS_NODE)
          .map((file) => join(platform, file)),
      ];
      const include = `-I${join(root, 'native')}`;
      execFileSync('c++', [
        '-std=c++17',
        '-Wall',
        '-Wextra',
        '-Werror',
        ...flags,
        include,
        ...sources,
        '-pthread',
        '-o',
        program,
      ]);
      return program;
    }

    async function run(kernel: KernelKind, command: readonly string[]): Promise<string> {
      const { status, stdout, stderr } = await runInVm(command, { kernel, timeout: 240 });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    }

    it.each(PROGRAMS)('is clean under valgrind: %s', { timeout: 120_000 }, async (name) => {
      const program = compile(name, ['-g', '-O1']);
      const valgrind = [
        'valgrind',
        '-q',
        '--error-exitcode=9',
        '--leak-check=full',
        '--show-leak-kinds=definite',
        // It takes the number that PERF_EVENT_IOC_PAUSE_OUTPUT gets for an address.
        '--sim-hints=lax-ioctls',
      ];
      expect(await run('uml', [...valgrind, '--errors-for-leak-kinds=definite', program])).toBe(
        'native code works\n',
      );
    });

    it.each(PROGRAMS)(
      'is clean under AddressSanitizer and UndefinedBehaviorSanitizer: %s',
      {
        timeout: 120_000,
      },
      async (name) => {
        expect(await run('qemu', [compile(name, SANITIZE)])).toBe('native code works\n');
      },
    );

    it('is clean under them inside Node.js, with workers and exits', { timeout: 400_000 }, async () => {
      const copy = join(folder, 'package');
      mkdirSync(copy);
      buildAddon(copy, { CXXFLAGS: SANITIZE.join(' '), LDFLAGS: '-fsanitize=address,undefined' });
      const library = realpathSync(execFileSync('c++', ['-print-file-name=libasan.so']).toString().trim());
      // Node.js itself frees little at its end; leaks are valgrind's part, above.
      const environment = [
        'env',
        `LD_PRELOAD=${library}`,
        'ASAN_OPTIONS=detect_leaks=0',
        'UBSAN_OPTIONS=print_stacktrace=1',
      ];
      const programs = join(copy, 'test/kernel/programs');
      for (const program of ['worker-only.mjs', 'descriptor.mjs', 'workers.mjs']) {
        const command = [...environment, process.execPath, join(programs, program), '3'];
        expect(await run('qemu', command)).toMatch(/^\{.*\}\n$/);
      }
    });
  },
);
