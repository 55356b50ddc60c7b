/** What a flight recorder writes of a process that fails: out of memory, an uncaught exception, in a worker thread. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FlightDump } from '../../lib/flight/flight-recorder.ts';
import { readSession } from '../eventpipe/session-trace.ts';
import { named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';

const PROGRAM = fileURLToPath(new URL('programs/fails.mjs', import.meta.url));

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-failing-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fail(what: string, { options = [] as string[], place = folder } = {}) {
  const result = spawnSync(process.execPath, [...options, PROGRAM, place, what], { encoding: 'utf8' });
  const dumps = result.stdout
    .split('\n')
    .filter((line) => line.startsWith('['))
    .flatMap((line) => JSON.parse(line) as FlightDump[]);
  return { ...result, dumps };
}

async function eventsIn(file: string) {
  const { events, trace } = await readSession(readFileSync(file));
  expect(trace.lostEvents).toBe(0);
  return events.filter(({ provider }) => provider === 'Failing-Service');
}

describe('the file of a flight recorder', () => {
  it('is complete before the process runs out of memory', async () => {
    const { status, signal, stderr } = fail('heap', { options: ['--max-old-space-size=64'] });
    expect({ isEnded: status === 0, stderr }).toEqual({
      isEnded: false,
      stderr: expect.stringContaining('heap out of memory'),
    });
    expect(signal ?? status).not.toBe(1);
    const files = readdirSync(folder);
    expect(files).toEqual([expect.stringMatching(/^flight-\d+-.*-heap\.nettrace$/)]);
    const events = await eventsIn(join(folder, files[0] as string));
    expect(events.length).toBeGreaterThan(10);
    expect(events.map(({ payload }) => payload.megabytes)).toEqual(events.map((_, index) => index + 1));
  });

  it('is complete before an exception ends the process', async () => {
    const { status, stderr, dumps } = fail('exception');
    expect(status).toBe(1);
    expect(stderr).toContain('Nobody catches this.');
    expect(dumps).toMatchObject([
      { trigger: 'exception', details: 'An exception was not caught: Error: Nobody catches this.' },
    ]);
    expect(await eventsIn(dumps[0]?.file ?? '')).toHaveLength(1);
  });

  it.skipIf(noSmallDisk !== undefined)(
    named('is missed in a sentence if an exception ends the process on a full disk', noSmallDisk),
    () => {
      const disk = new SmallDisk(join(folder, 'disk'), '64k');
      try {
        disk.fill();
        const { status, stderr, dumps } = fail('exception', { place: disk.path });
        expect({ status, dumps }).toEqual({ status: 1, dumps: [] });
        expect(stderr).toContain('Error: Nobody catches this.');
        const sentence =
          / TracewrightWarning: The flight recorder cannot write a file: .+\.nettrace cannot be written \(ENOSPC\)\.\n/g;
        expect(stderr.match(sentence)).toHaveLength(1);
        expect(readdirSync(disk.path)).toEqual(['.ballast']);
      } finally {
        disk.remove();
      }
    },
  );

  it('is not written for each of the exceptions that the application survives, whatever is thrown', () => {
    const { status, stdout, stderr, dumps } = fail('exceptions');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(dumps).toMatchObject([{ trigger: 'exception' }]);
    expect(dumps[0]?.details).toBe('An exception was not caught: [Object: null prototype] {}');
    expect(stdout).toContain('40 handled, 39 skipped');
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is written because of what a worker thread does', async () => {
    const { status, stderr, dumps } = fail('workers');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(dumps).toMatchObject([
      { trigger: 'failure', details: 'Request has failed.' },
      { trigger: 'error', details: 'The event Broken has level 2.' },
      {
        trigger: 'slow',
        details: expect.stringMatching(/^Request took 1(?:49|[5-9]\d)\.\d ms|Request took [2-9]\d\d/),
      },
    ]);
    const [failure, error, slow] = await Promise.all(dumps.map(({ file }) => eventsIn(file)));
    expect(failure?.at(-1)?.payload).toMatchObject({ success: false, errorMessage: 'expected' });
    expect(error?.at(-1)?.name).toBe('Broken');
    expect(slow?.map(({ name }) => name)).toEqual([
      'RequestStart',
      'RequestStop',
      'RequestStart',
      'RequestStop',
    ]);
  });
});
