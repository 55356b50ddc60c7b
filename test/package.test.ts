/**
 * The package as users get it: packed, installed into an empty folder, with the prebuilt binary as the only native
 * part, and the README's first example run in it; on a kernel with user_events if there is one.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInVm } from '../scripts/vm/index.mjs';
import { skipReason, suiteName } from './kernel/guest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, firstExample = ''] =
  /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];

let folder: string;
let application: string;

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  }).toString();
}

/** Packs what is published out of a copy, whose prebuilt binaries are made here, and installs it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  const copy = join(folder, 'copy');
  application = join(folder, 'application');
  mkdirSync(copy);
  mkdirSync(application);
  const documents = ['README.md', 'LICENSE', 'package.json', 'CMakeLists.txt', 'binding.gyp'];
  const parts = [...documents, 'dist', 'docs', 'native', 'scripts'];
  for (const part of parts) {
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (source) => !source.endsWith('node_modules'),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  execFileSync(process.execPath, [join(copy, 'scripts/prebuild.mjs'), '--host'], { stdio: 'pipe' });
  const [packed] = JSON.parse(npm(copy, 'pack', '--json')) as { filename: string }[];
  writeFileSync(join(application, 'package.json'), '{ "private": true }');
  writeFileSync(join(application, 'app.mjs'), firstExample);
  npm(
    application,
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(copy, packed?.filename ?? ''),
  );
}, 600_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the installed package', () => {
  it('contains the prebuilt binary, what was compiled, and nothing that would build on installation', () => {
    const installed = join(application, 'node_modules/tracewright');
    expect(readdirSync(installed).sort()).toEqual([
      'CMakeLists.txt',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'native',
      'package.json',
      'prebuilds',
      'scripts',
    ]);
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    expect(Object.keys(scripts)).not.toContain('install');
    expect(readdirSync(join(application, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'fzstd',
      'pend',
      'tracewright',
      'yauzl',
    ]);
  });

  it.each([
    ['tracewright', 'defineEventSource'],
    ['tracewright/auto', 'instrument'],
    ['tracewright/counters', 'EventCounter'],
    ['tracewright/diagnostics', 'enableDiagnostics'],
    ['tracewright/etw', 'EtwSession'],
    ['tracewright/opentelemetry-metrics', 'meterProvider'],
    ['tracewright/prom-client', 'showRegistry'],
    ['tracewright/query', 'openDatabase'],
    ['tracewright/runtime', 'enableRuntimeEvents'],
    ['tracewright/trace', 'openTrace'],
    ['tracewright/view', 'TraceActivities'],
  ])('provides the same %s to import and to require', (name, member) => {
    const program = `
      import { createRequire } from 'node:module';
      import { ${member} as imported } from '${name}';
      const required = createRequire(import.meta.url)('${name}');
      console.log(typeof imported === 'function' && imported === required.${member});`;
    const args = ['--input-type=module', '--no-warnings', '-e', program];
    expect(execFileSync(process.execPath, args, { cwd: application }).toString()).toBe('true\n');
  });

  it('takes at most 4 MB, with its dependencies and a binary', () => {
    const sizes = readdirSync(join(application, 'node_modules'), { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(application, 'node_modules', name)))
      .map((stats) => (stats.isFile() ? stats.size : 0));
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(4_000_000);
  });
});

describe.skipIf(skipReason('uml') !== undefined)(suiteName("the README's first example", 'uml'), () => {
  it('is recorded by perf', { timeout: 60_000 }, async () => {
    const script = `cd '${application}' && node app.mjs >/run/out & app=$!
      until [ -e /sys/kernel/tracing/events/user_events/MyCompany_MyService_L5K0 ]; do sleep 0.05; done
      perf record -q -e 'user_events:MyCompany_MyService_*' -a -o /run/perf.data sleep 4 >&2
      perf script -i /run/perf.data
      npx tracewright dump /run/perf.data
      kill $app; cat /run/out`;
    const { stdout } = await runInVm(['sh', '-c', script], { kernel: 'uml', timeout: 50 });
    expect(stdout).toContain('user_events MyCompany_MyService_L4K0 MyCompany_MyService_L5K0\n');
    const ids = [...stdout.matchAll(/user_events:MyCompany_MyService_L[45]K0: .*? id=(\d)/g)].map(
      ([, id]) => id,
    );
    expect(ids.join('')).toMatch(/(132){2}/);
    // The first few are missing: perf switches an event on a moment before it records.
    expect(stdout).toMatch(/MyCompany_MyService\/CacheMiss {2}\/\/1\/2 {2}key="user:7" size=1234\n/);
    expect(stdout).toMatch(/MyCompany_MyService\/RequestStop {2}\/\/1\/2 {2}success=true errorMessage=""\n/);
  });
});
