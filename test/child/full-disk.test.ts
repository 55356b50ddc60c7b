/** Whatever writes files, on a disk that is full, on each version of Node.js: see soak-programs/full-disk.mjs. */
import { describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { noSmallDisk } from '../small-disk.mjs';
import { showSoak, soakFor } from '../soak.ts';
import { describeEachNode } from './each-node.ts';

const { seconds, timeout } = soakFor(1);

interface Outcomes {
  readonly whole: number;
  readonly full: number;
}

interface Filled {
  readonly sessions: Outcomes;
  readonly dumps: Outcomes;
  readonly opened: number;
  readonly commands: Readonly<Record<string, Outcomes>>;
}

describe.skipIf(noSmallDisk !== undefined)(named('on a full disk', noSmallDisk), () => {
  describeEachNode('whatever writes files', (run, major) => {
    it('says so once, leaves nothing of its own, and does nothing to the application', {
      timeout,
    }, async () => {
      const result = await run('child/soak-programs/full-disk.mjs', String(seconds));
      showSoak(`a full disk, Node.js ${major}`, result);
      expect(result).toMatchObject({ status: 0, stderr: '', faults: [], leftOpen: 0, leftFiles: [] });
      const { sessions, dumps, opened, commands } = result as Filled;
      expect(opened).toBeGreaterThan(100);
      const names = ['export -o', 'export --parquet', 'report -o', 'collect -o', 'an exception'];
      expect(Object.keys(commands)).toEqual(expect.arrayContaining(names));
      for (const [name, { whole, full }] of Object.entries({ sessions, dumps, ...commands })) {
        expect([name, whole > 0, full > 0]).toEqual([name, true, true]);
      }
    });
  });
});
