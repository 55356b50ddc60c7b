/** Durations summed up by name. */
import { describe, expect, it } from 'vitest';
import { statsOf } from './read-views.ts';
import { during } from './written-events.ts';

describe('the statistics of a name', () => {
  it('sum up the durations of stopped activities, and count the others', () => {
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

  it('count a late stop once', () => {
    const [request, mail] = statsOf(during(['Request', '//1/1', 0, 10], ['Mail', '//1/1/1', 5, 12])).names;
    expect(request).toMatchObject({ selfNs: 5e6 });
    expect(mail).toMatchObject({ started: 1, stopped: 1, totalNs: 7e6, selfNs: 7e6 });
  });
});
