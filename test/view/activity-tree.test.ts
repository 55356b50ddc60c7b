/** The tree of activities, or the selected part of it. */
import { describe, expect, it } from 'vitest';
import { type ActivityNode, nodesOf } from '../../lib/view/activity-tree.ts';
import { treeOf } from './read-views.ts';
import { during } from './written-events.ts';

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

  it('shows what started what, in order of starts', () => {
    expect(treeOf(EVENTS).roots.flatMap(shown)).toEqual([
      'Loop(//1/1/)',
      '  Request(//1/1/1/)',
      '    Db(//1/1/1/1/)',
      '  Request(//1/1/2/)',
      '    Db(//1/1/2/1/)',
    ]);
  });

  it('shows only what is selected, with everything inside', () => {
    const { roots } = treeOf(EVENTS, { isRoot: (_, { task }) => task === 'Request' });
    expect(roots.map(({ activity }) => activity.label)).toEqual(['Request(//1/1/1/)', 'Request(//1/1/2/)']);
    expect(roots.map(({ children }) => children.length)).toEqual([1, 1]);
  });

  it('keeps the given number of slowest activities, including those that have not stopped', () => {
    const many = Array.from({ length: 5000 }, (_, i): [string, string, number, number?] => {
      const duration = (i * 37) % 5000;
      return ['Request', `//1/${i + 1}`, i * 10_000, ...(i === 4000 ? [] : [i * 10_000 + duration])] as [
        string,
        string,
        number,
        number?,
      ];
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

  it('keeps the fields of starts and stops on request, as in JSON', () => {
    const events = [
      { name: 'OrderStart', id: '//1/1', at: 0, payload: { number: 7n, code: new Uint8Array([1, 255]) } },
      { name: 'OrderStop', id: '//1/1', at: 1, payload: { success: true } },
      { name: 'DbStop', id: '//1/2', at: 2, payload: { rows: 3 } },
    ];
    const payloads = (keepsPayloads: boolean) =>
      treeOf(events, { keepsPayloads }).roots.map(({ payload, stopPayload }) => [payload, stopPayload]);
    expect(payloads(true)).toEqual([
      [{ number: '7', code: '01ff' }, { success: true }],
      [undefined, { rows: 3 }],
    ]);
    expect(payloads(false)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('includes stops without a start', () => {
    const { roots } = treeOf([
      { name: 'RequestStart', id: '//1/1', at: 0 },
      { name: 'DbStop', id: '//1/1/7', at: 1 },
    ]);
    expect(roots.flatMap(shown)).toEqual(['Request(//1/1/)', '  Db(//1/1/7/)']);
  });
});
