/** Finding and quoting commands on Windows; test/windows runs the same in Wine's cmd.exe. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../lib/cli/parse-options.ts';
import { RecordedCommand } from '../../lib/cli/record/recorded-command.ts';
import { batchArgument, type WindowsPlaces, windowsCommand } from '../../lib/cli/record/windows-command.ts';
import { hostileArguments } from './hostile-arguments.ts';

/** `files` are all there are. */
function places(files: readonly string[], env: Readonly<Record<string, string>> = {}): WindowsPlaces {
  const lower = new Set(files.map((file) => file.toLowerCase()));
  return {
    env: { PATH: 'C:\\tools;"C:\\Program Files\\nodejs";relative', ComSpec: 'C:\\Windows\\cmd.exe', ...env },
    folder: 'C:\\work',
    isFile: (path) => lower.has(path.toLowerCase()),
  };
}

const NPM = 'C:\\Program Files\\nodejs\\npm';
const fileOf = (name: string, at: WindowsPlaces) => windowsCommand(name, [], at).file;

describe('a command on Windows', () => {
  it('is a batch file run by cmd.exe if its name does not end in an extension for programs', () => {
    // The shell script of that name, which npm puts beside it, is none of PATHEXT.
    expect(windowsCommand('npm', ['start', 'a b'], places([NPM, `${NPM}.cmd`]))).toEqual({
      file: 'C:\\Windows\\cmd.exe',
      args: ['/d', '/e:on', '/v:off', '/s', '/c', `""${NPM}.cmd" start "a b""`],
      isVerbatim: true,
    });
    expect(
      windowsCommand('npm', [], { ...places([`${NPM}.cmd`]), env: { PATH: 'C:\\Program Files\\nodejs' } })
        .file,
    ).toBe('cmd.exe');
  });

  it('is a program, with its arguments left to Node.js', () => {
    const node = 'C:\\Program Files\\nodejs\\node.exe';
    const args = ['a"b', '%PATH%'];
    expect(windowsCommand('node', args, places([node]))).toEqual({ file: node, args, isVerbatim: false });
    expect(windowsCommand('C:\\x\\a.exe', args, places(['C:\\x\\a.exe'])).file).toBe('C:\\x\\a.exe');
  });

  it('is found where the prompt finds it: here, then along PATH, in the order of PATHEXT', () => {
    expect(fileOf('tool', places(['C:\\work\\tool.exe', 'C:\\tools\\tool.exe']))).toBe('C:\\work\\tool.exe');
    const noHere = { NoDefaultCurrentDirectoryInExePath: '1' };
    expect(fileOf('tool', places(['C:\\work\\tool.exe', 'C:\\tools\\tool.exe'], noHere))).toBe(
      'C:\\tools\\tool.exe',
    );
    expect(fileOf('tool', places(['C:\\tools\\tool.cmd', 'C:\\tools\\tool.exe']))).toBe(
      'C:\\tools\\tool.exe',
    );
    const batchFirst = { PATHEXT: '.CMD;.EXE' };
    expect(
      windowsCommand('tool', [], places(['C:\\tools\\tool.cmd', 'C:\\tools\\tool.exe'], batchFirst))
        .isVerbatim,
    ).toBe(true);
    expect(fileOf('.\\bin\\tool', places(['C:\\work\\bin\\tool.exe']))).toBe('C:\\work\\bin\\tool.exe');
    // A name that has an extension of a program is that file; the dot of another name is not one.
    expect(fileOf('tool.CMD', places(['C:\\tools\\tool.cmd']))).toBe('C:\\Windows\\cmd.exe');
    expect(fileOf('tool.js', places(['C:\\tools\\tool.js.exe']))).toBe('C:\\tools\\tool.js.exe');
  });

  it('is left to Node.js if it is not found or cannot be started directly', () => {
    const notFound = { file: 'tool', args: ['a'], isVerbatim: false };
    expect(windowsCommand('tool', ['a'], places([]))).toEqual(notFound);
    expect(windowsCommand('tool', ['a'], places(['C:\\tools\\tool.js'], { PATHEXT: '.JS;.EXE' }))).toEqual(
      notFound,
    );
    // Not in folders that depend on where we are.
    expect(windowsCommand('tool', ['a'], places(['C:\\work\\relative\\tool.exe']))).toEqual(notFound);
    expect(fileOf('a"&calc&"', { ...places([]), isFile: () => true })).toBe('a"&calc&"');
  });

  it.each(['a\nb', 'a\r', 'a\0b'])(
    'refuses the argument %j, of which a batch file would receive only a part',
    (arg) => {
      const run = () => windowsCommand('npm', ['x', arg], places([`${NPM}.cmd`]));
      expect(run).toThrow(UsageError);
      expect(run).toThrow(
        /^npm is a batch file, to which an argument with several lines cannot be passed: "a/,
      );
    },
  );
});

