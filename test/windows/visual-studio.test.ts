/**
 * The project that node-gyp's own gyp generates from binding.gyp for Visual Studio: the intended warnings, but none for
 * other people's headers. Only real Windows can show that it compiles.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const headers = dirname(dirname(process.execPath));

function skipReason(): string | undefined {
  if (!existsSync(join(headers, 'include/node/common.gypi'))) return `${headers} has no headers of Node.js`;
  if (process.platform === 'win32') return 'Visual Studio itself builds here';
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'python3 is missing';
  }
}

/** The settings of the compiler by name, each with its values in all configurations. */
function compilerSettings(ci: string): ReadonlyMap<string, ReadonlySet<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  try {
    const script = join(root, 'test/windows/vcxproj.py');
    const gyp = join(root, 'node_modules/node-gyp/gyp');
    const env = { ...process.env, CI: ci, PYTHONDONTWRITEBYTECODE: '1' };
    execFileSync('python3', [script, gyp, headers, folder], { cwd: root, env, stdio: 'pipe' });
    const project = readFileSync(join(folder, 'tracewright.vcxproj'), 'utf8');
    const settings = new Map<string, Set<string>>();
    for (const [, text = ''] of project.matchAll(/<ClCompile>(.*?)<\/ClCompile>/gs)) {
      for (const [, name = '', value = ''] of text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)) {
        settings.set(name, (settings.get(name) ?? new Set()).add(value.replaceAll('&quot;', '"')));
      }
    }
    return settings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const skipped = skipReason();
const suffix = skipped === undefined ? '' : ` (skipped: ${skipped})`;

it.skipIf(skipped !== undefined)(
  `warns about our own code at level 4, with exceptions enabled${suffix}`,
  () => {
    const settings = compilerSettings('');
    expect(settings.get('WarningLevel')).toEqual(new Set(['Level4']));
    expect(settings.get('ExceptionHandling')).toEqual(new Set(['Sync']));
    for (const names of settings.get('PreprocessorDefinitions') ?? [])
      expect(names).not.toContain('_HAS_EXCEPTIONS');
    const [options = '', ...others] = settings.get('AdditionalOptions') ?? [];
    expect(others).toEqual([]);
    expect(options).toContain(' /external:W0 /external:anglebrackets ');
    for (const folder of [join(headers, 'include/node'), join(root, 'node_modules/node-addon-api')]) {
      expect(options).toContain(` /external:I "${folder}" `);
    }
    // One standard alone, the headers' own: two are a warning.
    expect(options.match(/[-/]std:c\+\+\d\d/g)).toHaveLength(1);
    expect(options).not.toMatch(/\/W[X4]/);
  },
);

it.skipIf(skipped !== undefined)(`treats warnings as errors only in CI${suffix}`, () => {
  expect(compilerSettings('').get('TreatWarningAsError')).toEqual(new Set(['false']));
  expect(compilerSettings('true').get('TreatWarningAsError')).toEqual(new Set(['true']));
});
