/** The page of a report in a real browser: what users see and do, and how long a frame takes. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { reportHtml } from '../../lib/view/report/report-html.ts';
import { TraceReport } from '../../lib/view/report/trace-report.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { busyServer } from './busy-server.ts';
import { Page, skipReason, suiteName } from './chromium.ts';

let folder: string;
let page: Page;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-report-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => page.close());

async function openAnswers(
  events: Iterable<TraceEvent>,
  name = 'demo.nettrace',
  notices: string[] = [],
): Promise<void> {
  const report = new TraceReport();
  for (const event of events) report.add(event);
  const trace = { name, notices, format: 'nettrace 4', startTime: undefined, processNames: new Map() };
  const file = join(folder, 'report.html');
  const html = reportHtml(report.content(trace));
  await pipeline(Readable.from(html), createWriteStream(file));
  page = await Page.open(file);
}

/** With the timeline and the tree of activities, rather than the answers that a report opens with. */
async function open(...report: Parameters<typeof openAnswers>): Promise<void> {
  await openAnswers(...report);
  const hasAnswers = await page.evaluate<boolean>(`!document.getElementById('tab-why').hidden`);
  if (hasAnswers) await clickOn('tab-tree');
  // The mouse finds nothing before something is drawn.
  await frame();
}

const focus = (id: string) => page.evaluate(`document.getElementById('${id}').focus()`);
const clickOn = (id: string) => page.evaluate(`document.getElementById('${id}').click()`);
/** Until what has come into sight is filled: sizes are known after one frame, and drawn in the next. */
const frame = () =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );
/** The texts of the rows in sight, cells apart by a bar. */
const rows = (name: string) =>
  page.evaluate<string[]>(`Array.from(document.querySelectorAll('.list-${name} .window .row'),
    (row) => Array.from(row.children, (cell) => cell.textContent).join('|'))`);

const DEMO: readonly WrittenEvent[] = [
  ...during(['Request', '//1/1', 0, 100], ['Db', '//1/1/1', 10, 30], ['Db', '//1/1/2', 40, 90]),
  ...during(['Request', '//1/2', 120, 150]),
].map((event) =>
  event.name === 'RequestStart' ? { ...event, payload: { url: `http://site${event.id}` } } : event,
);

/** Four samples: two in a request, and one in what it calls. */
const SAMPLED: readonly WrittenEvent[] = [
  ...during(['Request', '//1/1', 0, 100], ['Db', '//1/1/1', 40, 60]),
  ...(
    [
      [10, [0x2001n, 0x1001n], '//1/1'],
      [20, [0x2001n, 0x1001n], '//1/1'],
      [50, [0x3001n, 0x1001n], '//1/1/1'],
      [120, [0x1001n], '//1/9'],
    ] as const
  ).map(([at, stack, id]) => ({ name: 'Microsoft-DotNETCore-SampleProfiler/Thread/Sample', at, stack, id })),
  ...['Main', 'Work', 'Query'].map((MethodName, index) => ({
    name: 'Rundown/MethodDCEndVerbose',
    at: 200,
    payload: {
      MethodStartAddress: BigInt(index + 1) << 12n,
      MethodSize: 0x100,
      MethodNamespace: 'App',
      MethodName,
    },
  })),
].sort((a, b) => a.at - b.at);

/** One request of three fails, and an event says why. */
const FAILING: readonly WrittenEvent[] = [
  ...during(['Request', '//1/1', 0, 100], ['Request', '//1/2', 120, 150], ['Request', '//1/3', 160, 190]),
  { name: 'Crash', at: 140, id: '//1/2', level: 2, payload: { reason: 'timeout' } },
]
  .sort((a, b) => a.at - b.at)
  .map((event) =>
    event.name === 'RequestStart'
      ? { ...event, payload: { method: 'GET', url: `http://site${event.id}` } }
      : event.name === 'RequestStop'
        ? {
            ...event,
            payload: { success: event.id !== '//1/2', errorMessage: event.id === '//1/2' ? 'timed out' : '' },
          }
        : event,
  );

/** Five requests with nine calls each; an export holds the loop while the last of them is ready. */
const HELD: readonly WrittenEvent[] = heldRequests();

