/** The page of a live view in a real browser. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LiveFeed, type LiveSource } from '../../lib/view/live/live-feed.ts';
import { LiveServer } from '../../lib/view/live/live-server.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { Page, skipReason, suiteName } from './chromium.ts';

const TRACE = {
  info: { format: 'nettrace', startTime: 0n, hasWallTime: true, pointerSize: 8, properties: {} },
  processNames: new Map(),
  lostEvents: 0,
  mappings: undefined,
} as const;

let source: LiveSource;
let server: LiveServer;
let page: Page;

const write = (...events: WrittenEvent[]) => {
  for (const event of events) source.add(written(event));
};
const rowsOf = (list: string) => `Array.from(document.querySelectorAll('.list-${list} .window .row'),
  (row) => Array.from(row.children, (cell) => cell.textContent).join('|'))`;
const rows = (list: string) => page.evaluate<string[]>(rowsOf(list));
const untilRows = (list: string, count: number) => page.until(`${rowsOf(list)}.length === ${count}`);

describe.skipIf(skipReason !== undefined)(suiteName('the live page'), () => {
  beforeEach(async () => {
    const feed = new LiveFeed();
    source = feed.open('app', TRACE);
    server = await LiveServer.open(feed);
    page = await Page.open(server.url);
  });
  afterEach(async () => {
    await page.close();
    await server.close();
  });

  it('shows events as they come, newest first, with text as text', async () => {
    write({ name: 'Log', at: 1, payload: { text: '<img src=x onerror=alert(1)>' } });
    await untilRows('stream', 1);
    write({ name: 'Log', id: '//1/1', at: 2 });
    await untilRows('stream', 2);
    expect(await rows('stream')).toEqual([
      '2.000|4321/1|Demo/Log|//1/1|',
      '1.000|4321/1|Demo/Log||text="<img src=x onerror=alert(1)>"',
    ]);
    expect(await page.evaluate('document.images.length')).toBe(0);
    expect(await page.text('#facts')).toContain('2 events');
    expect(page.problems).toEqual([]);
    expect(page.requests.every((url) => url.startsWith(server.url))).toBe(true);
  });

  it('shows what is running, and how long what has ended took', async () => {
    write(...during(['Request', '//1/1', 1, 9], ['Slow', '//1/2', 3]).filter(({ at }) => at < 9));
    await untilRows('running', 2);
    write({ name: 'RequestStop', id: '//1/1', at: 9 });
    await untilRows('running', 1);
    expect((await rows('running'))[0]).toMatch(/^6(\.0+)? ms\|Slow/);
    expect((await rows('names')).find((row) => row.startsWith('Demo/Request'))).toMatch(
      /^Demo\/Request\|1\|\|0\|8/,
    );
  });

  it.each([
    [800, 600],
    [1100, 700],
    [1400, 900],
  ])('has tables as wide as their panels at %i x %i', async (width, height) => {
    await page.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    write(...during(['Request', '//1/1', 1, 9], ['A-Rather-Long-Name-Of-An-Activity', '//1/2', 3]));
    await untilRows('running', 1);
    await page.until(`${rowsOf('names')}.length > 0`);
    const wide = await page.evaluate<
      string[]
    >(`Array.from(document.querySelectorAll('.row, .rows, .list, .panel'),
      (part) => part.scrollWidth > part.clientWidth + 1 ? part.className : '').filter(Boolean)`);
    expect(wide).toEqual([]);
    expect(await page.evaluate<number>(`document.documentElement.scrollWidth`)).toBe(width);
    expect(
      await page.evaluate<number>(
        `Math.min(...Array.from(document.querySelectorAll('.rows'), (rows) => rows.clientHeight))`,
      ),
    ).toBeGreaterThan(60);
  });

  it('shows failures, durations by route, and events of the runtime only if they are asked for', async () => {
    const request = (id: string, at: number, statusCode: number): WrittenEvent[] => [
      { name: 'Node.Http/RequestStart', id, at },
      { name: 'Node.Http/RequestStop', id, at: at + 2, payload: { statusCode, route: '/users/:id' } },
    ];
    const heap: WrittenEvent = { name: 'Node.Runtime/HeapStatistics', at: 20, payload: { used: 1 } };
    write(...request('//1/1', 1, 200), ...request('//1/2', 5, 500), heap);
    await untilRows('stream', 4);
    expect(await rows('names')).toEqual([
      expect.stringMatching(/^Node\.Http\/Request \/users\/:id\|2\|1\|0\|/),
    ]);
    expect(await page.evaluate(`document.querySelectorAll('.list-stream .row.failed').length`)).toBe(1);
    await page.evaluate(`document.getElementById('runtime').click()`);
    await untilRows('stream', 5);
  });

  it('shows only what is searched for, and nothing new while it is paused', async () => {
    write({ name: 'Log', at: 1, payload: { text: 'needle' } }, { name: 'Log', at: 2 });
    await untilRows('stream', 2);
    await page.evaluate(`document.getElementById('search').focus()`);
    await page.type('NEEDLE');
    await untilRows('stream', 1);
    await page.evaluate(`(document.getElementById('search').value = '',
      document.getElementById('search').dispatchEvent(new Event('input')), document.getElementById('pause').click())`);
    await untilRows('stream', 2);
    write({ name: 'Log', at: 3 });
    await page.until(`document.getElementById('pause').textContent === 'Continue (1 new)'`);
    expect(await rows('stream')).toHaveLength(2);
    await page.evaluate(`document.getElementById('pause').click()`);
    await untilRows('stream', 3);
  });

  it('leads to a report of the last events', async () => {
    write(...during(['Request', '//1/1', 1, 9]));
    await page.until(`document.querySelector('#reports a') !== null`);
    const address = await page.evaluate<string>(`document.querySelector('#reports a').href`);
    await page.navigate(address);
    expect(await page.text('.finding')).toBe(
      'Request took 8.00 ms. For 8.00 ms the trace does not say what it waited for: what the thread ran is not recorded.',
    );
    await page.evaluate(`document.getElementById('tab-tree').click()`);
    await page.until(`${rowsOf('tree')}.length === 1`);
    expect((await rows('tree'))[0]).toContain('Request');
  });

  it('says when the command has ended', async () => {
    write({ name: 'Log', at: 1 });
    await untilRows('stream', 1);
    write({ name: 'Log', at: 2 });
    await server.close();
    await page.until('document.documentElement.dataset.ended === "true"');
    await untilRows('stream', 2);
    expect(await page.text('#facts')).toContain('ended');
  });
});
