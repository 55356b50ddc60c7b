/** The contents of a report, as its page decodes them. */
import { describe, expect, it } from 'vitest';
import { ReportNames } from '../../../lib/view/report/report-names.ts';
import { during, type WrittenEvent, written } from '../written-events.ts';
import { reportOf } from './read-report.ts';

const read = (
  events: readonly WrittenEvent[],
  ...rest: [trace?: object, limits?: { events: number; activities: number }]
) => reportOf(events.map(written), ...rest).then(({ data }) => data);

describe('a report', () => {
  it('counts failed activities, also those whose stop is not among its events', async () => {
    const { activities } = await read(
      during(['Request', '//1/1', 0, 10], ['Request', '//1/2', 1, 20], ['Request', '//1/3', 2, 30]).map(
        (event) =>
          event.name === 'RequestStop' && event.id !== '//1/2'
            ? { ...event, payload: { success: false, errorMessage: 'timed out' } }
            : event,
      ),
      {},
      { events: 4, activities: 10 },
    );
    expect(Array.from(activities.failed)).toEqual([1, 0, 1]);
    expect(activities.failedCount).toBe(2);
    expect([0, 1, 2].map((index) => activities.failure(index))).toEqual(['timed out', undefined, '']);
    expect([0, 1, 2].map((index) => activities.stateOf(index))).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('contains the events with their times, threads, ids and fields', async () => {
    const { events, header } = await read([
      {
        name: 'RequestStart',
        at: 1.5,
        id: '//1/1',
        threadId: 7,
        payload: { url: 'http://site/', size: 12n },
      },
      {
        name: 'Other/Log',
        at: 3,
        id: '//1/1',
        related: '//1/9',
        payload: { message: '"quoted"', rate: Number.NaN },
      },
      { name: 'Empty', at: 4 },
    ]);
    expect(Array.from(events.time)).toEqual([1.5e6, 3e6, 4e6]);
    expect([0, 1, 2].map((event) => `${events.provider(event)}/${events.name(event)}`)).toEqual([
      'Demo/Request/Start',
      'Other/Log',
      'Demo/Empty',
    ]);
    expect(header.threads[events.thread[0] ?? -1]).toEqual({
      processId: 4321,
      threadId: 7,
      processName: 'node',
    });
    expect(events.idText(events.id[1] ?? -1)).toBe('//1/1');
    expect(events.idText(events.relatedId[1] ?? -1)).toBe('//1/9');
    expect(events.payload(0)).toEqual([
      { name: 'url', value: 'http://site/' },
      { name: 'size', value: '12' },
    ]);
    expect(events.payload(1)).toEqual([
      { name: 'message', value: '"quoted"' },
      { name: 'rate', value: 'NaN' },
    ]);
    expect(events.payload(2)).toEqual([]);
    expect(Array.from(events.activity)).toEqual([0, 0, -1]);
  });

  it('contains the activities as a tree', async () => {
    const { activities, header } = await read([
      ...during(['Request', '//1/1', 0, 10], ['Db', '//1/1/1', 2, 5], ['Db', '//1/1/2', 6]),
      { name: 'LateStop', at: 12, id: '//1/7' },
      { name: 'OpenStart', at: 13, id: '//1/8' },
      { name: 'Log', at: 20 },
    ]);
    expect(Array.from(activities.parent)).toEqual([-1, 0, 0, -1, -1]);
    expect(Array.from(activities.roots)).toEqual([0, 3, 4]);
    expect([0, 1, 2, 3, 4].map((index) => `${activities.name(index)} ${activities.path(index)}`)).toEqual([
      'Request //1/1',
      'Db //1/1/1',
      'Db //1/1/2',
      'Late //1/7',
      'Open //1/8',
    ]);
    expect([0, 1, 2, 3, 4].map((index) => activities.stateOf(index))).toEqual([
      'stopped',
      'stopped',
      'killed',
      'unstarted',
      'open',
    ]);
    expect([0, 1, 2, 3, 4].map((index) => activities.durationNs(index) / 1e6)).toEqual([10, 3, 4, 0, 7]);
    expect(activities.selfNs(0)).toBe(3e6);
    expect(
      header.statistics.map(({ name, stopped, unstopped }) => [name, stopped, unstopped]),
    ).toContainEqual(['Demo/Db', 1, 1]);
  });

  it('knows the start and stop events of an activity', async () => {
    const { activities } = await read(during(['Request', '//1/1', 0, 10], ['Request', '//1/2', 2, 5]));
    expect(Array.from(activities.startEvent)).toEqual([0, 1]);
    expect(Array.from(activities.stopEvent)).toEqual([3, 2]);
  });

  it('is empty for a trace without events', async () => {
    const { events, activities, header } = await read([]);
    expect({ events: events.count, activities: activities.count }).toEqual({ events: 0, activities: 0 });
    expect(header).toMatchObject({ startNs: 0, endNs: 0, notices: [] });
  });
});

describe('what a report omits', () => {
  it('are events and activities beyond a limit, with a notice', async () => {
    const written = during(['A', '//1/1', 0, 1], ['B', '//1/2', 2, 3], ['C', '//1/3', 4, 5]);
    const { events, activities, header } = await read(written, {}, { events: 4, activities: 1 });
    expect({ events: events.count, activities: activities.count }).toEqual({ events: 4, activities: 1 });
    expect(header).toMatchObject({ eventCount: 6, activityCount: 3, endNs: 5e6 });
    expect(header.notices).toEqual([
      'Only the first 4 of 6 events are in this report.',
      'Only the first 1 of 3 activities are in this report; the statistics include all.',
    ]);
    expect(header.statistics.length).toBe(3);
  });

  it('are the ends of long values and everything that does not fit, with a notice', async () => {
    const long = 'x'.repeat(100_000);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field${index}`, index]));
    const { events, header } = await read([
      { name: 'Long', at: 1, payload: { long } },
      { name: 'Many', at: 2, payload: many },
    ]);
    expect(events.payload(0)).toEqual([{ name: 'long', value: `${long.slice(0, 4096)}…` }]);
    expect(events.payload(1)?.length).toBe(256);
    expect(header.notices).toEqual(['Long values of 2 events are shortened.']);
  });

  it('are payloads when all together are too large, with a notice', async () => {
    const payload = { a: 'a'.repeat(4000), b: 'b'.repeat(4000), c: 'c'.repeat(4000), d: 'd'.repeat(4000) };
    const full = Array.from({ length: 9000 }, (_, at) => ({ name: 'Full', at, payload }));
    const { events, header } = await read(full);
    expect(events.payload(0)?.length).toBe(4);
    expect(events.payload(8999)).toBeUndefined();
    expect(header.notices.length).toBe(1);
    expect(header.notices[0]).toMatch(/^The payloads of \d+ events are omitted because of their size\.$/);
  }, 30_000);

  it('says that starts without an id are not activities', async () => {
    const { header } = await read([{ name: 'RequestStart', at: 1 }]);
    expect(header.notices).toEqual(['1 start has no activity id, and is shown only as an event.']);
  });
});

describe('names in a report', () => {
  it('are shortened if nobody would read them in full', () => {
    const names = new ReportNames();
    names.provider('p'.repeat(1_000_000));
    expect(names.providers).toEqual([`${'p'.repeat(300)}…`]);
  });
});

describe('the file of a report', () => {
  const hostile = '</script><script>alert(1)</script><!-- " \' & \u2028 \ud800';

  it('contains data from the trace only in base64', async () => {
    const { html, data } = await reportOf(
      [
        written({
          name: `${hostile.replaceAll('/', '')}Start`,
          at: 1,
          id: '//1/1',
          payload: { [hostile]: hostile },
        }),
      ],
      { name: hostile, notices: [hostile] },
    );
    expect(html).not.toContain('alert(1)');
    expect(html).not.toContain('\u2028');
    expect(data.header.name).toBe(hostile);
    // JSON keeps even half a surrogate pair.
    expect(data.events.payload(0)).toEqual([{ name: hostile, value: hostile }]);
  });

  it('allows its own style and script, and nothing from elsewhere', async () => {
    const { html } = await reportOf([]);
    expect(html).toMatch(
      /content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"/,
    );
    expect(html).not.toMatch(/\b(?:src|href)=|\burl\(|@import/);
  });
});