/** A log line that is longer than a window is wide. */
const LONG_LINE: readonly WrittenEvent[] = [
  {
    name: 'Log',
    at: 5006,
    id: '//1/5',
    payload: { message: `loaded ${'the-whole-cart-of-this-user-'.repeat(20)}` },
  },
];

/** Which line made each call. */
function codeOf(events: readonly WrittenEvent[]): WrittenEvent[] {
  return events
    .filter(({ name }) => name === 'Node.Http/ClientRequestStart')
    .map(({ at, id = '' }) => ({
      name: 'Node.Runtime/ActivityCode',
      at: at + 0.001,
      id,
      payload: { function: 'load', file: '/srv/cart.mjs', line: 17, column: 3 },
    }));
}

const choose = (label: string, text: string) =>
  page.evaluate(`{ const select = document.querySelector('[aria-label="${label}"]');
    select.value = Array.from(select.options).find(({ text }) => text === '${text}').value;
    select.dispatchEvent(new Event('change')); }`);

describe.skipIf(skipReason !== undefined)(suiteName('the page of a report in Chromium'), () => {
  it('shows the contents of the trace, requests nothing but itself, and has no errors', async () => {
    await open(DEMO.map(written));
    expect(await page.text('#name')).toBe('demo.nettrace');
    expect(await page.text('#facts')).toBe('nettrace 4 · 8 events · 4 activities · 150 ms');
    await frame();
    expect(await rows('tree')).toEqual([
      'Request http://site//1/1|0.000|100.000|30.000|//1/1|1',
      'Db|10.000|20.000|20.000|//1/1/1|1',
      'Db|40.000|50.000|50.000|//1/1/2|1',
      'Request http://site//1/2|120.000|30.000|30.000|//1/2|1',
    ]);
    expect(page.problems).toEqual([]);
    expect(page.requests.length).toBe(1);
    expect(page.requests[0]).toMatch(/^file:/);
  });

  it('opens with a sentence on each slow activity, and shows where its time went', async () => {
    await openAnswers(HELD.map(written));
    expect(await page.evaluate(`document.getElementById('tab-why').getAttribute('aria-selected')`)).toBe(
      'true',
    );
    const sentence =
      /GET \/user\/:id took 200 ms, usually 100 ms \(p50\), the slowest of 5\. For .* the loop ran GET \/export/;
    expect(await page.text('.finding[aria-current]')).toMatch(sentence);
    expect(await page.text('.account .note')).toMatch(sentence);
    const states = await page.evaluate<number[]>(
      `Array.from(document.querySelectorAll('.states .state'), (part) => parseFloat(part.style.width))`,
    );
    expect(states.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 6);
    expect(await page.text('.findings')).toMatch(
      /6 activities together[\s\S]*N\+1: up to 9 calls of GET db:80\/item\/:id/,
    );
    expect(await page.text('.account .chart')).toContain('5 of its kind, usually 100 ms');
    expect(await page.evaluate(`document.querySelector('.bar.marked').title`)).toMatch(
      /^1 took .*, this one/,
    );
    const lanes = await page.evaluate<string[]>(
      `Array.from(document.querySelectorAll('.lanes > .muted'), (title) => title.textContent)`,
    );
    expect(lanes).toEqual(['This activity', 'Event loop', 'Calls']);
    expect(await page.text('.account')).toMatch(
      /Its log lines and events\s+\+5\.000\s+Log\s+message=<b>loading<\/b>/,
    );
    expect(page.problems).toEqual([]);
  });

  it('leads from an answer to every activity in it, with the mouse and the keyboard', async () => {
    await openAnswers(HELD.map(written));
    await frame();
    const { left, top } = await page.evaluate<{ left: number; top: number }>(
      `Array.from(document.querySelectorAll('.lane-bar')).find((bar) => bar.textContent.startsWith('GET /export'))
        .getBoundingClientRect().toJSON()`,
    );
    await page.click(left + 3, top + 3);
    expect(await page.text('#announcement')).toContain('/export');
    expect(await page.text('.account h2')).toContain('GET /export · 90 ms');
    // Sentences are buttons.
    await page.evaluate(`document.querySelector('.finding').focus()`);
    await page.press('Enter');
    expect(await page.text('.account h2')).toContain('GET /user/:id · 200 ms');
    const calls = await page.text('.account details');
    expect(calls).toMatch(/9 × GET db:80\/item\/:id 90 ms together, one after the other, N\+1/);
    await page.evaluate(`document.querySelector('.account summary').click()`);
    await page.until(`document.querySelectorAll('.account details li').length === 9`);
    await page.evaluate(`document.querySelector('.account details button').click()`);
    expect(await page.text('#announcement')).toContain('//1/5/1');
    expect(await page.text('.account .note')).toContain('It is a part of GET /user/:id, which is explained.');
    await page.evaluate(`document.querySelector('.account h2 button').click()`);
    await page.until(`document.getElementById('timeline').offsetParent !== null`);
    expect(page.problems).toEqual([]);
  });

  it('shows the details of what is clicked in the timeline, and a tooltip for what is under the mouse', async () => {
    await open(DEMO.map(written));
    const top = await page.evaluate<number>(
      `document.getElementById('timeline').getBoundingClientRect().top`,
    );
    // Below the ruler and the title of the lane: the first row is that of the requests.
    await page.move(300, top + 24 + 18 + 6);
    await page.until(`document.getElementById('tooltip').textContent.includes('Request · 100.000 ms')`);
    await page.click(300, top + 24 + 18 + 6);
    const details = await page.text('#details');
    expect(details).toContain('Request');
    expect(details).toContain('http://site//1/1');
    expect(details).toContain('30.000 ms');
    expect(details).toMatch(
      /Critical path, self time in ms\s+30\.000\s+Request .*\s+20\.000\s+Db\s+50\.000\s+Db/,
    );
    expect(await page.text('#announcement')).toBe('Request http://site//1/1, 100 ms, //1/1');
  });

  it('zooms, pans and selects with the keyboard', async () => {
    await open(DEMO.map(written));
    await focus('timeline');
    expect(await page.text('#span')).toBe('0.000 to 150.000 ms (150 ms)');
    await page.press('w');
    expect(await page.text('#span')).toBe('18.750 to 131.250 ms (113 ms)');
    await page.press('ArrowLeft');
    expect(await page.text('#span')).toBe('1.875 to 114.375 ms (113 ms)');
    await page.press('0');
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight']) await page.press(key);
    expect(await page.text('#announcement')).toBe('Db, 50 ms, //1/1/2');
    await page.press('Enter');
    expect(await page.text('#span')).toBe('37.500 to 92.500 ms (55 ms)');
    await page.press('Escape');
    expect(await page.text('#details')).toContain('Select an activity');
  });

  it('zooms with the wheel and pans when dragged', async () => {
    await open(DEMO.map(written));
    const top = await page.evaluate<number>(
      `document.getElementById('timeline').getBoundingClientRect().top`,
    );
    await page.wheel(700, top + 100, -400, true);
    await page.until(`document.getElementById('span').textContent !== '0.000 to 150.000 ms (150 ms)'`);
    const zoomed = await page.text('#span');
    await page.drag([700, top + 200], [500, top + 200]);
    expect(await page.text('#span')).not.toBe(zoomed);
  });

  it('finds what is searched for, and steps through the matches', async () => {
    await open(DEMO.map(written));
    await page.press('/');
    await page.type('DB');
    await page.until(`document.getElementById('search-status').textContent === '2 activities, 4 events'`);
    await page.press('Enter');
    expect(await page.text('#announcement')).toBe('Db, 20 ms, //1/1/1');
    await page.press('Enter');
    await page.press('Enter');
    await page.press('Shift+Enter');
    expect(await page.text('#announcement')).toBe('Db, 50 ms, //1/1/2');
    await clickOn('tab-events');
    await frame();
    expect((await rows('events')).length).toBe(4);
    await focus('search');
    await page.press('Escape');
    await frame();
    expect((await rows('events')).length).toBe(8);
  });

  it('lists the slowest activities, and those behind a bar of the histogram', async () => {
    await open(DEMO.map(written));
    await clickOn('tab-slowest');
    await frame();
    expect((await rows('slowest')).map((row) => row.split('|')[0])).toEqual([
      '100.000',
      '50.000',
      '30.000',
      '20.000',
    ]);
    await clickOn('tab-statistics');
    await frame();
    expect((await rows('statistics'))[0]).toBe(
      'Demo/Request|2||30 ms|100 ms|100 ms|100 ms|130 ms|60 ms|65 ms|',
    );
    await page.evaluate(`document.querySelector('.bar:not(:disabled)').click()`);
    await frame();
    expect((await rows('slowest')).map((row) => row.split('|')[0])).toEqual(['30.000']);
  });

  it('counts the activities that failed, shows which and why, and lists them', async () => {
    await open(FAILING.map(written));
    expect(await page.text('#facts')).toBe('nettrace 4 · 7 events · 3 activities · 190 ms · 1 failed');
    await frame();
    const failed = () =>
      page.evaluate<string[]>(`Array.from(document.querySelectorAll('.row.failed'),
        (row) => row.firstChild.textContent + ': ' + row.title)`);
    expect(await failed()).toEqual(['Request GET http://site//1/2: timed out']);
    await page.evaluate(`document.querySelector('#facts button').click()`);
    await frame();
    expect((await rows('slowest')).map((row) => row.split('|')[4])).toEqual(['//1/2']);
    await page.evaluate(`document.querySelector('.list-slowest .window .row').click()`);
    expect(await page.text('#details')).toMatch(/Failed\s*timed out/);
  });

  it('filters the events by level and by name', async () => {
    await open(FAILING.map(written));
    await clickOn('tab-events');
    await choose('Events of this level', 'Error and worse');
    await frame();
    expect(await rows('events')).toEqual(['140.000|Crash Demo|1|Request //1/2|reason=timeout']);
    await choose('Events of this level', 'All levels');
    await choose('Events of this name', 'Demo/Request/Start');
    await frame();
    expect((await rows('events')).length).toBe(3);
  });

  it('has an address that restores the selection and the visible time', async () => {
    await open(FAILING.map(written));
    await page.evaluate(`location.hash = '#activity=1&from=110000000&to=160000000'`);
    await page.until(`document.getElementById('announcement').textContent.startsWith('Request')`);
    expect(await page.text('#announcement')).toBe('Request GET http://site//1/2, 30 ms, //1/2');
    expect(await page.text('#span')).toBe('110.000 to 160.000 ms (50 ms)');
    await focus('timeline');
    await page.press('0');
    await page.until(`location.hash === '#tab=tree&activity=1'`);
    await page.evaluate(`location.hash = '#activity=99&from=x&to=-1'`);
    await frame();
    expect(page.problems).toEqual([]);
  });

  it('truncates nothing on a narrow screen', async () => {
    await open(FAILING.map(written));
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 420,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    for (const name of ['why', 'tree', 'slowest', 'statistics', 'events']) {
      await clickOn(`tab-${name}`);
      await frame();
      const tooWide = await page.evaluate<string[]>(`Array.from(
        document.querySelectorAll('button, select, input, [role=tab], .head .cell, #details'),
        (part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('.list-statistics') &&
          part.offsetParent !== null ? part.outerHTML : '').filter(Boolean)`);
      expect(tooWide).toEqual([]);
    }
  });

  it.each([
    [800, 600],
    [1400, 900],
  ])('needs no scrolling to the side at %i x %i, and none within what scrolls', async (width, height) => {
    await openAnswers([...HELD, ...LONG_LINE].sort((a, b) => a.at - b.at).map(written));
    await page.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      for (const name of ['why', 'tree', 'slowest', 'statistics', 'events', 'cpu']) {
        await clickOn(`tab-${name}`);
        await frame();
        const wide = await page.evaluate<string[]>(`Array.from(document.querySelectorAll('body *'), (part) =>
          part.offsetParent !== null && /auto|scroll/.test(getComputedStyle(part).overflowX) &&
            part.scrollWidth > part.clientWidth + 1 && !(innerWidth > 800 && part.matches('.list-statistics'))
            ? part.className : '').filter(Boolean)`);
        expect([name, ...wide]).toEqual([name]);
        const room = await page.evaluate<number>(`Math.min(...Array.from(
          document.querySelectorAll('#panels .rows, .findings, .account'),
          (part) => part.offsetParent === null ? Infinity : part.clientHeight))`);
        expect(room, name).toBeGreaterThan(40);
      }
    }
    await clickOn('tab-why');
    await frame();
    const nested = await page.evaluate<string[]>(`(() => {
      const scrolls = (part) => part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY);
      return Array.from(document.querySelectorAll('#panel-why *')).filter(scrolls)
        .filter((part) => { let at = part.parentElement; while (at && !scrolls(at)) at = at.parentElement; return at; })
        .map((part) => part.className);
    })()`);
    expect(nested).toEqual([]);
    // What is too long for its bar ends in dots; sentences and log lines are whole.
    const cut = await page.evaluate<string[]>(`Array.from(document.querySelectorAll('#panel-why *'), (part) =>
      part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === 'hidden' &&
        getComputedStyle(part).textOverflow !== 'ellipsis' ? part.className : '').filter(Boolean)`);
    expect(cut).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  it('says which line made a call, beside the call', async () => {
    await openAnswers([...HELD, ...codeOf(HELD)].sort((a, b) => a.at - b.at).map(written));
    expect(await page.text('.account summary')).toMatch(/^9 × GET db:80\/item\/:id .*N\+1, at cart\.mjs:17$/);
    expect(await page.text('.account')).not.toContain('ActivityCode');
    await page.evaluate(`document.querySelector('.account summary').click()`);
    await page.until(`document.querySelectorAll('.account details li').length === 9`);
    expect(await page.text('.account details li')).toContain('at cart.mjs:17');
  });

  it('shows the code of an activity and of what held it in flame graphs that are as high as they need', async () => {
    await openAnswers(SAMPLED.map(written));
    await frame();
    expect(await page.text('.account .flames .facts')).toMatch(/^\d+ samples?$/);
    const heights = await page.evaluate<{ shown: number; whole: number }>(`(() => {
      const flame = document.querySelector('.account .flame');
      return { shown: flame.clientHeight, whole: flame.scrollHeight };
    })()`);
    expect(heights.shown).toBeGreaterThanOrEqual(heights.whole);
    expect(heights.shown % 18).toBe(0);
  });

  it('fits the durations, up to their largest, into the smallest list of a wide window', async () => {
    await open(FAILING.map(written));
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 1400,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await clickOn('tab-statistics');
    await frame();
    const cut = await page.evaluate<string[]>(`(() => {
      const list = document.querySelector('.list-statistics').getBoundingClientRect();
      return Array.from(document.querySelectorAll('.list-statistics .window .row:first-child .cell:nth-child(-n + 7)'),
        (cell) => cell.scrollWidth > cell.clientWidth || cell.getBoundingClientRect().right > list.right
          ? cell.textContent : '').filter(Boolean);
    })()`);
    expect(cut).toEqual([]);
  });

  it('shows durations in a small window, too, above their histogram', async () => {
    await open(FAILING.map(written));
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 800,
      height: 600,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await clickOn('tab-statistics');
    await frame();
    const height = `document.querySelector('.list-statistics .rows').clientHeight`;
    expect(await page.evaluate<number>(height)).toBeGreaterThan(60);
    expect((await rows('statistics')).length).toBeGreaterThan(0);
  });

  it('says which process each activity and event of several is of', async () => {
    await open([...DEMO, ...DEMO.map((event) => ({ ...event, processId: 99 }))].map(written));
    for (const name of ['tree', 'slowest', 'events']) {
      await clickOn(`tab-${name}`);
      await frame();
      const titles = await page.evaluate<string[]>(
        `Array.from(document.querySelectorAll('.list-${name} .head .cell'), (cell) => cell.textContent)`,
      );
      expect(titles.at(-1)).toBe('Process');
      for (const row of await rows(name))
        expect(row.split('|').at(-1)).toMatch(/\((?:4321|99)\)|process (?:4321|99)/);
    }
  });

  it('has headings in order, everything in landmarks, and texts that can be read', async () => {
    await open(FAILING.map(written));
    for (const tab of ['tab-statistics', 'tab-why']) {
      await clickOn(tab);
      await frame();
      const levels = await page.evaluate<number[]>(
        `Array.from(document.querySelectorAll('h1, h2, h3, h4'), (heading) => heading.offsetParent && Number(heading.tagName[1])).filter(Boolean)`,
      );
      expect(levels[0]).toBe(1);
      for (const [i, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1);
    }
    const outside = `Array.from(document.getElementById('page').children, (part) => part.matches(
      'header, main, dialog, section[aria-label], [role=status], [aria-hidden=true]') ? '' : part.outerHTML).filter(Boolean)`;
    expect(await page.evaluate(outside)).toEqual([]);
    expect(await page.evaluate(`document.getElementById('tracks').getAttribute('aria-label')`)).not.toBe('');
    for (const theme of ['light', 'dark']) {
      const low = await page.evaluate<string[]>(`(() => {
        document.documentElement.dataset.theme = '${theme}';
        const style = getComputedStyle(document.documentElement);
        const light = (name) => {
          const color = style.getPropertyValue('--' + name).trim();
          const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
            .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const texts = ['text', 'muted', 'accent', 'open', 'killed'];
        const grounds = ['surface', 'band', 'selected', 'found'];
        const bars = ['failed', ...Array.from({ length: 10 }, (_, i) => 'bar-' + i)];
        return [...texts.flatMap((text) => grounds.map((ground) => [text, ground])), ...bars.map((bar) => ['bar-text', bar])]
          .filter(([text, ground]) => contrast(text, ground) < 4.5)
          .map(([text, ground]) => text + ' on ' + ground + ': ' + contrast(text, ground));
      })()`);
      expect([theme, ...low]).toEqual([theme]);
    }
  });

  it('supports the keyboard in its tree', async () => {
    await open(DEMO.map(written));
    await page.evaluate(`document.querySelector('.list-tree').focus()`);
    await page.press('ArrowDown');
    await page.press('ArrowLeft');
    await frame();
    expect((await rows('tree')).length).toBe(2);
    const current = () =>
      page.evaluate(`document.getElementById(document.querySelector('.list-tree')
        .getAttribute('aria-activedescendant')).getAttribute('aria-expanded')`);
    expect(await current()).toBe('false');
    await page.press('ArrowRight');
    await frame();
    expect(await current()).toBe('true');
    expect((await rows('tree')).length).toBe(4);
  });

  it('is light or dark as the system is, or as the user chooses', async () => {
    await open(DEMO.map(written));
    const background = () => page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    const prefer = (value: string) =>
      page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    await prefer('dark');
    await page.until(`document.documentElement.dataset.theme === 'dark'`);
    const dark = await background();
    await prefer('light');
    await page.until(`document.documentElement.dataset.theme === 'light'`);
    expect(await background()).not.toBe(dark);
    await page.evaluate(`{ const theme = document.getElementById('theme');
      theme.value = 'dark'; theme.dispatchEvent(new Event('change')); }`);
    expect(await background()).toBe(dark);
  });

  it('names every control, and everything whose role requires a name', async () => {
    await open(DEMO.map(written));
    const { nodes } = (await page.send('Accessibility.getFullAXTree')) as {
      nodes: { ignored: boolean; role?: { value: string }; name?: { value: string } }[];
    };
    const named = [
      'button',
      'combobox',
      'searchbox',
      'tab',
      'tabpanel',
      'treegrid',
      'application',
      'splitter',
    ];
    const controls = nodes.filter(({ ignored, role }) => !ignored && named.includes(role?.value ?? ''));
    expect(controls.length).toBeGreaterThan(15);
    expect(controls.filter(({ name }) => (name?.value ?? '') === '')).toEqual([]);
  });

  it('turns nothing in a trace into HTML or script', async () => {
    const hostile = `</script><img src=x onerror="document.title='broken'">\u2028'"&`;
    await open(
      [
        written({ name: `A/${hostile}Start`, at: 1, id: '//1/1', payload: { [hostile]: hostile } }),
        written({
          name: 'Microsoft-DotNETCore-SampleProfiler/Thread/Sample',
          at: 1,
          id: '//1/1',
          stack: [0x1001n, 0x2001n],
        }),
        written({
          name: 'System.Runtime/EventCounters',
          at: 1,
          payload: { Payload: { CounterType: 'Mean', Name: hostile, DisplayUnits: hostile, Mean: 1e308 } },
        }),
        written({
          name: 'Rundown/MethodDCEndVerbose',
          at: 1,
          payload: {
            MethodStartAddress: 0x1000n,
            MethodSize: 0x100,
            MethodNamespace: hostile,
            MethodName: hostile,
          },
        }),
        written({ name: `A/${hostile}Stop`, at: 2, id: '//1/1' }),
      ],
      hostile,
      [hostile],
    );
    await focus('timeline');
    await page.press('Shift+ArrowDown');
    for (const tab of ['tab-why', 'tab-slowest', 'tab-statistics', 'tab-events', 'tab-cpu', 'tab-tree']) {
      await clickOn(tab);
      await frame();
    }
    expect(await page.evaluate('document.querySelectorAll("img").length')).toBe(0);
    expect(await page.evaluate('document.title')).toContain('</script><img');
    expect(await page.evaluate('document.getElementById("details").textContent')).toContain(hostile);
    expect(page.problems).toEqual([]);
  });

  it('shows CPU samples as a flame graph, by function, and those of one activity', async () => {
    await open(SAMPLED.map(written));
    await clickOn('tab-cpu');
    await frame();
    expect(await rows('functions')).toEqual([
      '50.0|50.0|App.Work|App',
      '25.0|100.0|App.Main|App',
      '25.0|25.0|App.Query|App',
      '0.0|100.0|Process 4321|',
    ]);
    const facts = () => page.text('#panel-cpu .facts');
    expect(await facts()).toBe('4 CPU samples');
    await page.evaluate(`document.querySelector('#panel-cpu .flame').focus()`);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.press(key);
    expect(await facts()).toBe('App.Work · 2 samples (50.0 %), 2 in it (50.0 %) · App');
    await page.press('ArrowRight');
    expect(await facts()).toBe('App.Query · 1 sample (25.0 %), 1 in it (25.0 %) · App');
    // Zoomed, the call fills the width, below its callers.
    await page.press('Enter');
    const { left, top } = await page.evaluate<{ left: number; top: number }>(
      `document.querySelector('#panel-cpu .flame').getBoundingClientRect().toJSON()`,
    );
    await page.move(left + 10, top + 2.5 * 18);
    await frame();
    expect(await page.text('#tooltip')).toContain('App.Query');
    await page.press('0');
    await choose('Order of calls', 'Callers below');
    await page.press('ArrowDown');
    expect(await facts()).toContain('App.Main');
    await page.evaluate(`{ const search = document.querySelector('[aria-label="Search functions"]');
      search.value = 'query'; search.dispatchEvent(new Event('input')); }`);
    await page.until(`document.querySelector('.cpu').parentNode.innerText.includes('in 25.0 % of samples')`);
    await choose('Samples in activities of this name', 'Demo/Db (1)');
    await page.until(`document.querySelector('#panel-cpu .facts').textContent === '1 of 4 CPU samples'`);
    await page.until(`location.hash === '#tab=cpu'`);
    await choose('Samples in activities of this name', 'All samples');
    await clickOn('tab-tree');
    await focus('timeline');
    await page.press('Shift+ArrowDown');
    expect(await page.text('#details')).toMatch(/CPU samples\s+3: flame graph/);
    await page.evaluate(`Array.from(document.querySelectorAll('#details button'))
      .find(({ textContent }) => textContent.endsWith('flame graph')).click()`);
    await page.until(`document.querySelector('#panel-cpu .facts').textContent === '3 of 4 CPU samples'`);
    expect(page.problems).toEqual([]);
  });

  it('shows counters and garbage collections on the time axis of the activities', async () => {
    const loop = { delayMaxMSec: 30, delayP99MSec: 12, utilization: 0.25 };
    const collection = { startedAgoMSec: 5, durationMSec: 4, kind: 'scavenge' };
    await open(
      [
        ...DEMO,
        { name: 'Node.Runtime/EventLoop', at: 60, payload: loop },
        { name: 'Node.Runtime/GarbageCollection', at: 130, payload: collection },
      ]
        .sort((a, b) => a.at - b.at)
        .map(written),
    );
    expect(await page.evaluate(`document.querySelector('#tracks canvas').getAttribute('aria-label')`)).toBe(
      'Values over time. Garbage collection: 1, 4 ms in all, up to 4 ms; Event-loop delay, longest: up to 30 ms; ' +
        'Event-loop utilization: up to 25 %; Event-loop delay, p99: up to 12 ms',
    );
    const width = (id: string) =>
      page.evaluate<number>(`document.querySelector('#${id} canvas').getBoundingClientRect().width`);
    expect(await width('tracks')).toBe(await width('timeline'));
    const top = await page.evaluate<number>(`document.getElementById('tracks').getBoundingClientRect().top`);
    await page.move(700, top + 10);
    await page.wheel(700, top + 10, -400, true);
    await page.until(`document.getElementById('span').textContent !== '0.000 to 150.000 ms (150 ms)'`);
    expect(page.problems).toEqual([]);
  });

  it('shows a trace without activities by thread, and one without events', async () => {
    await open([1, 2, 3].map((at) => written({ name: 'Log', at, threadId: at })));
    await frame();
    expect(await page.evaluate('document.getElementById("lanes").value')).toBe('thread');
    expect((await rows('events')).length).toBe(3);
    await page.close();
    await open([]);
    expect(await page.text('#facts')).toBe('nettrace 4 · 0 events · 0 activities · 0 ns');
    expect(page.problems).toEqual([]);
  });

  it.each([
    { count: 200_000, activities: '57,140' },
    { count: 1_000_000, activities: '285,712' },
  ])(
    'zooms and pans $count events smoothly',
    async ({ count, activities }) => {
      await open(busyServer(count));
      expect(await page.text('#facts')).toContain(`${activities} activities`);
      const { median, p95, last } = await frameTimes();
      const [shown, late, latest] = [median, p95, last].map((ms) => ms.toFixed(1));
      console.log(
        `${count} events: a frame takes ${shown} ms, 95 of 100 at most ${late} ms, all ${latest} ms`,
      );
      // A screen shows one every 16.7 ms; the limit is far off for machines that are busy with other tests.
      expect(median).toBeLessThan(60);
    },
    180_000,
  );
});

/** Of the script and the drawing, while the whole trace is zoomed into and panned through. */
async function frameTimes(): Promise<{ median: number; p95: number; last: number }> {
  const times = await page.evaluate<number[]>(`(async () => {
    const timeline = document.getElementById('timeline');
    const { left, top } = timeline.getBoundingClientRect();
    const place = { clientX: left + 500, clientY: top + 100, bubbles: true, cancelable: true };
    const times = [];
    let before = await new Promise(requestAnimationFrame);
    for (let step = 0; step < 150; step++) {
      const wheel = step < 50 ? { ctrlKey: true, deltaY: -40 } : step < 100 ? { deltaX: 40 } : { ctrlKey: true, deltaY: 40 };
      timeline.dispatchEvent(new WheelEvent('wheel', { ...place, ...wheel }));
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
    }
    return times.sort((a, b) => a - b);
  })()`);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { median: at(0.5), p95: at(0.95), last: at(1) };
}

function heldRequests(): WrittenEvent[] {
  const events: WrittenEvent[] = [];
  let number = 0;
  const run = (id: string, from: number, to: number, wokenBy: string, lateMSec = 0) => {
    const [startedAgoMSec, durationMSec] = [to - from, to - from];
    const clocks = { cpuMSec: durationMSec, processorWaitMSec: 0, lateMSec, lateAtMostMSec: lateMSec };
    const payload = {
      number: ++number,
      startedAgoMSec,
      durationMSec,
      wokenBy,
      isOwnCallback: true,
      ...clocks,
    };
    events.push({ name: 'Node.Runtime/ActivityRun', at: to, id, payload });
  };
  const activity = (task: string, id: string, from: number, to: number, payload: WrittenEvent['payload']) => {
    const starts = { name: `Node.Http/${task}Start`, at: from, id };
    events.push(payload === undefined ? starts : { ...starts, payload });
    events.push({ name: `Node.Http/${task}Stop`, at: to, id, payload: { statusCode: 200 } });
  };
  for (let request = 1; request <= 5; request++) {
    const [id, from] = [`//1/${request}`, request * 1000];
    const to = from + (request === 5 ? 200 : 100);
    activity('Request', id, from, to, { method: 'GET', pathAndQuery: `/user/${request}` });
    run(id, from, from + 2, 'http.server');
    for (let call = 1; call <= 9; call++) {
      const at = from + call * 10;
      const payload = { method: 'GET', host: 'db', port: 80, pathAndQuery: `/item/${call}` };
      activity('ClientRequest', `${id}/${call}`, at - 8, at + 2, payload);
    }
    if (request === 5) {
      events.push({ name: 'Log', at: from + 5, id, payload: { message: '<b>loading</b>' } });
      activity('Request', '//1/6', from + 100, from + 190, { method: 'GET', pathAndQuery: '/export' });
      run('//1/6', from + 100, from + 190, 'http.server');
      run(id, from + 190, to, 'http.client', 90);
    } else run(id, to - 2, to, 'http.client');
  }
  return events.sort((a, b) => a.at - b.at);
}
