/** Events of Node.Runtime that require a separate process: garbage collections, fatal exceptions, worker threads. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { activityPath } from '../../lib/index.ts';

const programs = join(import.meta.dirname, 'runtime-programs');

interface Line {
  readonly name?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly activityId?: string;
  readonly timestamp?: string;
  readonly before?: string;
  readonly after?: string;
}

interface Ended {
  readonly code: unknown;
  readonly lines: readonly Line[];
  readonly stderr: string;
}

function run(program: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) {
  return new Promise<Ended>((resolve) => {
    const all = [...nodeOptions, join(programs, program), ...args];
    execFile(process.execPath, all, { timeout: 20_000 }, (error, stdout, stderr) => {
      const texts = stdout.split('\n').filter((text) => text !== '');
      resolve({ code: error?.code ?? 0, lines: texts.map((text) => JSON.parse(text) as Line), stderr });
    });
  });
}

const named = ({ lines }: Ended, name: string) => lines.filter((line) => line.name === name);
const payloadsOf = (ended: Ended, name: string) => named(ended, name).map(({ payload }) => payload);

describe.each(['main', 'worker'])('a garbage collection in a %s thread', (thread) => {
  it('is reported afterwards with its real times, and belongs to no activity', async () => {
    const ended = await run('gc.mjs', [thread], ['--expose-gc']);
    const forced = named(ended, 'GarbageCollection').find(
      ({ payload }) => payload?.kind === 'markSweepCompact',
    );
    expect(forced).toMatchObject({ payload: { flags: 4 } });
    expect(forced?.activityId).toBeUndefined();
    const startTime = BigInt(String(forced?.payload?.startTime));
    const startedAgoMSec = Number(forced?.payload?.startedAgoMSec);
    const durationMSec = Number(forced?.payload?.durationMSec);
    // The call took as long as the collection, and a little longer.
    const before = BigInt(ended.lines.find((line) => line.before !== undefined)?.before ?? 0);
    const after = BigInt(ended.lines.find((line) => line.after !== undefined)?.after ?? 0);
    expect(durationMSec).toBeGreaterThan(0.1);
    expect(durationMSec).toBeLessThanOrEqual(Number(after - before) / 1e6);
    expect(startedAgoMSec).toBeGreaterThan(durationMSec);
    const fromStamp = Number(BigInt(forced?.timestamp ?? 0) - startTime) / 1e6;
    expect(Math.abs(fromStamp - startedAgoMSec)).toBeLessThan(5);
    expect(fromStamp).toBeLessThan(500);
  });
});

describe('an uncaught exception', () => {
  it('is reported with its code and stack, and ends the process as usual', async () => {
    const ended = await run('throws.mjs', ['error']);
    expect(payloadsOf(ended, 'UncaughtException')).toEqual([
      {
        origin: 'uncaughtException',
        type: 'RangeError',
        code: 'ERR_TOO_FAR',
        message: 'too far',
        stack: expect.stringMatching(/^RangeError: too far\n {4}at .*throws\.mjs/),
      },
    ]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('RangeError: too far');
  });

  it('may be the reason of a rejected promise', async () => {
    const ended = await run('throws.mjs', ['rejection']);
    expect(payloadsOf(ended, 'UncaughtException')).toMatchObject([
      { origin: 'unhandledRejection', type: 'TypeError', message: 'not a thing' },
    ]);
    expect(ended.code).toBe(1);
  });

  it('is reported in the activity in which it was thrown', async () => {
    const ended = await run('throws.mjs', ['activity']);
    const [thrown] = named(ended, 'UncaughtException');
    expect(thrown).toMatchObject({ payload: { message: 'at work' } });
    expect(activityPath(thrown?.activityId ?? '')).toBe('//1/1');
  });

  it('does not have to be an error', async () => {
    const ended = await run('throws.mjs', ['text']);
    expect(payloadsOf(ended, 'UncaughtException')).toEqual([
      { origin: 'uncaughtException', type: 'string', code: '', message: 'just a text', stack: '' },
    ]);
  });

  it('may be an object that throws when accessed', async () => {
    const ended = await run('throws.mjs', ['hostile']);
    expect(payloadsOf(ended, 'UncaughtException')).toMatchObject([{ type: 'object', stack: '' }]);
  });

  it('is truncated to what a tracer accepts', async () => {
    const ended = await run('throws.mjs', ['long']);
    const [payload] = payloadsOf(ended, 'UncaughtException');
    expect(payload?.message).toMatch(/^é{499}…$/);
    expect(Buffer.byteLength(Object.values(payload ?? {}).join(''))).toBeLessThan(8000);
  });

  it('is left to whoever handles it after all', async () => {
    const ended = await run('throws.mjs', ['caught']);
    expect(ended.lines.map(({ name }) => name)).toEqual(['ProcessInfo', 'UncaughtException', 'caught']);
    expect(ended.code).toBe(0);
  });

  it('is not reported once the listener has gone', async () => {
    const ended = await run('throws.mjs', ['unheard']);
    expect(payloadsOf(ended, 'UncaughtException')).toEqual([]);
    expect(ended.code).toBe(1);
  });
});

describe('a worker thread', () => {
  it('is reported when it is created, and when it has exited, with its exit code', async () => {
    const ended = await run('workers.mjs');
    const ofThreads = ended.lines.filter(({ name }) => name?.startsWith('Worker'));
    expect(ofThreads).toMatchObject([
      { name: 'WorkerCreated', payload: { workerThreadId: 1 } },
      { name: 'WorkerExited', payload: { workerThreadId: 1, exitCode: 0 } },
      { name: 'WorkerCreated', payload: { workerThreadId: 2 } },
      { name: 'WorkerExited', payload: { workerThreadId: 2, exitCode: 3 } },
    ]);
    expect(ofThreads[1]?.payload?.durationMSec).toBeGreaterThan(0);
  });
});

describe('a process with Node.Runtime', () => {
  it('observes nothing until a listener comes, nor after it has gone, and does not stay alive for one', async () => {
    const ended = await run('quiet.mjs');
    const [states] = ended.lines as unknown as [readonly Readonly<Record<string, number>>[]];
    const [plain, enabled, listened, left] = states;
    expect(enabled).toEqual(plain);
    // Timers that are unref'd are none that keep the loop alive.
    expect(listened).toEqual({
      exceptionMonitors: 1,
      warnings: (plain?.warnings ?? 0) + 1,
      workers: (plain?.workers ?? 0) + 1,
      timers: 0,
    });
    expect(left).toEqual(plain);
    expect(ended.code).toBe(0);
  });
});
