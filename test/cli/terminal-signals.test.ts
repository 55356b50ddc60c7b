/**
 * Signals that a terminal, `timeout` or a service manager sends to both the command and the recorded program: the
 * recording ends first, then the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { REPEAT_MS } from '../../lib/cli/stop-request.ts';
import { openTrace } from '../../lib/trace/index.ts';
import { folder, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { linuxOnly, missingOnWindows, named } from '../platforms.ts';
import { RunningCommand } from './run-tracewright.ts';

const HEEDS = fileURLToPath(new URL('programs/heeds.mjs', import.meta.url));
const STARTS_LATER = fileURLToPath(new URL('programs/starts-later.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const NODE = process.execPath;
const SECONDS_10 = { timeout: 10_000 };

vi.setConfig({ testTimeout: 30_000 });
useFakeProcesses();

/** Of the events in a file that has its end: reading one that was cut off fails. */
async function numbersIn(file: string): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const event of await openTrace(join(folder.path, file))) {
    if (event.provider === 'Collected-Service') numbers.push(event.payload.number);
  }
  return numbers;
}

/** In a group of its own, as a shell starts it. */
function inGroup(...args: string[]): RunningCommand {
  return new RunningCommand(args, { cwd: folder.path, env: { TMPDIR: folder.path }, detached: true });
}

/** @returns the number of the program that is recorded */
async function running(command: { readonly stdout: string }): Promise<number> {
  await vi.waitFor(() => expect(command.stdout).toContain('runs.'), SECONDS_10);
  return Number(/Process (\d+) runs/.exec(command.stdout)?.[1]);
}

async function expectWholeTrace(file: string): Promise<void> {
  const numbers = await numbersIn(file);
  expect(numbers.length).toBeGreaterThanOrEqual(50);
  expect(numbers).toEqual(numbers.map((_, index) => index));
}

/** But for ports of programs that were ended by a signal: these cannot take them away. */
const files = () => readdirSync(folder.path).filter((name) => !name.startsWith('dotnet-diagnostic-'));
const isAlive = (processId: number) => existsSync(`/proc/${processId}`);
const stateOf = (processId: number) => readFileSync(`/proc/${processId}/stat`, 'latin1').split(') ')[1]?.[0];

