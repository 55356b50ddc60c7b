/** The outputs of sessions: streams and files, and what happens when one fails. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  event,
  SessionError,
  type SessionOptions,
  startSession,
} from '../../lib/index.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { linuxOnly, missingOnWindows, named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';
import { readSession } from './session-trace.ts';

const INDEX = new URL('../../dist/index.js', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

const log = defineEventSource('Session-Test', { Plain: event({ n: 'int32' }) });
const warnings = () => vi.spyOn(process, 'emitWarning').mockImplementation(() => {});

describe('a file', () => {
  it.skipIf(missingOnWindows('modes of files') !== undefined).each([undefined, 0o666, 0o640, 0o400])(
    named('is for its owner alone, whatever was there before (mode %o)', missingOnWindows('modes of files')),
    async (existing) => {
      const path = join(folder, `mode-${existing}.nettrace`);
      if (existing !== undefined) {
        writeFileSync(path, 'x'.repeat(100_000));
        chmodSync(path, existing | 0o200);
      }
      const session = startSession({ providers: 'Session-Test', output: path });
      expect(statSync(path).mode & 0o077).toBe(0);
      log.Plain({ n: 1 });
      const result = await session.close();
      expect(result).toMatchObject({ events: 1, problem: undefined });
      expect(statSync(path).size).toBe(result.bytes);
    },
  );
});

describe('a stream', () => {
  it('receives the trace, and is ended', async () => {
    const stream = new PassThrough();
    const pieces: Buffer[] = [];
    stream.on('data', (piece) => pieces.push(piece));
    const session = startSession({ providers: 'Session-Test', output: stream });
    log.Plain({ n: 1 });
    const result = await session.close();
    expect(await session.close()).toBe(result);
    const { events } = await readSession(Buffer.concat(pieces));
    expect(events.length).toBe(1);
    expect(stream.writableFinished).toBe(true);
  });

  it('that does not accept its bytes takes no more memory than the buffer', async () => {
    warnings();
    const stuck = new Writable({ write: () => {} });
    const session = startSession({ providers: 'Session-Test', output: stuck, maxBufferBytes: 2 ** 20 });
    for (let n = 0; n < 300_000; n++) log.Plain({ n });
    expect(session.result.dropped).toBeGreaterThan(100_000);
    expect(stuck.writableLength).toBeLessThan(1.1 * 1024 * 1024);
    stuck.destroy();
    expect((await session.close()).problem).toMatch(/^The session's stream cannot be written: /);
  });
});

describe('an output that fails', () => {
  it('such as a file ends the session with the reason', async () => {
    const warned = warnings();
    const output = join(folder, 'not-there', 'x.nettrace');
    const session = startSession({ providers: 'Session-Test', output });
    log.Plain({ n: 1 });
    expect(log.Plain.enabled).toBe(false);
    const problem = `The session's file ${output} cannot be written (ENOENT).`;
    expect(await session.close()).toEqual({ events: 0, dropped: 0, bytes: 0, problem });
    expect(warned).toHaveBeenCalledExactlyOnceWith(problem, 'TracewrightWarning');
  });

  it.skipIf(linuxOnly('/dev/full') !== undefined).each(['drop', 'block'] as const)(
    named('as a full disk, too (%s)', linuxOnly('/dev/full')),
    async (mode) => {
      warnings();
      const session = startSession({
        providers: 'Session-Test',
        output: '/dev/full',
        maxBufferBytes: 0.1 * 2 ** 20,
        mode,
      });
      for (let n = 0; n < 20_000; n++) log.Plain({ n });
      expect((await session.close()).problem).toContain('/dev/full cannot be written (ENOSPC)');
      expect(log.Plain.enabled).toBe(false);
    },
  );

  it.skipIf(linuxOnly('/dev/full') !== undefined)(
    named('as it does when the process ends, at the latest', linuxOnly('/dev/full')),
    () => {
      const program = `const { defineEventSource, event, startSession } = await import('${INDEX}');
        const log = defineEventSource('Session-Test', { Plain: event({ n: 'int32' }) });
        startSession({ providers: 'Session-Test', output: '/dev/full' });
        log.Plain({ n: 1 });
        process.exit(3);`;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
      });
      expect(status).toBe(3);
      expect(stderr).toMatch(
        /^\(node:\d+\) TracewrightWarning: The session's file \/dev\/full cannot be written \(ENOSPC\)\.\n/,
      );
    },
  );

  it.skipIf(noSmallDisk !== undefined).each(['drop', 'block'] as const)(
    named('such as a full disk has whole events, and counts the others (%s)', noSmallDisk),
    async (mode) => {
      warnings();
      const disk = new SmallDisk(join(folder, `disk-${mode}`), '1m');
      try {
        const output = join(disk.path, 'session.nettrace');
        const session = startSession({ providers: 'Session-Test', output, mode });
        let written = 0;
        for (let turn = 0; turn < 500; turn++) {
          for (let n = 0; n < 1000; n++)
            if (log.Plain.enabled) written += Number(log.Plain({ n }) === undefined);
          await new Promise(setImmediate);
        }
        const { events, dropped, bytes, problem } = await session.close();
        expect(problem).toBe(`The session's file ${output} cannot be written (ENOSPC).`);
        let delivered = 0;
        const trace = await openTrace(output, { onDamage: 'warning' });
        for await (const batch of trace.batches()) delivered += batch.length;
        expect(delivered).toBeGreaterThan(1000);
        expect(events).toBe(delivered);
        expect(events + dropped).toBe(written);
        expect(statSync(output).size).toBe(bytes);
      } finally {
        disk.remove();
      }
    },
  );

  it.each([
    ['fails', new Writable({ write: (_, __, done) => done(new Error('gone')) })],
    [
      'throws',
      new Writable({
        write: () => {
          throw new Error('gone');
        },
      }),
    ],
  ])('such as a stream that %s, too', async (_, output) => {
    warnings();
    const session = startSession({ providers: 'Session-Test', output });
    log.Plain({ n: 1 });
    expect((await session.close()).problem).toBe("The session's stream cannot be written: Error: gone");
  });

  it('such as a stream that somebody else ends, too', async () => {
    warnings();
    const output = new PassThrough().resume();
    const session = startSession({ providers: 'Session-Test', output });
    output.end();
    await vi.waitFor(() => expect(session.result.problem).toContain('ended from outside'));
    await session.close();
  });
});

it.each([
  [{ output: '' }, "A session's output must be a path or a Writable, not ''."],
  [{ nettraceVersion: 5 }, "A session's nettraceVersion must be 4 or 6, not 5."],
  [{ maxBufferBytes: 0 }, "A session's maxBufferBytes must be a number above 0, not 0."],
  [{ mode: 'wait' }, "A session's mode must be 'drop' or 'block', not 'wait'."],
  [{ mode: 'block', output: new PassThrough() }, /only if the output is a path/],
  [
    { buffer: 1 },
    'A session has no option "buffer"; the options are providers, output, nettraceVersion, maxBufferBytes, mode, rundown.',
  ],
])('a session rejects %j', (options, message) => {
  const all = { providers: 'A', output: join(folder, 'x.nettrace'), ...options } as SessionOptions;
  expect(() => startSession(all)).toThrow(SessionError);
  expect(() => startSession(all)).toThrow(message);
});
