/** The version, the help, and shell completion, on the built package. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../lib/cli/commands.ts';
import { completedCommands } from '../../lib/cli/completion.ts';
import { UsageError } from '../../lib/cli/parse-options.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'tracewright-help-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

function tracewright(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('help', () => {
  it('prints the version', () => {
    const version = { status: 0, stdout: `${JSON.parse(manifest).version}\n`, stderr: '' };
    expect(tracewright('--version')).toEqual(version);
    expect(tracewright('-v')).toEqual(version);
  });

  it('lists the commands', () => {
    const help = tracewright('help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    for (const name of Object.keys(COMMANDS)) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect([tracewright(), tracewright('--help'), tracewright('-h')]).toEqual([help, help, help]);
  });

  it('describes a command as its --help does', async () => {
    for (const name of ['dump', 'record', 'live', 'manifest', 'completion']) {
      const help = tracewright('help', name);
      expect(help).toMatchObject({ status: 0, stderr: '' });
      expect(help).toEqual(tracewright(name, '--help'));
    }
    expect(tracewright('help', 'dmup').stderr).toContain('There is no command "dmup".');
    expect(tracewright('help', 'dump', 'view').status).toBe(2);
  });
});

describe('completion', () => {
  it('knows exactly the options that each command documents', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    for (const { name, options } of await completedCommands()) {
      const { run } = (await COMMANDS[name]?.load()) ?? {};
      if (run === undefined) continue;
      for (const { long, short, takesValue } of options) {
        const given = takesValue ? [`--${long}=x`] : [`--${long}`];
        await run([...given, '--help']);
        if (short !== undefined) await run([`-${short}`, ...(takesValue ? ['x'] : []), '--help']);
        if (!takesValue) await expect(run([`--${long}=x`])).rejects.toThrow(UsageError);
      }
      expect(options.map(({ long }) => long)).toContain('help');
      expect(options.length).toBe(new Set(options.map(({ long }) => long)).size);
    }
    const dump = (await completedCommands()).find(({ name }) => name === 'dump');
    expect(dump?.options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(['provider', 'event', 'from', 'to', 'limit', 'manifest', 'json']),
    );
  });

  const hasShell = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
  function script(shell: string): string {
    const { status, stdout, stderr } = tracewright('completion', shell);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const file = join(folder, `completion.${shell}`);
    writeFileSync(file, stdout);
    return file;
  }
  function said(shell: string, ...args: string[]): string[] {
    const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd: folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.split('\n').filter((line) => line !== '');
  }

  it.skipIf(!hasShell('bash'))('is offered by bash', () => {
    const file = script('bash');
    const offered = (...words: string[]) =>
      said(
        'bash',
        '-c',
        `source "$1"; shift; COMP_WORDS=(tracewright "$@"); COMP_CWORD=$#; _tracewright
        printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        file,
        ...words,
      );
    expect(offered('')).toEqual(expect.arrayContaining([...Object.keys(COMMANDS), 'help', '--version']));
    expect(offered('re')).toEqual(['record', 'report']);
    expect(offered('dump', '--li')).toEqual(['--limit']);
    expect(offered('dump', 'perf')).toEqual([]);
    expect(offered('help', 'vi')).toEqual(['view']);
    expect(offered('completion', 'z')).toEqual(['zsh']);
    expect(offered('record', '--', 'node', '--pro')).toEqual([]);
  });

  it.skipIf(!hasShell('fish'))('is offered by fish', () => {
    const file = script('fish');
    const offered = (line: string) =>
      said('fish', '--no-config', '-c', `source ${file}; complete -C ${JSON.stringify(line)}`).map(
        (told) => told.split('\t')[0],
      );
    expect(offered('tracewright re')).toEqual(['record', 'report']);
    expect(offered('tracewright dump --li')).toEqual(['--limit']);
    expect(offered('tracewright help vi')).toEqual(['view']);
  });

  it.skipIf(!hasShell('zsh'))('is loaded by zsh', () => {
    const load = `autoload -Uz compinit; compinit -u -d ${join(folder, 'dump')}; source ${script('zsh')}`;
    expect(said('zsh', '-fc', `${load}; print $_comps[tracewright]`)).toEqual(['_tracewright']);
    // Its functions for completion say what they would offer.
    const offered = (words: string) =>
      said(
        'zsh',
        '-fc',
        `${load}; _describe() { print -l -- \${(P)2%%:*} }; _files() { print files }
        words=(${words}); CURRENT=\${#words}; PREFIX=\${words[-1]}; _tracewright`,
      );
    expect(offered('tracewright re')).toEqual(expect.arrayContaining(['record', 'report', 'help']));
    expect(offered('tracewright dump --li')).toEqual(expect.arrayContaining(['--limit', '--help']));
    expect(offered('tracewright dump perf')).toEqual(['files']);
  });

  it('exists for no other shell', () => {
    expect(tracewright('completion', 'tcsh')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'tracewright: completion takes bash, zsh, fish, not "tcsh".\n',
    });
  });
});
