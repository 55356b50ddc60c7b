/** The tree, the statistics, the critical path and the comparison of activities. */
import { describe, expect, it } from 'vitest';
import { ActivityStats } from '../../lib/view/activity-stats.ts';
import { ActivityTracker } from '../../lib/view/activity-tracker.ts';
import {
  type ActivityNode,
  ActivityTree,
  type ActivityTreeOptions,
  nodesOf,
} from '../../lib/view/activity-tree.ts';
import { compareStats } from '../../lib/view/compare.ts';
import { criticalPath } from '../../lib/view/critical-path.ts';
import { type WrittenEvent, written } from './written-events.ts';

/** Starts and stops of activities, in the order of time. */
function during(...activities: [task: string, id: string, from: number, to?: number][]): WrittenEvent[] {
  return activities
    .flatMap(([task, id, from, to]) => [
      { name: `${task}Start`, id, at: from },
      ...(to === undefined ? [] : [{ name: `${task}Stop`, id, at: to }]),
    ])
    .sort((a, b) => a.at - b.at);
}

function treeOf(events: readonly WrittenEvent[], options: ActivityTreeOptions = {}): ActivityTree {
  const tree = new ActivityTree(options);
  for (const event of events) tree.add(written(event));
  return tree;
}

function statsOf(events: readonly WrittenEvent[]): ActivityStats {
  const tracker = new ActivityTracker();
  const stats = new ActivityStats();
  for (const event of events) {
    const change = tracker.add(written(event));
    if (change !== undefined) stats.add(change);
  }
  return stats;
}

const shown = (root: ActivityNode) =>
  Array.from(nodesOf(root), ({ activity }) => `${'  '.repeat(activity.depth)}${activity.label}`);

describe('the tree of activities', () => {
  const EVENTS = during(
    ['Loop', '//1/1', 0, 100],
    ['Request', '//1/1/1', 10, 40],
    ['Db', '//1/1/1/1', 15, 20],
    ['Request', '//1/1/2', 12, 90],
    ['Db', '//1/1/2/1', 30],
  );

  it('has what started what, in the order of the starts', () => {
    expect(treeOf(EVENTS).roots.flatMap(shown)).toEqual([
      'Loop(//1/1/)',
      '  Request(//1/1/1/)',
      '    Db(//1/1/1/1/)',
      '  Request(//1/1/2/)',
      '    Db(//1/1/2/1/)',
    ]);
  });

  it('shows only what is wanted, with all that is in it', () => {
    const { roots } = treeOf(EVENTS, { isRoot: (_, { task }) => task === 'Request' });
    expect(roots.map(({ activity }) => activity.label)).toEqual(['Request(//1/1/1/)', 'Request(//1/1/2/)']);
    expect(roots.map(({ children }) => children.length)).toEqual([1, 1]);
  });

  it('keeps the slowest of any number, those that have not stopped among them', () => {
    const many = Array.from({ length: 5000 }, (_, i): [string, string, number, number?] => {
      const duration = (i * 37) % 5000;
      return ['Request', `//1/${i + 1}`, i * 10_000, ...(i === 4000 ? [] : [i * 10_000 + duration])] as [string, string, number, number?];
    });
    const tree = treeOf(during(...many), { slowest: 3, limit: 4000 });
    expect(tree.roots.map(({ activity }) => tree.durationNs(activity) / 1e6)).toEqual([
      999 * 10_000 + ((4999 * 37) % 5000),
      4999,
      4998,
    ]);
    expect(tree.isCut).toBe(false);
  });

  it('ends at its limit, and says so', () => {
    const tree = treeOf(EVENTS, { limit: 3 });
    expect(tree.roots.flatMap(shown).length).toBe(3);
    expect(tree.isCut).toBe(true);
  });

  it('has a place for stops without a start', () => {
    const { roots } = treeOf([
      { name: 'RequestStart', id: '//1/1', at: 0 },
      { name: 'DbStop', id: '//1/1/7', at: 1 },
    ]);
    expect(roots.flatMap(shown)).toEqual(['Request(//1/1/)', '  Db(//1/1/7/)']);
  });
});

describe('the statistics of a name', () => {
  it('sum up the durations of what stopped, and count what did not', () => {
    const [request, db] = statsOf([
      ...during(['Request', '//1/1', 0, 10], ['Db', '//1/1/1', 2, 5], ['Db', '//1/1/2', 4, 8]),
      ...during(['Request', '//1/2', 20, 50], ['Db', '//1/2/1', 25]),
      { name: 'RequestStop', id: '//1/9', at: 60 },
    ]).names;
    expect(request).toMatchObject({
      name: 'Demo/Request',
      started: 2,
      stopped: 2,
      unstopped: 0,
      unstarted: 1,
      totalNs: 40e6,
      selfNs: 9e6,
      meanNs: 20e6,
      durations: { min: 10e6, max: 30e6, count: 2 },
    });
    expect(db).toMatchObject({ name: 'Demo/Db', started: 3, stopped: 2, unstopped: 1, totalNs: 7e6 });
  });

  it('count a late stop as one', () => {
    const [request, mail] = statsOf(during(['Request', '//1/1', 0, 10], ['Mail', '//1/1/1', 5, 12])).names;
    expect(request).toMatchObject({ selfNs: 5e6 });
    expect(mail).toMatchObject({ started: 1, stopped: 1, totalNs: 7e6, selfNs: 7e6 });
  });
});

describe('the critical path', () => {
  function pathOf(events: readonly WrittenEvent[]): string[] {
    const tree = treeOf(events);
    const [root] = tree.roots;
    return root === undefined
      ? []
      : criticalPath(root, tree.tracker.nowNs).map(
          ({ node, depth, durationNs, selfNs }) =>
            `${'  '.repeat(depth)}${node.activity.task} ${durationNs / 1e6} ${selfNs / 1e6}`,
        );
  }

  it('is the chain of those that ended last, each before the next started', () => {
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

  it('leaves out what outlived its parent, which was not waited for', () => {
    expect(
      pathOf(during(['Request', '//1/1', 0, 10], ['Db', '//1/1/1', 1, 4], ['Mail', '//1/1/2', 2, 30])),
    ).toEqual(['Request 10 7', '  Db 3 3']);
  });

  it('goes through activities without an end, to the end of the trace', () => {
    const events = during(['Request', '//1/1', 0], ['Db', '//1/1/1', 10], ['Tick', '//1/2', 50, 50]);
    expect(pathOf(events)).toEqual(['Request 50 10', '  Db 40 40']);
  });

  it('takes each moment once: the self times add up to the whole', () => {
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
      const steps = root === undefined ? [] : criticalPath(root, tree.tracker.nowNs);
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

describe('a comparison', () => {
  it('puts names side by side, the largest change first', () => {
    const before = statsOf(during(['A', '//1/1', 0, 10], ['B', '//1/2', 0, 10]));
    const after = statsOf(during(['A', '//1/1', 0, 11], ['C', '//1/2', 0, 3]));
    expect(
      compareStats(before, after).map(({ name, before, after, totalChangeNs }) => [
        name,
        before?.totalNs,
        after?.totalNs,
        totalChangeNs,
      ]),
    ).toEqual([
      ['Demo/B', 10e6, undefined, -10e6],
      ['Demo/C', undefined, 3e6, 3e6],
      ['Demo/A', 10e6, 11e6, 1e6],
    ]);
  });
});
