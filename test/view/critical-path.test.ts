/** What made an activity slow. */
import { describe, expect, it } from 'vitest';
import { criticalPath } from '../../lib/view/critical-path.ts';
import { treeOf } from './read-views.ts';
import { during, type WrittenEvent } from './written-events.ts';

describe('the critical path', () => {
  function pathOf(events: readonly WrittenEvent[]): string[] {
    const tree = treeOf(events);
    const [root] = tree.roots;
    return root === undefined
      ? []
      : criticalPath(root, tree.activities.nowNs).map(
          ({ node, depth, durationNs, selfNs }) =>
            `${'  '.repeat(depth)}${node.activity.task} ${durationNs / 1e6} ${selfNs / 1e6}`,
        );
  }

  it('is the chain of activities that ended last, each before the next started', () => {
    const events = during(
      ['Request', '//1/1', 0, 100],
      ['Security', '//1/1/1', 5, 20],
      ['FastDb', '//1/1/2', 22, 40],
      ['SlowDb', '//1/1/3', 23, 80],
      ['Connect', '//1/1/3/1', 25, 65],
      ['Render', '//1/1/4', 82, 95],
    );
    expect(pathOf(events)).toEqual([
      'Request 100 15',
      '  Security 15 15',
      '  SlowDb 57 17',
      '    Connect 40 40',
      '  Render 13 13',
    ]);
  });

  it('omits what outlived its parent, which did not wait for it', () => {
    expect(
      pathOf(during(['Request', '//1/1', 0, 10], ['Db', '//1/1/1', 1, 4], ['Mail', '//1/1/2', 2, 30])),
    ).toEqual(['Request 10 7', '  Db 3 3']);
  });

  it('includes activities without an end, up to the end of the trace', () => {
    const events = during(['Request', '//1/1', 0], ['Db', '//1/1/1', 10], ['Tick', '//1/2', 50, 50]);
    expect(pathOf(events)).toEqual(['Request 50 10', '  Db 40 40']);
  });

  it('counts each moment once: the self times add up to the whole', () => {
    const random = (() => {
      let state = 42;
      return (below: number) => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state % below;
      };
    })();
    for (let round = 0; round < 200; round++) {
      const ids = ['//1/1'];
      const events = during(
        ['Root', '//1/1', 0, 1000],
        ...Array.from({ length: 20 }, (_, i): [string, string, number, number] => {
          const id = `${ids[random(ids.length)]}/${i + 1}`;
          ids.push(id);
          const from = random(900) + 1;
          return ['Child', id, from, from + random(1000)];
        }),
      );
      const tree = treeOf(events);
      const [root] = tree.roots;
      const steps = root === undefined ? [] : criticalPath(root, tree.activities.nowNs);
      expect(steps.reduce((sum, { selfNs }) => sum + selfNs, 0)).toBe(1000e6);
      expect(steps.every(({ selfNs }) => selfNs >= 0)).toBe(true);
    }
  });

  it('is found at any depth', () => {
    const ids = Array.from({ length: 5000 }, (_, i) => (i === 0 ? '//1/1' : `//1/1$${i}`));
    const events = ids.map((id, i) => ({ name: 'LevelStart', id, at: i, related: ids[i - 1] ?? '//1' }));
    expect(pathOf(events).length).toBe(5000);
  });
});
