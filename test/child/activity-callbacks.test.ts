/** A bare Start in a callback of the event loop stays in that call, however often the callback runs. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from './each-node.ts';

/** Of one call: its number, the event's name, the activity's path. */
type Line = readonly [call: number, name: string, path: string];

const WAYS = [
  'setInterval',
  'refreshedTimeout',
  'setImmediate',
  'messagePort',
  'socket',
  'udp',
  'keepAlive',
  'pipelining',
];

describeEachNode('a bare Start in overlapping callbacks', (run) => {
  let results: Readonly<Record<string, readonly Line[]>>;
  beforeAll(async () => {
    results = (await run('child/activity-programs/callbacks.mjs')) as typeof results;
  });

  describe.each([
    ['bare', 'begins an activity for each call', 3],
    ['bareAfterAwait', 'does so after an await', 3],
    ['aroundScope', 'does so where a scope with another bare Start follows', 3],
    ['inScope', 'does so within a scope', 4],
  ])('%s: it', (variant, what, level) => {
    it.each(WAYS)(`${what} of %s`, (way) => {
      const lines = results[`${variant} ${way}`] ?? [];
      const paths = [1, 2, 3].map((call) => {
        const own = lines.filter(([number]) => number === call);
        const awaited = variant === 'bareAfterAwait' ? [['Note', '-']] : [];
        const path = own.at(-1)?.[2] ?? '';
        expect(own.map(([, name, path]) => [name, path])).toEqual([
          ...awaited,
          ['RequestStart', path],
          ['Note', path],
          ['RequestStop', path],
        ]);
        expect(path.split('/').length - 1).toBe(level);
        return path;
      });
      expect(new Set(paths).size).toBe(3);
    });
  });

  it.each(WAYS)('begins them side by side in the activity that the callback of %s belongs to', (way) => {
    const starts = (results[`inside ${way}`] ?? []).filter(([, name]) => name === 'RequestStart');
    const parents = starts.map(([, , path]) => path.slice(0, path.lastIndexOf('/')));
    expect(starts).toHaveLength(3);
    expect(new Set(parents).size).toBe(1);
  });
});
