/** CPU time by activity on each Node.js: activities with known shares get what they took. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { ChargedSamples } from '../../lib/view/cpu/charged-samples.ts';
import { CpuActivities } from '../../lib/view/cpu/cpu-activities.ts';
import { CpuProfile } from '../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { describeEachNode } from './each-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-shares-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SHARES = { Large: 60, Medium: 30, Small: 10 };
const TOLERANCE = 3;
/** On a machine under load, single samples stand for anything: more of them are taken. */
const MAX_RUNS = 4;

/** Adds up the CPU time by activity. @returns the share of samples that are charged to activities */
async function addTimes(file: string, times: Map<string, number>): Promise<number> {
  const profile = new CpuProfile(new FrameNames());
  const activities = new CpuActivities(undefined);
  const samples = new ChargedSamples(
    activities.tracker,
    (sample) => void (sample.isBusy && activities.addSample(sample)),
  );
  for await (const event of await openTrace(file)) {
    activities.add(event);
    const stack = profile.take(event);
    if (stack === undefined) samples.addEvent(event);
    else samples.addSample(event, stack);
  }
  samples.end();
  for (const { name, total } of activities.names().values()) {
    times.set(name, (times.get(name) ?? 0) + total.ns + total.intervals * samples.intervalNs);
  }
  return activities.charged.samples / activities.all.samples;
}

/** In percent of what is charged to activities. */
function sharesOf(times: ReadonlyMap<string, number>): number[] {
  const each = Object.keys(SHARES).map((name) => times.get(`Shares-Service/${name}`) ?? 0);
  const sum = each.reduce((a, b) => a + b, 0);
  return each.map((ns) => (ns / sum) * 100);
}

describeEachNode('CPU time by activity', (run, major) => {
  it('has the shares that three activities took, amid timers, files, awaits and a worker', async () => {
    const times = new Map<string, number>();
    const file = join(folder, `${major}.nettrace`);
    const isFar = (share: number, index: number) =>
      Math.abs(share - (Object.values(SHARES)[index] as number)) >= TOLERANCE;
    for (let runs = 0; runs < MAX_RUNS && (runs === 0 || sharesOf(times).some(isFar)); runs++) {
      await run('child/cpu-programs/shares.mjs', file);
      expect(await addTimes(file, times)).toBeGreaterThan(0.85);
    }
    expect(sharesOf(times).filter(isFar)).toEqual([]);
  }, 120_000);
});
