/** Requests of fetch: each is exactly one activity nested in its caller's, however it ends. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { Recording } from './recording.ts';

const OK = { errorType: '', errorMessage: '', errorStack: '', grpcStatus: -1 };

describeEachNode('a request of fetch', (run) => {
  let recording: Recording;
  beforeAll(async () => {
    recording = new Recording(await run('auto/programs/fetch.mjs'));
  });
  const requests = (way: string) => recording.activities(way, 'ClientRequest');
  const stopsOf = (way: string) => requests(way).map(({ stop }) => stop);

  it('begins in the activity that makes it, and has exactly one Stop, in every variant', () => {
    for (const way of recording.ways) {
      const works = recording.activities(way, 'Work').map(({ path }) => path);
      for (const request of requests(way)) {
        expect(works, way).toContain(request.in);
        expect(request.stop, way).toHaveLength(1);
        expect(request.inside, way).toEqual([]);
      }
    }
  });

  it.each([
    ['answered', [200]],
    ['concurrent', [200, 200, 200, 200]],
    ['failed', [404, 500]],
    ['withoutBody', [200, 204]],
    ['streamed', [200]],
  ])('%s: reports the status of its response', (way, statusCodes) => {
    expect(stopsOf(way)).toEqual(statusCodes.map((statusCode) => [{ statusCode, ...OK }]));
  });

  it('is a separate activity for each redirect', () => {
    expect(
      requests('redirected').map(({ start, stop }) => [start.pathAndQuery, stop[0]?.statusCode]),
    ).toEqual([
      ['/redirect', 302],
      ['/ok', 200],
    ]);
  });

  it.each([
    ['refused', -1, 'ECONNREFUSED', /^connect ECONNREFUSED/],
    ['hungUp', -1, 'UND_ERR_SOCKET', /^other side closed$/],
    ['halfAnswered', 200, 'UND_ERR_SOCKET', /^other side closed$/],
    ['aborted', -1, 'AbortError', /aborted/],
    ['cancelled', 200, 'AbortError', /aborted/],
    ['neverRead', 200, 'string', /^Response object has been garbage collected$/],
  ])('%s: reports why it failed', (way, statusCode, errorType, message) => {
    expect(stopsOf(way)).toMatchObject([
      [{ statusCode, errorType, errorMessage: expect.stringMatching(message) }],
    ]);
  });

  it("does not move the application's code that handles the response", () => {
    for (const work of recording.activities('concurrent', 'Work')) {
      expect(work.inside).toEqual([{ text: 'is answered' }]);
    }
  });

  it('of a WebSocket has exactly one Stop, at the latest with the connection', () => {
    if (recording.notes('upgraded') === false) return expect(requests('upgraded')).toEqual([]);
    expect(stopsOf('upgraded')).toEqual([[{ statusCode: 101, ...OK }]]);
  });

  it('is described as in System.Net.Http', () => {
    expect(requests('answered')[0]?.start).toMatchObject({
      scheme: 'http',
      host: '127.0.0.1',
      port: expect.any(Number),
      pathAndQuery: '/path?*',
      versionMajor: 1,
      versionMinor: 1,
      method: 'GET',
    });
  });

  describe('with a traceparent', () => {
    it('has it on this host, unless it is not wanted', () => {
      const sent = requests('traced').map(({ start }) => `00-${start.traceId}-${start.spanId}-03`);
      expect(recording.notes('traced')).toEqual([...sent.slice(0, 3), 'of the application', '']);
    });

    it('causes the request that another server receives', () => {
      const [served] = recording.activities('traced', 'Request');
      const [made] = requests('traced');
      expect(served?.start).toMatchObject({
        traceId: made?.start.traceId,
        parentSpanId: made?.start.spanId,
      });
    });
  });

  it('is not an activity while the option is off', () => {
    expect(requests('off')).toEqual([]);
  });
});
