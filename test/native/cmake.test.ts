/** The addon built by CMake, driven by cmake-js: for Electron, for IDEs, and for machines without Python. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingPrograms } from '../../scripts/lib/installed.mjs';
import { isRequired } from '../../scripts/lib/require.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const missing = process.platform === 'win32' ? [] : missingPrograms(['cmake', 'make', 'c++']);
const isSkipped = missing.length > 0 && !isRequired('native');

describe.skipIf(isSkipped)(`cmake-js${isSkipped ? ` (skipped: ${missing.join(', ')} missing)` : ''}`, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-cmake-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['Node.js', []],
    ['Electron', ['--runtime', 'electron', '--runtime-version', '38.0.0']],
  ])('builds the addon for %s without a download', { timeout: 300_000 }, (_runtime, options) => {
    // No registry and no mirror can be reached: what is needed is here.
    const offline = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/cmake-js/bin/cmake-js'), 'compile', '--out', folder, '--silent', ...options],
      { cwd: root, stdio: 'pipe', env: { ...process.env, ...offline } },
    );
    const program = `
      const addon = { exports: {} };
      process.dlopen(addon, ${JSON.stringify(join(folder, 'Release/tracewright.node'))});
      const usual = { exports: {} };
      process.dlopen(usual, 'build/Release/tracewright.node');
      const names = ({ exports }) => Object.keys(exports).sort().join();
      console.log(addon.exports.platform === usual.exports.platform && names(addon) === names(usual));`;
    const printed = execFileSync(process.execPath, ['-e', program], { cwd: root }).toString();
    expect(printed).toBe('true\n');
  });

  it('builds the addon in an installed package, which then finds it', { timeout: 300_000 }, () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    const installed = join(folder, 'node_modules/tracewright');
    for (const part of ['package.json', ...files.filter((name) => !/^(?:!|docs$|prebuilds$)/.test(name))]) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    for (const name of ['node-addon-api', 'node-api-headers']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    }
    const program = `
      const { status } = require('tracewright').defineEventSource('Built-Here', {});
      console.log(/could not be loaded/.test(status.reason ?? ''));`;
    const loaded = () => execFileSync(process.execPath, ['-e', program], { cwd: folder }).toString();
    expect(loaded()).toBe('true\n');
    const cmakeJs = join(root, 'node_modules/cmake-js/bin/cmake-js');
    const args = [cmakeJs, 'compile', '--directory', installed, '--silent'];
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
    expect(loaded()).toBe('false\n');
  });
});
