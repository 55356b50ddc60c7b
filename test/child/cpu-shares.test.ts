/** CPU time by activity on each Node.js: activities with known shares get what they took. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { CpuShares } from '../view/cpu/cpu-shares.ts';
import { describeEachNode } from './each-node.ts';

/** On a machine under load, a few samples prove little: more of them are taken. */
const MAX_RUNS = 4;

const folder = mkdtempSync(join(tmpdir(), 'tracewright-shares-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeEachNode('CPU time by activity', (run, major) => {
  it('has the shares that three activities took, amid timers, files, awaits and a worker', async () => {
    const file = join(folder, `${major}.nettrace`);
    const shares = new CpuShares();
    for (let runs = 0; runs < MAX_RUNS && (runs === 0 || shares.wrong.length > 0); runs++) {
      await run('child/cpu-programs/shares.mjs', file);
      await shares.add(await openTrace(file));
      expect(shares.charged).toBeGreaterThan(0.85);
    }
    expect(shares.wrong).toEqual([]);
  }, 120_000);
});
