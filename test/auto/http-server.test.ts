/** Requests to servers of node:http: each is exactly one activity, however it arrives and ends. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { Recording } from './recording.ts';

const ANSWERED = ['begins', 'goes on', 'is finished'];

describeEachNode('a request to a server', (run) => {
  let recording: Recording;
  beforeAll(async () => {
    recording = new Recording(await run('auto/programs/http-server.mjs'));
  });
  const requests = (way: string) => recording.activities(way, 'Request');

  describe.each([
    ['keepAlive', 'after others on its connection', ['/1', '/2', '/3']],
    ['pipelined', 'sent before others are answered', ['/1', '/2', '/3']],
    ['concurrent', 'beside others', ['/1', '/2', '/3', '/4']],
  ])('%s: %s', (way, _, paths) => {
    it('is a separate activity that contains everything its handler does', () => {
      const seen = requests(way).map(({ start, stop, inside }) => [
        start.pathAndQuery,
        stop,
        inside.map(({ text }) => text),
      ]);
      expect(new Set(seen.map(([path]) => path))).toEqual(new Set(paths));
      for (const [path, stop, notes] of seen) {
        expect(notes).toEqual(ANSWERED.map((what) => `${path} ${what}`));
        expect(stop).toMatchObject([{ statusCode: 200, route: '', errorType: '' }]);
      }
    });
  });

  it.each([
    ['aborted', 'before it is answered', ['/gone begins', 'is told']],
    ['abortedInBody', 'before it is whole', []],
    ['destroyed', 'by the server', []],
    ['thrown', 'because its handler threw', ['is caught']],
  ])('%s: stops when it ends %s', (way, _, notes) => {
    const [request, ...others] = requests(way);
    expect(others).toEqual([]);
    expect(request?.stop).toMatchObject([{ statusCode: -1, route: '', errorType: 'aborted' }]);
    expect(request?.inside.map(({ text }) => text)).toEqual(notes);
  });

  it('stops if its connection closes before its turn', () => {
    const stops = requests('pipelinedAndAborted').map(({ stop }) => stop);
    expect(stops).toMatchObject([
      [{ statusCode: -1, route: '', errorType: 'aborted' }],
      [{ statusCode: 200, route: '', errorType: 'aborted' }],
      [{ statusCode: -1, route: '', errorType: 'aborted' }],
    ]);
  });

  it('contains the code that runs after its body, and after its end', () => {
    const [request] = requests('streamed');
    expect(request?.inside.map(({ text }) => text)).toEqual([
      'has the body',
      'answers',
      'is finished',
      'is closed',
    ]);
    expect(request?.stop).toHaveLength(1);
    expect(requests('iteratedBody')[0]?.inside.map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('ignores an upgrade of its connection, which Node.js does not report', () => {
    expect(requests('upgraded').map(({ start }) => start.pathAndQuery)).toEqual(['/first']);
    const [upgrade] = recording.activities('upgraded', 'Work');
    expect(upgrade?.path).toMatch(/^\/\/1\/\d+$/);
  });

  it('reports the status of its response', () => {
    expect(requests('failed').map(({ stop }) => stop[0]?.statusCode)).toEqual([500, 404]);
    expect(requests('withoutHost').map(({ stop }) => stop[0]?.statusCode)).toEqual([400]);
  });

  it('is described as in System.Net.Http, without its query unless that is wanted', () => {
    const described = requests('described').map(({ start }) => start);
    const plain = { scheme: 'http', versionMajor: 1, versionMinor: 1, method: 'GET' };
    expect(described).toMatchObject([
      { ...plain, host: 'example.com', port: 8080, pathAndQuery: '/search?*' },
      { ...plain, host: '::1', port: 80, pathAndQuery: '/path?*' },
      { scheme: 'http', host: '', port: 80, pathAndQuery: '*', versionMinor: 0, method: 'OPTIONS' },
      { ...plain, host: 'x', port: 80, pathAndQuery: '/search?key=told' },
    ]);
  });

  it('belongs to the trace of its traceparent, unless that is malformed or ignored', () => {
    const [traced, broken, ignored] = requests('traced').map(({ start }) => start);
    const trace = '0af7651916cd43dd8448eb211c80319c';
    expect(traced).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });
    expect(traced?.spanId).toMatch(/^[\da-f]{16}$/);
    for (const start of [broken, ignored]) {
      expect(start?.traceId).toMatch(/^[\da-f]{32}$/);
      expect(start?.traceId).not.toBe(trace);
      expect(start?.parentSpanId).toBe('');
    }
  });

  it('is not an activity while the option is off', () => {
    expect(requests('off')).toEqual([]);
  });
});
