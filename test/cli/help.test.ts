/** The version, the help, and shell completion, on the built package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../lib/cli/commands.ts';
import { named } from '../platforms.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'tracewright-help-'));
afterAll(() => rmSync(folder, { recursive: true }));

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

const scripts = new Map<string, string>();
/** The completion script of a shell, which takes seconds to make. */
function scriptOf(shell: string): string {
  const script = scripts.get(shell) ?? tracewright('completion', shell).stdout;
  scripts.set(shell, script);
  return script;
}

/** The guides, in which an option is found by its long or its short name. */
const guides = [
  'README.md',
  ...readdirSync(new URL('../../docs', import.meta.url)).map((name) => `docs/${name}`),
]
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
  .join('\n');

describe('the options of', async () => {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) => ({ name, ...(await load()) })),
  );

  describe.each(commands)('$name', ({ name, commandLine }) => {
    const rows = Object.entries(commandLine.rows);

    it('are all in its help, which fits a terminal', () => {
      const help = commandLine.help(80);
      for (const [option, { short, value }] of rows) {
        const names = `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value.name}`}`;
        expect(help).toMatch(new RegExp(`^  ${names.replace(/[[\]|.]/g, '\\$&')}(?:$|  )`, 'm'));
      }
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(new Set(help.match(/^ {2}(?:-\w, )?--[\w-]+/gm)).size).toBe(rows.length);
    });

    it('are completed by each shell', () => {
      const [, words = ''] = new RegExp(`^    ${name}\\) words='(.*)' ;;$`, 'm').exec(scriptOf('bash')) ?? [];
      const [, described = ''] =
        new RegExp(`^    ${name}\\) options=\\((.*?)^    \\)`, 'ms').exec(scriptOf('zsh')) ?? [];
      for (const [option] of [...rows, ['help'] as const]) {
        expect(words.split(' ')).toContain(`--${option}`);
        expect(described).toMatch(new RegExp(`^ *'--${option}:`, 'm'));
        expect(scriptOf('fish')).toContain(`subcommand_from ${name}' -l ${option} `);
      }
    });

    it('are in the guides', () => {
      const isTold = ([option, { short }]: (typeof rows)[number]) => {
        const names = short === undefined ? `--${option}` : `(?:--${option}|[\\s\`]-${short})`;
        return new RegExp(`${names}(?![\\w-])`).test(guides);
      };
      expect(rows.filter((row) => !isTold(row)).map(([option]) => option)).toEqual([]);
    });
  });
});

describe('completion', () => {
  const missing = (shell: string) =>
    spawnSync(shell, ['-c', 'true']).status === 0 ? undefined : `${shell} is missing`;
  const [noBash, noFish, noZsh] = ['bash', 'fish', 'zsh'].map(missing);
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

  it.skipIf(noBash !== undefined)(named('is offered by bash', noBash), () => {
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
    expect(offered('export', 'a.nettrace', '--format', 'sp')).toEqual(['speedscope']);
    expect(offered('view', '--level', '')).toEqual([]);
    expect(offered('dump', '--level', 'w')).toEqual(['warning']);
    mkdirSync(join(folder, 'tables'), { recursive: true });
    expect(offered('export', '--parquet', 't')).toEqual(['tables']);
    expect(offered('record', '--', 'node', '--pro')).toEqual([]);
  });

  it.skipIf(noFish !== undefined)(named('is offered by fish', noFish), () => {
    const file = script('fish');
    const offered = (line: string) =>
      said('fish', '--no-config', '-c', `source ${file}; complete -C ${JSON.stringify(line)}`).map(
        (told) => told.split('\t')[0],
      );
    expect(offered('tracewright re')).toEqual(['record', 'report']);
    expect(offered('tracewright dump --li')).toEqual(['--limit']);
    expect(offered('tracewright help vi')).toEqual(['view']);
    expect(offered('tracewright export --format sp')).toEqual(['speedscope']);
  });

  it.skipIf(noZsh !== undefined)(named('is loaded by zsh', noZsh), () => {
    const load = `autoload -Uz compinit; compinit -u -d ${join(folder, 'dump')}; source ${script('zsh')}`;
    expect(said('zsh', '-fc', `${load}; print $_comps[tracewright]`)).toEqual(['_tracewright']);
    // Its functions for completion say what they would offer.
    const offered = (words: string) =>
      said(
        'zsh',
        '-fc',
        `${load}; _describe() { print -l -- \${(P)2%%:*} }; _files() { if [[ $1 == -/ ]]; then print folders; else print files; fi }; compadd() { shift; print -l -- $@ }
        words=(${words}); CURRENT=\${#words}; PREFIX=\${words[-1]}; _tracewright`,
      );
    expect(offered('tracewright re')).toEqual(expect.arrayContaining(['record', 'report', 'help']));
    expect(offered('tracewright dump --li')).toEqual(expect.arrayContaining(['--limit', '--help']));
    expect(offered('tracewright dump perf')).toEqual(['files']);
    expect(offered('tracewright collect --parquet t')).toEqual(['folders']);
    expect(offered('tracewright record --mode c')).toEqual(['sequential', 'circular', 'newfile']);
  });

  it('exists for no other shell', () => {
    expect(tracewright('completion', 'tcsh')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'tracewright: completion takes bash, zsh, fish, not "tcsh".\n',
    });
  });
});
