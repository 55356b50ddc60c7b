/**
 * `tracewright record --ring` with perf events and through tracefs: each dump is a whole file, with the latest events in
 * order, and perf script reads it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SymbolFolders } from '../../lib/symbols/symbol-folders.ts';
import { openTrace, type TraceEvent } from '../../lib/trace/index.ts';
import { CpuProfile, isCpuSample } from '../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const record = `node ${main} record --ring`;
const powerless = 'setpriv --bounding-set=-all --inh-caps=-all';
const TICK = 'Recorded_Service_L4K0';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => rmSync(folder, { recursive: true }));

const dumpsIn = () =>
  readdirSync(folder)
    .filter((name) => /^ring\.data\.\d+$/.test(name))
    .sort()
    .map((name) => join(folder, name));

const ticksIn = (events: readonly TraceEvent[]) =>
  events.flatMap(({ name, payload }) => (name === 'Tick' ? [payload.number as number] : []));

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a ring of the latest events', 'uml'), () => {
  it.each([
    ['perf events', ''],
    ['tracefs', powerless],
  ])('of %s is written on a signal and at the end', { timeout: 90_000 }, async (_, privileges) => {
    const output = await runScript(
      `exec 2>&1; ${privileges} ${record} --buffer-size 64KiB -o ${folder}/ring.data -- \\
        node recorded.mjs 1000 --dumped ${folder}
      for f in ${folder}/ring.data.*; do perf script -i $f 2>/dev/null >$f.txt; done`,
      { rw: [folder] },
    );
    const { number } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '') as { number: number };
    const dumps = dumpsIn();
    expect(dumps).toHaveLength(2);
    const ticks = await Promise.all(dumps.map(async (path) => ticksIn(await readEvents(path))));
    const [first = [], last = []] = ticks;
    expect(first.length).toBeGreaterThan(100);
    expect(first).toEqual(first.map((_, index) => (first[0] ?? 0) + index));
    expect(last.at(-1)).toBe(number - 1);
    expect(last[0]).toBeGreaterThan(first[0] ?? Number.POSITIVE_INFINITY);
    expect(last).toEqual([...new Set(last)].toSorted((a, b) => a - b));
    for (const [index, path] of dumps.entries()) {
      expect(readFileSync(`${path}.txt`, 'utf8').split(TICK)).toHaveLength((ticks[index]?.length ?? 0) + 1);
      expect(output).toContain(`${path} (`);
    }
  });

  it('says when its files have the size that they may have', { timeout: 60_000 }, async () => {
    const output = await runScript(
      `exec 2>&1; ${record} --max-size 1MiB --buffer-size 4MiB -o ${folder}/ring.data -- \\
        node recorded.mjs 20000 --dumped ${folder}`,
      { rw: [folder] },
    );
    expect(dumpsIn()).toHaveLength(1);
    expect(output).toMatch(/^Nothing is written: the files have 1\.0 MB, the limit of --max-size\./m);
  });
});

describe.skipIf(skipReason('qemu') !== undefined)(suiteName('a ring of CPU samples', 'qemu'), () => {
  it('has names, even of a program that has ended', { timeout: 180_000 }, async () => {
    await runScript(
      `exec 2>&1; ${record} --cpu --buffer-size 256KiB -o ${folder}/ring.data -- node busy-events.mjs 3
      cp $(ls -t /tmp/perf-*.map | head -1) /proc/kallsyms ${folder}`,
      { kernel: 'qemu', rw: [folder] },
    );
    const [path = ''] = dumpsIn();
    const trace = await openTrace(path);
    const profile = new CpuProfile(new FrameNames(new SymbolFolders([folder, '/'])));
    let samples = 0;
    for await (const batch of trace.batches()) {
      for (const event of batch) {
        profile.add(event);
        if (isCpuSample(event)) samples++;
      }
    }
    expect(samples).toBeGreaterThan(100);
    const { functions } = profile.costs(trace.processNames, trace.mappings);
    const names = functions.slice(0, 5).map(({ frame }) => frame.name);
    expect(names.join('\n')).toMatch(/JS:.warmFunction /);
  });
});
