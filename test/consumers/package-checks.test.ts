/** The verdicts of package checkers on the published package: publint, and "Are the types wrong?". */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Application, installedTools } from './application.ts';

const tools = installedTools({ '@arethetypeswrong/cli': '^0.18.0', publint: '^0.3.0' });
/** Without prebuilt binaries: what every platform downloads, a twentieth of it what is known about Windows. */
const MAX_UNPACKED_SIZE = 1_833_333;

describe.skipIf('reason' in tools)(`the package${'reason' in tools ? ` (${tools.reason})` : ''}`, () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
  }, 120_000);
  afterAll(() => application?.remove());

  it('passes publint', { timeout: 120_000 }, () => {
    const { status, output } = application.tool('publint', ['run', application.tarball, '--strict']);
    expect(status, output).toBe(0);
    expect(output).toContain('All good!');
  });

  it('has the right types for every way of loading it', { timeout: 120_000 }, () => {
    // Loaded for its effect, with --import alone: it exports nothing that could have types.
    const excluded = ['--exclude-entrypoints', 'diagnostics/register'];
    const { status, output } = application.tool('attw', [application.tarball, ...excluded]);
    expect(status, output).toBe(0);
    expect(output).not.toMatch(/💀|❌|🎭|👺|🐛/u);
  });

  it('is small', () => {
    const listed = execFileSync('tar', ['-tvzf', application.tarball]).toString().trim().split('\n');
    const sizes = listed
      .filter((line) => !line.includes('/prebuilds/'))
      .map((line) => Number(line.trim().split(/\s+/)[2]));
    const size = sizes.reduce((sum, each) => sum + each, 0);
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThan(MAX_UNPACKED_SIZE);
    expect(statSync(application.tarball).size).toBeGreaterThan(0);
  });
});
