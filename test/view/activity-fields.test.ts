/** Statistics and trees by the fields along activities: usage by user. */
import { describe, expect, it } from 'vitest';
import { SelectedStats, type StatsSelection } from '../../lib/view/activity-stats.ts';
import { treeOf } from './read-views.ts';
import { during, type WrittenEvent, written } from './written-events.ts';

function groups(events: readonly WrittenEvent[], selection: StatsSelection) {
  const selected = new SelectedStats(selection);
  for (const event of events) selected.add(written(event));
  return selected.stats.names.map(({ name, group, started, stopped, failed, isRest }) =>
    [name.replace('Demo/', ''), isRest ? '(rest)' : group, started, stopped, failed].join(' '),
  );
}

/** Each with a query, in sequence. */
function requests(...fields: readonly (Record<string, string | number> | undefined)[]): WrittenEvent[] {
  return fields.flatMap((payload, i) => [
    { name: 'RequestStart', id: `//1/${i + 1}`, at: 10 * i, payload: payload ?? {} },
    { name: 'QueryStart', id: `//1/${i + 1}/1`, at: 10 * i + 1 },
    { name: 'QueryStop', id: `//1/${i + 1}/1`, at: 10 * i + 2, payload: { success: i % 2 === 0 } },
    { name: 'RequestStop', id: `//1/${i + 1}`, at: 10 * i + 9 },
  ]);
}

describe('statistics by a field', () => {
  it('group an activity by its own value, otherwise by that of the activities around it', () => {
    expect(
      groups(requests({ user: 'alice' }, { user: 'bob' }, { user: 'alice' }, {}), { by: 'user' }),
    ).toEqual([
      'Request alice 2 2 0',
      'Request bob 1 1 0',
      'Request  1 1 0',
      'Query alice 2 2 0',
      'Query bob 1 1 1',
      'Query  1 1 1',
    ]);
  });

  it('take values from events in the activity and from its Stop; the first one decides', () => {
    const login: WrittenEvent[] = [
      { name: 'RequestStart', id: '//1/1', at: 0 },
      { name: 'Login', id: '//1/1', at: 1, payload: { user: 'alice' } },
      { name: 'ProfileShown', id: '//1/1', at: 2, payload: { user: 'bob' } },
      ...during(['Query', '//1/1/1', 3, 4]),
      { name: 'RequestStop', id: '//1/1', at: 9, payload: { user: 'carol', status: 500n } },
    ];
    expect(groups(login, { by: 'user' })).toEqual(['Request alice 1 1 0', 'Query alice 1 1 0']);
    expect(groups(login, { by: 'status' })).toEqual(['Request 500 1 1 0', 'Query  1 1 0']);
  });

  it('take what activities inside say for those around them, unless it differs', () => {
    const server: WrittenEvent[] = [
      { name: 'ServerStart', id: '//1/1', at: 0 },
      { name: 'RequestStart', id: '//1/1/1', at: 1 },
      { name: 'HandlerStart', id: '//1/1/1/1', at: 2 },
      { name: 'Authenticated', id: '//1/1/1/1', at: 3, payload: { tenant: 'acme' } },
      { name: 'HandlerStop', id: '//1/1/1/1', at: 4 },
      { name: 'RequestStop', id: '//1/1/1', at: 5 },
      { name: 'RequestStart', id: '//1/1/2', at: 6 },
      { name: 'HandlerStart', id: '//1/1/2/1', at: 7, payload: { tenant: 'initech' } },
      { name: 'HandlerStop', id: '//1/1/2/1', at: 8 },
      { name: 'RequestStop', id: '//1/1/2', at: 9 },
      ...during(['Request', '//1/1/3', 10, 11]),
      { name: 'ServerStop', id: '//1/1', at: 12 },
    ];
    expect(groups(server, { by: 'tenant' })).toEqual([
      'Server  1 1 0',
      'Request acme 1 1 0',
      'Request initech 1 1 0',
      'Handler acme 1 1 0',
      'Handler initech 1 1 0',
      'Request  1 1 0',
    ]);
  });

  it('count the selected activities, and what is in them only if that is asked for', () => {
    const isRoot = (_: unknown, { task }: { task: string }) => task === 'Request';
    const events = requests({ user: 'alice' }, { user: 'bob' });
    expect(groups(events, { isRoot })).toEqual(['Request  2 2 0']);
    expect(groups(events, { isRoot, by: 'user' })).toEqual(['Request alice 1 1 0', 'Request bob 1 1 0']);
    expect(groups(events, { isRoot, isInsideCounted: true })).toEqual(['Request  2 2 0', 'Query  2 2 1']);
  });

  it('count only the failed activities', () => {
    const events = requests({ user: 'alice' }, { user: 'bob' }, {}, { user: 'bob' });
    expect(groups(events, { isFailed: true })).toEqual(['Query  2 2 2']);
    expect(groups(events, { isFailed: true, where: { user: 'alice' } })).toEqual([]);
  });

  it('count only the activities with all the given values', () => {
    const events = requests(
      { user: 'alice', tenant: 1 },
      { user: 'alice', tenant: 2 },
      { user: 'bob', tenant: 2 },
    );
    expect(groups(events, { where: { user: 'alice', tenant: '2' } })).toEqual([
      'Request  1 1 0',
      'Query  1 1 1',
    ]);
    expect(groups(events, { by: 'user', where: { tenant: '2' } })).toEqual([
      'Request alice 1 1 0',
      'Request bob 1 1 0',
      'Query alice 1 1 1',
      'Query bob 1 1 0',
    ]);
  });

  it('count activities without a stop, and a late stop with its start', () => {
    const events: WrittenEvent[] = [
      { name: 'RequestStart', id: '//1/1', at: 0, payload: { user: 'alice' } },
      { name: 'MailStart', id: '//1/1/1', at: 1 },
      { name: 'RequestStop', id: '//1/1', at: 2 },
      { name: 'MailStop', id: '//1/1/1', at: 3, payload: { user: 'bob' } },
      { name: 'RequestStart', id: '//1/2', at: 4, payload: { user: 'bob' } },
    ];
    expect(groups(events, { by: 'user' })).toEqual([
      'Request alice 1 1 0',
      'Mail alice 1 1 0',
      'Request bob 1 0 0',
    ]);
  });

  it('can be asked for while the events arrive', () => {
    const selected = new SelectedStats({ by: 'user' });
    const started = () => selected.stats.of('Demo/Request', 'alice');
    selected.add(written({ name: 'RequestStart', id: '//1/1', at: 0, payload: { user: 'alice' } }));
    expect(started()).toMatchObject({ started: 1, unstopped: 1 });
    selected.add(written({ name: 'RequestStop', id: '//1/1', at: 2 }));
    expect(started()).toMatchObject({ started: 1, unstopped: 0 });
  });

  it('count the groups beyond the limit as one', () => {
    const events = Array.from({ length: 5003 }, (_, i): WrittenEvent[] => [
      { name: 'RequestStart', id: '//1/1', at: i, payload: { user: `user ${i}` } },
      { name: 'RequestStop', id: '//1/1', at: i },
    ]);
    const all = groups(events.flat(), { by: 'user' });
    expect(all).toHaveLength(5001);
    expect(all).toContain('Request (rest) 3 3 0');
  });

  it('are not misled by fields with the names of object members', () => {
    const events = requests({ ['__proto__']: 'x' }, { constructor: 'y' });
    expect(groups(events, { by: 'constructor' })[1]).toBe('Request y 1 1 0');
    expect(groups(events, { by: 'toString' })).toHaveLength(2);
  });
});

