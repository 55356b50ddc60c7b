/** What a live view keeps and sends, and whom it answers. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { LiveFeed, type LiveTrace } from '../../../lib/view/live/live-feed.ts';
import { LiveServer } from '../../../lib/view/live/live-server.ts';
import { during, written } from '../written-events.ts';

const TRACE: LiveTrace = {
  info: { format: 'nettrace', startTime: 0n, hasWallTime: true, pointerSize: 8, properties: {} },
  processNames: new Map(),
  lostEvents: 0,
  mappings: undefined,
};
const later = (startTime: bigint): LiveTrace => ({ ...TRACE, info: { ...TRACE.info, startTime } });
const NOTHING = new Map<number, number>();

describe('a feed', () => {
  it('has the events since the last update, what is running, and how long the rest took', () => {
    const feed = new LiveFeed();
    const source = feed.open('app', TRACE);
    const events = during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 4], ['Slow', '//1/2', 3]).map(
      written,
    );
    for (const event of events.slice(0, 4)) source.add(event);
    const first = feed.update(NOTHING);
    expect(first.rows.map(({ atNs, name, activity }) => `${atNs / 1e6} ${name} ${activity}`)).toEqual([
      '1 Demo/Request/Start //1/1',
      '2 Demo/Db/Start //1/1/1',
      '3 Demo/Slow/Start //1/2',
      '4 Demo/Db/Stop //1/1/1',
    ]);
    expect(first.running.map(({ label, depth, startNs }) => [label, depth, startNs / 1e6])).toEqual([
      [expect.stringContaining('Request'), 0, 1],
      [expect.stringContaining('Slow'), 0, 3],
    ]);
    const seen = feed.counts;
    for (const event of events.slice(4)) source.add(event);
    const second = feed.update(seen);
    expect(second.rows.map(({ name }) => name)).toEqual(['Demo/Request/Stop']);
    expect(second.names).toContainEqual(
      expect.objectContaining({ name: 'Demo/Request', stopped: 1, running: 0, meanNs: 8e6, maxNs: 8e6 }),
    );
    expect(second.sources).toMatchObject([{ number: 0, name: 'app', isOpen: true, events: 5, lost: 0 }]);
    expect(second.sources[0]?.answer).toMatch(/^Request took 8\.00 ms\. For 6\.00 ms the trace does not say/);
  });

  it('keeps the last 50,000 events, and says how many a report lacks', () => {
    const feed = new LiveFeed();
    const source = feed.open('app', TRACE);
    for (let at = 0; at < 50_007; at++) source.add(written({ name: 'Log', at, payload: { at } }));
    const { header } = source.report();
    expect([header.eventCount, header.notices]).toEqual([
      50_000,
      ['These are the last events: 7 earlier ones are not shown.'],
    ]);
    const { rows, omitted } = feed.update(NOTHING);
    expect([rows.length, omitted, rows.at(-1)?.fields]).toEqual([500, 49_507, 'at=50006']);
  });

  it('keeps fewer if they are large, and shortens what it sends', () => {
    const source = new LiveFeed().open('app', TRACE);
    const large = written({ name: 'Log', at: 1, payload: { text: 'x'.repeat(1000) } });
    Object.assign(large, { payloadBytes: new Uint8Array(10 << 20) });
    for (let i = 0; i < 10; i++) source.add(large);
    expect(source.report().header.eventCount).toBe(3);
    expect(source.rows(0, 1)[0]?.fields).toHaveLength(501);
  });

  it('has one time for all processes, and room for those that run', () => {
    const feed = new LiveFeed();
    const first = feed.open('first', later(1_000_000n));
    const second = feed.open('second', later(3_000_000n));
    first.add(written({ name: 'Log', at: 4 }));
    second.add(written({ name: 'Log', at: 1 }));
    expect(feed.update(NOTHING).rows.map(({ atNs }) => atNs / 1e6)).toEqual([3, 4]);
    second.end();
    for (let i = 0; i < 15; i++) feed.open(`more ${i}`, TRACE);
    expect([feed.source(0) === first, feed.source(1), feed.update(NOTHING).sources.length]).toEqual([
      true,
      undefined,
      16,
    ]);
  });
});

describe('the server', () => {
  let server: LiveServer | undefined;
  afterEach(() => server?.close());

  async function open(feed = new LiveFeed()): Promise<URL> {
    server = await LiveServer.open(feed);
    return new URL(server.url);
  }

  function get(url: URL, headers: Record<string, string> = {}, method = 'GET') {
    return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
      (resolve, reject) => {
        const asked = request(url, { headers, method, agent: false }, (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            body += text;
            // Updates never end.
            if (response.headers['content-type'] === 'text/event-stream' && body.includes('\n\n'))
              response.destroy();
          });
          response.on('close', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          );
        });
        asked.on('error', reject).end();
      },
    );
  }

  it('answers at an address that cannot be guessed, and allows the page nothing but its updates', async () => {
    const url = await open();
    expect(url.hostname).toBe('127.0.0.1');
    expect(url.pathname).toMatch(/^\/[\w-]{32}\/$/);
    const { status, headers, body } = await get(url);
    expect([status, body.includes('<title>tracewright live</title>')]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*connect-src 'self'; frame-ancestors 'none'$/,
    );
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each<
    [string, number, { headers?: Record<string, string>; method?: string; path?: (path: string) => string }]
  >([
    ['another host', 403, { headers: { Host: 'attacker.example' } }],
    ['localhost by name, which may lead elsewhere', 403, { headers: { Host: 'localhost' } }],
    [
      'a script of another site',
      403,
      { headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' } },
    ],
    ['another origin', 403, { headers: { Origin: 'http://127.0.0.1:1' } }],
    ['no token', 404, { path: () => '/' }],
    ['a shorter token', 404, { path: (path) => `${path.slice(0, -2)}/` }],
    ['another token', 404, { path: (path) => `/${'A'.repeat(path.length - 2)}/` }],
    ['another path', 404, { path: (path) => `${path}../../etc/passwd` }],
    ['no report', 404, { path: (path) => `${path}report/7` }],
    ['another method', 405, { method: 'POST' }],
  ])('refuses %s', async (_, status, { headers = {}, method = 'GET', path = (same) => same }) => {
    const url = await open();
    const asked = new URL(url);
    asked.pathname = path(url.pathname);
    const answer = await get(asked, headers, method);
    expect([answer.status, answer.body]).toEqual([status, '']);
  });

  it('lets the user follow a link to it', async () => {
    const { status } = await get(await open(), {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
    });
    expect(status).toBe(200);
  });

  it('sends updates as events, and a report', async () => {
    const feed = new LiveFeed();
    const source = feed.open('app', TRACE);
    const url = await open(feed);
    source.add(written({ name: 'Log', at: 1, payload: { text: 'line\n\ndata: x' } }));
    const { headers, body } = await get(new URL('updates', url));
    expect(headers['content-type']).toBe('text/event-stream');
    const [, json = ''] = /^data: (.*)\n\n$/.exec(body) ?? [];
    expect(JSON.parse(json).rows).toMatchObject([
      { atNs: 1e6, thread: '4321/1', name: 'Demo/Log', activity: '', fields: 'text="line\\n\\ndata: x"' },
    ]);
    const report = await get(new URL('report/0', url));
    expect([report.status, report.body.startsWith('<!doctype html>')]).toEqual([200, true]);
  });
});
