/** `tracewright collect`, `counters` and `record` without a tracer, with a command, on the built package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { missingTracer } from '../../lib/record/tracefs.ts';
import { openTrace } from '../../lib/trace/index.ts';
import { itEach, leftToAll } from '../at-length.ts';
import { folder, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';
import { command, interruptible, run } from './fake-target.ts';
import { RunningCommand } from './run-tracewright.ts';

const WRITES = fileURLToPath(new URL('programs/writes.mjs', import.meta.url));
const STUCK = fileURLToPath(new URL('programs/stuck.mjs', import.meta.url));
const BLOCKED = fileURLToPath(new URL('programs/blocked.mjs', import.meta.url));
const SERVES_ON = fileURLToPath(new URL('programs/serves-on.mjs', import.meta.url));
const COUNTS = fileURLToPath(new URL('programs/counts.mjs', import.meta.url));
const NODE = process.execPath;

useFakeProcesses();

/** Numbers of the events in a file. */
async function numbersIn(file: string): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const event of await openTrace(join(folder.path, file))) {
    if (event.provider === 'Collected-Service') numbers.push(event.payload.number);
  }
  return numbers;
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);
/** But for ports of programs that were ended by a signal: these cannot take them away. */
const files = () => readdirSync(folder.path).filter((name) => !name.startsWith('dotnet-diagnostic-'));
const traces = () => readdirSync(folder.path).filter((name) => name.endsWith('.nettrace'));