/**
 * What cmd.exe makes of a line: variables are expanded, in quotes too, and a percent sign that begins none stays.
 * Then nothing may be outside of quotes that it would split at or run.
 */
function afterCmd(line: string): string {
  let expanded = '';
  for (let at = 0; at < line.length; ) {
    const [variable, name] = /^%([^%]+)%/.exec(line.slice(at)) ?? [];
    expanded += variable === undefined ? line[at] : name === 'cd:~,' ? '' : `<expanded ${name}>`;
    at += variable?.length ?? 1;
  }
  const outside = expanded.split('"').filter((_, index) => index % 2 === 0);
  for (const part of outside) expect(part, line).not.toMatch(/[&|<>^()!,;=\s]/);
  return expanded;
}

/** As the C runtime of Windows splits what is one argument: backslashes before quotes in pairs, doubled quotes. */
function afterRuntime(text: string): string {
  let result = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; ) {
    const backslashes = /^\\*/.exec(text.slice(at))?.[0].length ?? 0;
    at += backslashes;
    if (text[at] !== '"') {
      result += '\\'.repeat(backslashes) + (text[at] ?? '');
      at++;
      continue;
    }
    result += '\\'.repeat(backslashes >> 1);
    if (backslashes % 2 === 1) result += '"';
    else if (isQuoted && text[at + 1] === '"') {
      result += '"';
      at++;
    } else isQuoted = !isQuoted;
    at++;
  }
  expect(isQuoted, text).toBe(false);
  return result;
}

describe('an argument of a batch file', () => {
  it.each(hostileArguments)('arrives unchanged: %j', (arg) => {
    expect(afterRuntime(afterCmd(batchArgument(arg)))).toBe(arg);
  });

  it('is quoted only if necessary', () => {
    expect(['start', '--port=1', 'a/b.mjs', 'C:\\x', 'ä'].map(batchArgument)).toEqual([
      'start',
      '"--port=1"',
      'a/b.mjs',
      'C:\\x',
      'ä',
    ]);
  });

  it('arrives unchanged, whatever it contains', () => {
    const characters = ['"', '\\', '%', ' ', '&', '^', '!', 'a', '|', '<', "'", '(', 'cd:~,', '\u{1f600}'];
    let seed = 1;
    const next = (limit: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % limit;
    };
    for (let round = 0; round < 20_000; round++) {
      const arg = Array.from({ length: next(8) }, () => characters[next(characters.length)]).join('');
      expect(afterRuntime(afterCmd(batchArgument(arg)))).toBe(arg);
    }
  });
});

const elsewhere =
  process.platform === 'win32' ? '' : ' (skipped: there is no cmd.exe here; test/windows has Wine’s)';

it.skipIf(elsewhere !== '')(
  `a batch file receives its arguments through Windows' own cmd.exe${elsewhere}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracewright & ä '));
    try {
      const script =
        'require("node:fs").writeFileSync(process.argv[2], JSON.stringify(process.argv.slice(3)))';
      writeFileSync(join(folder, 'shown.cjs'), script);
      writeFileSync(
        join(folder, 'shown.cmd'),
        `@ECHO off\r\n"${process.execPath}" "%~dp0\\shown.cjs" %*\r\n`,
      );
      const output = join(folder, 'got.json');
      for (const list of [[], hostileArguments, ...hostileArguments.map((arg) => [arg])]) {
        const command = new RecordedCommand([join(folder, 'shown'), output, ...list], {});
        expect(await command.ended).toMatchObject({ status: 0 });
        expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual(list);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);