describe('a tree of the activities with a value', () => {
  const labels = (...[events, options]: Parameters<typeof treeOf>) =>
    treeOf(events, options).roots.map(({ activity, children }) => `${activity.task} ${children.length}`);

  it('has the topmost of them, with everything in them', () => {
    const events = requests({ user: 'alice' }, { user: 'bob' }, {});
    events.splice(-2, 0, { name: 'Login', id: '//1/3/1', at: 21.5, payload: { user: 'alice' } });
    expect(labels(events, { where: { user: 'alice' } })).toEqual(['Request 1', 'Request 1']);
    expect(labels(events, { where: { user: 'carol' } })).toEqual([]);
  });

  it('has the failed ones', () => {
    const events = requests({}, {}, {}, {});
    expect(labels(events, { isFailed: true })).toEqual(['Query 0', 'Query 0']);
    expect(labels(events, { isFailed: true, slowest: 1 })).toEqual(['Query 0']);
  });

  it('can be limited to a name, and to the slowest', () => {
    const events = requests({ user: 'alice' }, { user: 'alice' });
    const isRoot = (_: unknown, { task }: { task: string }) => task === 'Query';
    expect(labels(events, { where: { user: 'alice' }, isRoot })).toEqual(['Query 0', 'Query 0']);
    expect(labels(events, { where: { user: 'alice' }, slowest: 1 })).toEqual(['Request 1']);
  });

  it('finds few among more activities than it can hold', () => {
    const fields = Array.from({ length: 10_000 }, (_, i) => ({ user: i % 1000 === 0 ? 'alice' : 'bob' }));
    const tree = treeOf(requests(...fields), { where: { user: 'alice' }, limit: 4000 });
    expect([tree.roots.length, tree.isCut]).toEqual([10, false]);
  });
});
