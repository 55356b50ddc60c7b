/** A recording by root next to a hostile program of another user. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isSoak, showSoak, soakFor } from '../soak.ts';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';

const script = fileURLToPath(new URL('programs/beside-neighbour.mjs', import.meta.url));

interface Result {
  readonly written: number;
  readonly statuses: Record<string, number>;
  readonly record: string;
  readonly shown: number;
  readonly neighbour: { readonly connected: number; readonly refused: number; readonly registered: number };
  readonly problems: string;
  readonly usages: readonly { readonly middleKib: number; readonly lastKib: number }[];
  readonly stats: {
    readonly lostEvents: number;
    readonly providers: readonly { readonly provider: string; readonly events: number }[];
  };
}

const kernels: readonly (readonly [kernel: KernelKind, seconds: number])[] = [
  ['uml', 10],
  ['qemu', 20],
];

for (const [kernel, shortly] of kernels) {
  const { seconds, timeout } = soakFor(shortly);
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a hostile neighbour', kernel), () => {
    it('reaches no recorder, and costs it no events', { timeout }, async () => {
      const output = await runScript(`node ${script} ${seconds}`, { kernel, timeout: timeout / 1000 - 10 });
      showSoak(`beside a neighbour, ${kernel}`, output);
      const result = JSON.parse(output) as Result;
      expect(result).toMatchObject({ problems: '', statuses: { record: 0, live: 0, neighbour: 0 } });
      expect(result.neighbour.connected).toBe(0);
      expect(result.neighbour.refused).toBeGreaterThan(0);
      expect(result.neighbour.registered).toBeGreaterThan(20);
      const paced = result.stats.providers.find(({ provider }) => provider === 'Paced_Service');
      expect([paced?.events, result.stats.lostEvents]).toEqual([result.written, 0]);
      expect(result.shown).toBe(result.written);
      expect(result.record).toMatch(
        /not recorded because of a "\/" or a control character in the name: .*slash_L4K1/,
      );
      expect(result.record).not.toMatch(/[^\n -~]/);
      // Within seconds, the memory of a start does not settle.
      const grown = result.usages.filter(({ middleKib, lastKib }) => lastKib > 1.5 * middleKib);
      if (isSoak) expect(grown).toEqual([]);
    });
  });
}
