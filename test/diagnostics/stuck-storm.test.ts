/**
 * An application with a port that is stuck again and again, under clients of every bad kind, on each version of Node.js:
 * see programs/stuck-storm.mjs.
 */
import { expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { soakFor } from '../soak.ts';

const { seconds, timeout } = soakFor(4);

interface Stormed {
  readonly stuckTimes: number;
  readonly opened: number;
  readonly counts: Readonly<Record<string, number>>;
}

if (process.platform === 'linux') {
  describeEachNode('a port while its thread is stuck', (run) => {
    it('harms no file of the application, nor ends it', { timeout }, async () => {
      const result = await run('diagnostics/programs/stuck-storm.mjs', String(seconds));
      expect(result).toMatchObject({ status: 0, stderr: '', faults: [], leftOpen: 0 });
      const { stuckTimes, opened, counts } = result as Stormed;
      expect(stuckTimes).toBeGreaterThan(0);
      expect(opened).toBeGreaterThan(100);
      for (const kind of ['silent', 'half', 'slow', 'dying', 'deaf', 'sampling', 'leaving', 'answered']) {
        expect([kind, (counts[kind] ?? 0) > 0]).toEqual([kind, true]);
      }
    });

    it('is not starved by clients that sample, and come and go', { timeout: 120_000 }, async () => {
      const result = await run('diagnostics/programs/starved.mjs');
      // Without a limit, the 1.5 seconds of its work never ended.
      expect(result).toEqual({
        alone: expect.any(Number),
        sampled: expect.any(Number),
        clients: expect.any(Number),
      });
    });
  });
}