describe('collect with a command', () => {
  it('records all events from the first one on, and says how the command ended', async () => {
    const collect = new RunningCommand(['collect', '-o', 'a.nettrace', '--', NODE, WRITES], {
      cwd: folder.path,
      env: { TMPDIR: folder.path, NODE_OPTIONS: '--no-deprecation' },
    });
    const { status, stdout, stderr } = await collect.end();
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'Options: --no-deprecation\n' });
    expect(stderr).toMatch(
      /^Collected \d+\.\d kB into a\.nettrace\. Process \d+ has ended\.\n.*node.* exited with status 3\.\n$/,
    );
    expect(await numbersIn('a.nettrace')).toEqual(upTo(100));
    expect(files()).toEqual(['a.nettrace']);
  });

  it('records each process that the command starts in a separate file', async () => {
    const { status, stderr } = await run('collect', '-o', 'a.nettrace', '--', NODE, WRITES, 'start');
    expect(status).toBe(0);
    // Which of the two files is complete first depends on the machine.
    const collected = [...stderr.matchAll(/into (\S+)\. Process (\d+) has ended/g)];
    const files = new Map(collected.map(([, file, processId]) => [file, processId]));
    expect(files.size).toBe(2);
    expect(files.has('a.nettrace')).toBe(true);
    const later = [...files.keys()].find((file) => file !== 'a.nettrace');
    expect(later).toBe(`a.${files.get(later)}.nettrace`);
    for (const file of traces()) expect(await numbersIn(file)).toEqual(upTo(100));
    expect(traces()).toHaveLength(2);
  });

  it.skipIf(missingOnWindows('sh') !== undefined)(
    named('has it wherever it is, though TMPDIR is relative', missingOnWindows('sh')),
    async () => {
      const collect = new RunningCommand(
        [
          'collect',
          '-o',
          'a',
          '--',
          'sh',
          '-c',
          'cd / && TMPDIR="$1" "$2" "$3"',
          'sh',
          folder.path,
          NODE,
          WRITES,
        ],
        { cwd: folder.path, env: { TMPDIR: '.' } },
      );
      expect(await collect.end()).toMatchObject({ status: 3 });
      expect(await numbersIn('a')).toEqual(upTo(100));
    },
  );

  it('names files by process and time', async () => {
    await run('collect', '--', NODE, WRITES);
    expect(traces()).toEqual([expect.stringMatching(/^writes\.mjs_\d{8}_\d{6}\.nettrace$/)]);
  });

  it('ends the command after the given duration', async () => {
    const { status, stderr } = await run('collect', '-o', 'a', '--duration', '2', '--', NODE, WRITES, 'wait');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Collected \d+\.\d kB into a\.\n.*node.* ended by SIGTERM\.\n$/);
    const numbers = await numbersIn('a');
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers).toEqual(upTo(numbers.length));
  });

  interruptible('ends the command on Ctrl-C, and leaves nothing behind', async () => {
    const collect = command('collect', '-o', 'a', '--', NODE, WRITES, 'wait');
    await vi.waitFor(() => expect(collect.stdout).toContain('Options'), { timeout: 10_000 });
    collect.interrupt();
    expect(await collect.end()).toMatchObject({
      status: 128 + 2,
      stderr: expect.stringMatching(/^Collected \d+\.\d kB into a\.\n.*node.* ended by SIGINT\.\n$/),
    });
    expect(files()).toEqual(['a']);
  });

  it('ends near the given size, with a complete trace', async () => {
    const { status, stderr } = await run(
      'collect',
      '-o',
      'a',
      '--provider',
      '*',
      '--max-size',
      '20kB',
      '--',
      NODE,
      WRITES,
      'wait',
    );
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Collected \d+\.\d kB into a\. It is close to --max-size\.\n.* by SIGTERM\.\n$/);
    expect((await numbersIn('a')).length).toBeGreaterThan(100);
    expect(statSync(join(folder.path, 'a')).size).toBeLessThanOrEqual(20_000);
  });

  it('ends a command whose event loop is stuck after the given duration, with the events received', async () => {
    const { status, stderr } = await run('collect', '-o', 'a', '--duration', '1', '--', NODE, STUCK);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^Collected \d+\.\d kB into a\. Process \d+ did not end its session in time; the file has .*\n.* by SIGKILL\.\n$/,
    );
    const numbers: unknown[] = [];
    const reading = (async () => {
      for await (const { provider, payload } of await openTrace(join(folder.path, 'a'))) {
        if (provider === 'Collected-Service') numbers.push(payload.number);
      }
    })();
    // It has no end.
    await expect(reading).rejects.toMatchObject({ code: 'truncated' });
    expect(numbers).toEqual(upTo(100));
  });

  it('says which of the providers asked for were silent, such as one in the wrong case', async () => {
    const providers = 'collected-service,Collected-Service';
    const { stderr } = await run('collect', '-o', 'a', '--provider', providers, '--', NODE, WRITES, 'start');
    expect(stderr.match(/Nothing has come from .*/g)).toEqual([
      'Nothing has come from collected-service: it was silent, or has another name; names are case-sensitive.',
    ]);
  });

  it('ends in time, though the main thread waits in the system and cannot be sampled', async () => {
    const env = { ...process.env, TMPDIR: folder.path };
    const blocked = spawn(NODE, [BLOCKED], { stdio: ['pipe', 'pipe', 'inherit'], env });
    const ended = once(blocked, 'close');
    await once(blocked.stdout, 'data');
    // The second time, the main thread has still not run.
    for (const file of leftToAll === undefined ? ['a', 'b'] : ['a']) {
      const { stderr } = await run(
        ...['collect', '--cpu', '-o', file, '--duration', '1', '-p', String(blocked.pid)],
      );
      expect(stderr).toMatch(/does not answer|did not end its session in time/);
    }
    // The process is as before.
    blocked.stdin.end();
    expect(await ended).toEqual([0, null]);
  }, 120_000);

  it('says that none of its processes has connected', async () => {
    const { status, stderr } = await run('collect', '--', NODE, '--version');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /node.* exited with status 0\.\ntracewright: No process of .*node.* has connected; only Node\.js and \.NET processes do\.\n$/,
    );
    expect(files()).toEqual([]);
  });

  it('says that the command cannot be started, and that the file cannot be written', async () => {
    expect(await run('collect', '--', '/nonexistent')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'tracewright: /nonexistent could not be started (ENOENT).\n',
    });
    if (process.platform !== 'win32') {
      const { stderr } = await run('collect', '--', `${NODE}/none`);
      expect(stderr).toMatch(/^tracewright: .*none could not be started \(ENOTDIR\)\.\n$/);
    }
    const { status, stderr } = await run('collect', '-o', 'no/a', '--', NODE, WRITES, 'wait');
    expect([status, stderr]).toEqual([1, 'tracewright: no/a cannot be written (ENOENT).\n']);
    expect(files()).toEqual([]);
  });

  const shell = missingOnWindows('sh');
  describe.skipIf(shell !== undefined)(named('ends with the exit status of the command', shell), () => {
    itEach<[string, number]>(2, [
      ['kill -KILL $$', 128 + 9],
      ['exit 0', 0],
      ['kill -SEGV $$', 128 + 11],
      ['exit 42', 42],
    ])('as a shell shows it: %s', async (end, expected) => {
      const args = ['sh', '-c', `"$0" "$1" start; ${end}`, NODE, WRITES];
      for (const options of [
        ['-o', 'a'],
        ['--parquet', 'lake'],
      ]) {
        expect((await run('collect', ...options, '--', ...args)).status).toBe(expected);
      }
      expect((await run('counters', '--', ...args)).status).toBe(expected);
      // One that has no process to record is no success, but hides no failure.
      const { status } = await run('collect', '--', 'sh', '-c', end);
      expect(status).toBe(expected === 0 ? 1 : expected);
    });
  });

  it.skipIf(noSmallDisk !== undefined).each([
    ['collect', ['-o', 'disk/a']],
    ['collect', ['--parquet', 'disk', '--parquet-every', '0.2']],
  ])(named('does not end the command when the disk is full: %s %s', noSmallDisk), async (name, options) => {
    const disk = new SmallDisk(join(folder.path, 'disk'), '16k');
    try {
      const { status, stdout, stderr } = await run(name, ...options, '--', NODE, SERVES_ON);
      // It has written, and answered itself, long after.
      expect(stdout).toContain('Served on.\n');
      expect(stderr).toMatch(/^tracewright: disk\S* cannot be written \(ENOSPC\)\. The command goes on\.$/m);
      expect(stderr.match(/cannot be written/g)).toHaveLength(1);
      expect(stderr).toMatch(/exited with status 7\.\n/);
      expect(status).toBe(7);
      expect(await run(name, ...options, '--', NODE, SERVES_ON, '0')).toMatchObject({ status: 1 });
    } finally {
      disk.remove();
    }
  });
});

