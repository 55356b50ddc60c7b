/**
 * Everything that can happen to the process on a real kernel: threads that come and go, exits, forks, switches of the
 * tracer, permissions, missing or closed files.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceStats, SourceStatus } from '../../lib/index.ts';
import { programs, runProgram, skipReason, suiteName } from './guest.ts';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Counts of a source of which nothing was dropped. */
const written = (count: number) => ({ written: count, dropped: {}, tooLargeForFtrace: 0, badValues: 0 });

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a process that traces', 'uml'), () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync('/tmp/tracewright-test-');
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true });
  });

  it('survives fifty workers that are terminated while they write', { timeout: 90_000 }, async () => {
    const result = await runProgram<{ stats: SourceStats; entries: number }>('workers.mjs');
    expect(result.stats).toEqual(written(50));
    // Each worker said that it had written four activities, of three events.
    expect(result.entries).toBeGreaterThanOrEqual(50 + 50 * 12);
  });

  it('may load the library only in a worker, which exits before the tracer is switched', async () => {
    const result = await runProgram<Record<string, unknown>>('worker-only.mjs');
    expect(result).toEqual({
      first: { code: 0, answer: 'user_events' },
      second: { code: 0, answer: 'user_events' },
      followed: 20,
      lines: 12,
      stats: written(10),
    });
  });

  it('may exit while it writes an event, and its tracepoint is removed with it', async () => {
    expect(await runProgram('exits.mjs')).toEqual({ statuses: [42, 42, 42, 42, 42] });
  });

  it('may fork, with and without exec', async () => {
    const addon = join(scratch, 'fork.node');
    const headers = join(dirname(dirname(process.execPath)), 'include', 'node');
    execFileSync('cc', ['-shared', '-fPIC', `-I${headers}`, '-o', addon, join(programs, 'fork.c')]);
    expect(await runProgram('forked.mjs', [addon])).toEqual({
      statuses: new Array(20).fill(0),
      stats: written(10),
      childStats: written(1),
      lines: 11,
    });
  });

  it('may contain two copies of the package, which share tracepoints and activities', async () => {
    const copy = join(scratch, 'copy');
    mkdirSync(copy);
    for (const part of ['dist', 'build/Release/tracewright.node', 'package.json']) {
      cpSync(join(packageFolder, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(packageFolder, 'node_modules'), join(copy, 'node_modules'));
    const result = await runProgram<{ same: boolean; ids: string[]; lines: number; written: number[] }>(
      'two-copies.mjs',
      [copy],
    );
    const [outer, outerElsewhere, inner] = result.ids;
    expect(result).toMatchObject({ same: false, lines: 6, written: [3, 3] });
    expect(outerElsewhere).toBe(outer);
    // //1/1 and //1/1/1: the first eight digits show it.
    expect([outer?.slice(0, 8), inner?.slice(0, 8)]).toEqual(['00000011', '00001011']);
  });

  it('continues to write while the tracer is switched on and off a thousand times', {
    timeout: 90_000,
  }, async () => {
    const result = await runProgram<{
      togglerStatus: number;
      calls: number;
      stats: SourceStats;
      read: number;
      overrun: number;
    }>('toggled.mjs');
    expect(result.togglerStatus).toBe(0);
    expect(result.stats.written).toBeGreaterThan(0);
    // The kernel takes some that it does not record, in the moment between the switch of the word and that of
    // the recorder; it never records one that was not written.
    expect(result.read + result.overrun).toBeGreaterThan(result.stats.written / 2);
    expect(result.read + result.overrun).toBeLessThanOrEqual(result.stats.written);
    expect(Object.keys(result.stats.dropped).filter((reason) => reason !== 'nobodyListens')).toEqual([]);
  });

  it('without permission says which one is missing, and its listeners work anyway', async () => {
    type Answer = { uid: number; status: SourceStatus; heard: number };
    const { before, after } = await runProgram<{ before: Answer; after: Answer }>('permissions.mjs');
    expect(before).toMatchObject({ uid: 65534, heard: 1, status: { backend: 'none', problems: [] } });
    expect(before.status.reason).toBe(
      'This user may not write /sys/kernel/tracing/user_events_data (EACCES). ' +
        'As root, for a group of this user: chgrp GROUP /sys/kernel/tracing /sys/kernel/tracing/user_events_data && chmod g+x /sys/kernel/tracing && chmod g+w /sys/kernel/tracing/user_events_data',
    );
    expect(after).toEqual({ uid: 65534, heard: 1, status: { backend: 'user_events', problems: [] } });
  });

  it('finds user_events_data, or says where it was looked for', async () => {
    const results = await runProgram<Record<string, SourceStatus>>('places.mjs');
    const found = { backend: 'user_events', problems: [] };
    expect(results).toMatchObject({ usual: found, folder: found, file: found, mounted: found });
    expect(results.missing?.reason).toMatch(/^There is no \/nowhere: user_events needs Linux 6\.4/);
    expect(results.nowhere?.reason).toMatch(/^There is no \/sys\/kernel\/tracing\/user_events_data: /);
    expect(results.otherFile?.problems).toEqual([
      'The file given as user_events_data is a different kind of file (ENOTTY).',
    ]);
  });

  it('keeps its descriptor from programs that it runs, and survives the closing of it', async () => {
    expect(await runProgram('descriptor.mjs')).toEqual({
      inherited: false,
      stats: { written: 1, dropped: { fileClosed: 2 }, tooLargeForFtrace: 0, badValues: 0 },
    });
  });
});
