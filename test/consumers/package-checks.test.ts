/** The verdicts of package checkers on the published package: publint, and "Are the types wrong?". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const tools = installedTools({ '@arethetypeswrong/cli': '^0.18.0', publint: '^0.3.0' });

describe.skipIf('reason' in tools)(named('the package', reasonOf(tools)), () => {
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
});