describe('counters with a command', () => {
  it('shows its values, separately from its output', async () => {
    const { status, stdout, stderr } = await run('counters', '--interval', '0.2', '--', NODE, COUNTS);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^\S+Z {2}System\.Runtime {2}dotnet\.process\.memory\.working_set \(By\) {2}[\d,]+$/m,
    );
    expect(stdout).not.toContain('It runs.');
    expect(stderr).toMatch(/^It runs\.\nProcess \d+ has ended\.\n.*node.* exited with status 0\.\n$/);
  });
});

describe('record where the kernel has no tracer', () => {
  const hasTracer = missingTracer() === undefined ? 'this kernel has a tracer' : undefined;
  const skipped = missingOnWindows('kernel without a tracer') ?? hasTracer;
  const isSkipped = skipped !== undefined;

  it.skipIf(isSkipped)(named('records a command through EventPipe', skipped), async () => {
    const { status, stderr } = await run('record', '--', NODE, WRITES);
    expect(status).toBe(3);
    expect(stderr).toContain('node is recorded through EventPipe instead, into trace.nettrace.\nCollected');
    expect(await numbersIn('trace.nettrace')).toEqual(upTo(100));
  });

  it.skipIf(isSkipped)(named('requests the same events, and keeps an existing file', skipped), async () => {
    writeFileSync(join(folder.path, 'trace.nettrace'), 'old');
    await run('record', '--provider', 'Collected-Service', '--keywords', '2', '--', NODE, WRITES);
    expect(await numbersIn('trace.nettrace')).toEqual(upTo(100));
    expect(existsSync(join(folder.path, 'trace.nettrace.old'))).toBe(true);
    await run('record', '--keywords', '4', '--', NODE, WRITES);
    expect(await numbersIn('trace.nettrace')).toEqual([]);
  });
});