describe.skipIf(missingOnWindows('signals to groups of processes') !== undefined)(
  named('a signal to the whole group', missingOnWindows('signals to groups of processes')),
  () => {
    it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
      '%s ends what collect records once the file is complete',
      async (signal) => {
        const collect = inGroup('collect', '-o', 'a', '--', NODE, HEEDS);
        await running(collect);
        collect.signalGroup(signal);
        const { status, stderr } = await collect.end();
        expect(stderr).toMatch(
          new RegExp(`^Collected \\d+\\.\\d kB into a\\.\\n.*node.* ended by ${signal}\\.\\n$`),
        );
        expect(status).toBe(128 + constants.signals[signal]);
        await expectWholeTrace('a');
      },
    );

    it('reaches the program once, after its session has ended', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', NODE, HEEDS, 'SIGINT');
      const processId = await running(collect);
      collect.signalGroup('SIGINT');
      await vi.waitFor(() => expect(collect.stdout).toContain('Got SIGINT'), SECONDS_10);
      await expectWholeTrace('a');
      expect(collect.stdout.match(/Got SIGINT/g)).toHaveLength(1);
      // Who signals once more does not want to wait for it.
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
      collect.signalGroup('SIGINT');
      expect((await collect.end()).status).toBe(null);
      await vi.waitFor(() => expect(isAlive(processId)).toBe(false), SECONDS_10);
      expect(files()).toEqual(['a']);
    });

    it('ends counters, and then its program', async () => {
      const counters = inGroup('counters', '--', NODE, HEEDS);
      // There, what the program says goes to stderr.
      await vi.waitFor(() => expect(counters.stderr).toContain('runs.'), SECONDS_10);
      await vi.waitFor(() => expect(counters.stdout).not.toBe(''), SECONDS_10);
      counters.signalGroup('SIGINT');
      expect(await counters.end()).toMatchObject({
        status: 128 + 2,
        stderr: expect.stringMatching(/runs\.\n.*node.* ended by SIGINT\.\n$/),
      });
    });

    it('received twice, as from npx and from timeout, counts once', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', NODE, HEEDS);
      await running(collect);
      for (const signal of ['SIGTERM', 'SIGHUP'] as const) collect.signalGroup(signal);
      const { status, stderr } = await collect.end();
      const [ended = ''] = /SIGTERM|SIGHUP/.exec(stderr) ?? [];
      expect(status).toBe(128 + constants.signals[ended as NodeJS.Signals]);
      await expectWholeTrace('a');
    });

    it('received twice ends a recording without a command once, too', async () => {
      const program = spawn(NODE, [HEEDS], {
        env: { ...process.env, TMPDIR: folder.path, TRACEWRIGHT_DIAGNOSTICS: '1' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(program.stdout, 'data');
      const collect = inGroup('collect', '-o', 'a', '-p', String(program.pid));
      await vi.waitFor(() => expect(files()).toEqual(['a']), SECONDS_10);
      for (const signal of ['SIGINT', 'SIGTERM'] as const) collect.signalGroup(signal);
      expect(await collect.end()).toMatchObject({ status: 0 });
      program.kill();
      for await (const _ of await openTrace(join(folder.path, 'a')));
    });

    it('reaches everything that the command has started', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', 'sh', '-c', '"$1" "$2"; true', 'sh', NODE, HEEDS);
      const processId = await running(collect);
      collect.signalGroup('SIGINT');
      expect(await collect.end()).toMatchObject({ status: 128 + 2 });
      await vi.waitFor(() => expect(isAlive(processId)).toBe(false), SECONDS_10);
      await expectWholeTrace('a');
    });
  },
);

describe.skipIf(linuxOnly('job control that is tried here') !== undefined)(
  named('the stopping of the job', linuxOnly('job control that is tried here')),
  () => {
    it('stops and continues the program, too', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', NODE, HEEDS);
      const processId = await running(collect);
      collect.signalGroup('SIGTSTP');
      for (const each of [collect.processId, processId]) {
        await vi.waitFor(() => expect(stateOf(each)).toBe('T'), SECONDS_10);
      }
      collect.signalGroup('SIGCONT');
      await vi.waitFor(() => expect(stateOf(processId)).toMatch(/[RS]/), SECONDS_10);
      collect.signalGroup('SIGINT');
      expect(await collect.end()).toMatchObject({ status: 128 + 2 });
      await expectWholeTrace('a');
    });
  },
);

describe.skipIf(missingOnWindows('signals to groups of processes') !== undefined)(
  named('a collector that is killed', missingOnWindows('signals to groups of processes')),
  () => {
    it('leaves a file that can be read to its last complete block', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', NODE, HEEDS);
      const processId = await running(collect);
      const file = join(folder.path, 'a');
      const dumped = async () => {
        const dump = await new RunningCommand([
          'dump',
          '--json',
          '--provider',
          'Collected-Service',
          file,
        ]).end();
        expect(dump.stderr).toMatch(/^tracewright: The trace is truncated/);
        const lines = dump.stdout.split('\n').filter((line) => line !== '');
        return lines.map((line) => (JSON.parse(line) as { payload: { number: number } }).payload.number);
      };
      await vi.waitFor(async () => expect((await dumped()).length).toBeGreaterThan(10), SECONDS_10);
      collect.kill();
      await vi.waitFor(() => expect(isAlive(collect.processId)).toBe(false), SECONDS_10);
      process.kill(processId, 'SIGKILL');
      const numbers = await dumped();
      expect(numbers.length).toBeGreaterThan(10);
      expect(numbers).toEqual(numbers.map((_, index) => index));
    });

    it('leaves a program whose later child processes start as usual', async () => {
      const collect = inGroup('collect', '-o', 'a', '--', NODE, STARTS_LATER);
      const processId = await running(collect);
      collect.kill();
      await vi.waitFor(() => expect(isAlive(collect.processId)).toBe(false), SECONDS_10);
      // Its private port is left behind, and with it the variables that tell of it.
      expect(files()).toEqual(['a', expect.stringMatching(/^tracewright-/)]);
      process.kill(processId, 'SIGUSR2');
      await vi.waitFor(() => expect(collect.stdout).toContain('Child ended with 0.'), SECONDS_10);
    });
  },
);

