/** Requests of node:http: each is exactly one activity nested in its caller's, however it ends. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { Recording } from './recording.ts';

const OK = { errorType: '', errorMessage: '', errorStack: '', grpcStatus: -1 };

describeEachNode('a request made with node:http', (run, major) => {
  let recording: Recording;
  beforeAll(async () => {
    recording = new Recording(await run('auto/programs/http-client.mjs'));
  });
  const requests = (way: string) => recording.activities(way, 'ClientRequest');
  const stopsOf = (way: string) => requests(way).map(({ stop }) => stop);

  it('begins in the activity that makes it, and has exactly one Stop, in every variant', () => {
    for (const way of recording.ways) {
      const works = recording.activities(way, 'Work').map(({ path }) => path);
      for (const request of requests(way)) {
        expect(works, way).toContain(request.in);
        expect(request.stop, way).toHaveLength(1);
        // Of an agent with fewer sockets than requests, those in its queue say how long they were there.
        const waits = way === 'pooled' ? request.inside.filter((each) => 'durationMSec' in each) : [];
        expect(request.inside, way).toEqual(waits);
      }
    }
  });

  it.each([
    ['answered', [200]],
    ['failed', [404, 500]],
    ['withoutBody', [200, 204, 304]],
    ['afterHints', [200]],
    ['pooled', [200, 200, 200]],
    ['streamed', [200]],
    ['answeredEarly', [200]],
    ['notAskedFor', [200]],
    ['neverRead', [200]],
    ['upgraded', [101]],
    ['connected', [200]],
  ])('%s: reports the status of its response', (way, statusCodes) => {
    expect(stopsOf(way)).toEqual(statusCodes.map((statusCode) => [{ statusCode, ...OK }]));
  });

  it.each([
    ['refused', -1, 'ECONNREFUSED', /^connect ECONNREFUSED/],
    ['refusedInBody', -1, 'ECONNREFUSED', /^connect ECONNREFUSED/],
    ['hungUp', -1, 'ECONNRESET', /^socket hang up$/],
    ['halfAnswered', 200, 'aborted', /^$/],
    ['aborted', -1, 'ABORT_ERR', /aborted/],
    ['timedOut', -1, 'ECONNRESET', /^socket hang up$/],
  ])('%s: reports why it failed', (way, statusCode, errorType, message) => {
    expect(stopsOf(way)).toMatchObject([
      [{ statusCode, errorType, errorMessage: expect.stringMatching(message) }],
    ]);
  });

  it('that is destroyed before it is sent has failed', () => {
    expect(stopsOf('destroyedBeforeSent')).toMatchObject([[{ statusCode: -1, errorType: 'ECONNRESET' }]]);
  });

  it('lasts until the connection ends if nobody reads the response', () => {
    const events = recording.events('neverRead').map(({ name }) => name);
    expect(events.indexOf('Note')).toBeLessThan(events.indexOf('ClientRequestStop'));
  });

  it("does not move the application's code that handles the response", () => {
    for (const work of recording.activities('pooled', 'Work')) {
      expect(work.inside).toEqual([{ text: 'is answered' }]);
    }
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
    const headers = () => recording.notes('traced') as readonly string[];
    const sent = () => requests('traced').map(({ start }) => `00-${start.traceId}-${start.spanId}-03`);

    // Node.js 20 tells of a request when it has been sent.
    if (major === '20') {
      it('cannot get the header in time', () => {
        expect(headers()).toEqual(['', '', '', 'of the application', '', '']);
      });
      return;
    }

    it('has it on this host, unless it cannot be added or is not wanted', () => {
      expect(headers()).toEqual([...sent().slice(0, 3), 'of the application', '', '']);
    });

    it('causes the request that another server receives', () => {
      const served = recording.activities('traced', 'Request').map(({ start }) => start);
      const [made] = requests('traced');
      expect(served[0]).toMatchObject({
        traceId: made?.start.traceId,
        parentSpanId: made?.start.spanId,
      });
      expect(served.at(-1)?.parentSpanId).toBe('');
    });
  });

  it('is not an activity while the option is off', () => {
    expect(requests('off')).toEqual([]);
  });
});