/** util-linux's script(1) gives a program a terminal, and types what it is sent. */
const noScript =
  linuxOnly('this script(1)') ?? (existsSync('/usr/bin/script') ? undefined : '/usr/bin/script is missing');

describe.skipIf(noScript !== undefined)(named('on a terminal', noScript), () => {
  function onTerminal(...args: string[]) {
    const line = `exec ${[NODE, MAIN, ...args].map((arg) => `'${arg}'`).join(' ')}`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      cwd: folder.path,
      env: { ...process.env, TMPDIR: folder.path, SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const terminal = {
      stdout: '',
      type: (keys: string) => child.stdin.write(keys),
      hangUp: () => child.kill('SIGKILL'),
      end: async () => {
        await closed;
        return child.exitCode;
      },
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      terminal.stdout += text;
    });
    return terminal;
  }

  it('Ctrl-C ends the recording, and then the program', async () => {
    const terminal = onTerminal('collect', '-o', 'a', '--', NODE, HEEDS);
    await running(terminal);
    await vi.waitFor(() => expect(terminal.stdout).toContain('Collecting: '), SECONDS_10);
    terminal.type('\x03');
    expect(await terminal.end()).toBe(128 + 2);
    expect(terminal.stdout).toMatch(/Collected \d+\.\d kB into a\.\r\n.*node.* ended by SIGINT\.\r\n$/);
    await expectWholeTrace('a');
  });

  it.each([
    ['q', 'q'],
    ['Ctrl-C', '\x03'],
  ])('%s ends the page of counters, and leaves the terminal as it was', async (_, key) => {
    const program = spawn(NODE, [HEEDS], {
      env: { ...process.env, TMPDIR: folder.path, TRACEWRIGHT_DIAGNOSTICS: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void program.kill());
    await once(program.stdout, 'data');
    const terminal = onTerminal('counters', '--interval', '0.2', '-p', String(program.pid));
    await vi.waitFor(() => expect(terminal.stdout).toContain('  event loop delay p99 (ms)'), SECONDS_10);
    terminal.type('s/RSS\r');
    const lastFrame = () =>
      stripVTControlCharacters(terminal.stdout.split('\x1b[H').at(-1) ?? '').split(/\r+\n/);
    await vi.waitFor(
      () => expect(lastFrame().at(-1)).toContain('/ filter: RSS   s sort by value'),
      SECONDS_10,
    );
    expect(lastFrame().slice(0, 3)).toEqual(['Node.js', expect.stringMatching(/^ {2}memory \(rss\)/), '']);
    terminal.type(key);
    expect(await terminal.end()).toBe(0);
    const [page = '', after = ''] = terminal.stdout.split('\x1b[?25h\x1b[?1049l');
    expect(page.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
    expect(stripVTControlCharacters(after)).toMatch(/^\r.*\r\n[\s\S]*(?:\d|--provider)\r\n$/);
  });

  it('the end of its terminal ends the recording, then the program, and leaves nothing behind', async () => {
    const terminal = onTerminal('collect', '-o', 'a', '--', NODE, HEEDS);
    const processId = await running(terminal);
    await vi.waitFor(() => expect(terminal.stdout).toContain('Collecting: '), SECONDS_10);
    terminal.hangUp();
    await vi.waitFor(() => expect(isAlive(processId)).toBe(false), SECONDS_10);
    await vi.waitFor(() => expect(files()).toEqual(['a']), SECONDS_10);
    await expectWholeTrace('a');
  });
});
