/** Requests over HTTP/2: each is exactly one activity on each side, however its stream ends. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { folder, skipReason } from './libraries.ts';
import { Recording } from './recording.ts';

describe.skipIf(skipReason !== undefined)(named('HTTP/2', skipReason), () => {
  describeEachNode('a request over HTTP/2', (run, major) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/http2.mjs', folder));
    });
    const served = (way: string) => recording.activities(way, 'Request');
    const made = (way: string) => recording.activities(way, 'ClientRequest');
    const outcomesOf = (way: string) =>
      [...served(way), ...made(way)].map(({ stop }) => stop.map((one) => [one.statusCode, one.errorType]));

    it('made by undici is reported only by undici', () => {
      expect(made('undici').map(({ stop }) => stop)).toEqual([
        [{ statusCode: 200, errorType: '', errorMessage: '', errorStack: '', grpcStatus: -1 }],
      ]);
    });

    if (major === '20') {
      it('is not reported on Node.js 20', () => {
        for (const way of recording.ways) expect(served(way)).toEqual([]);
        expect(made('answered')).toEqual([]);
      });
      return;
    }

    it('begins in the activity that makes it on the client, and in none on the server', () => {
      for (const way of recording.ways) {
        const works = recording.activities(way, 'Work').map(({ path }) => path);
        for (const request of made(way)) expect(works, way).toContain(request.in);
        for (const request of served(way)) expect(request.in, way).toBeUndefined();
      }
    });

    it.each([
      ['answered', [200, '']],
      ['streamed', [200, '']],
      ['pushed', [200, '']],
      ['destroyed', [-1, 'aborted']],
      ['reset', [-1, 'ERR_HTTP2_STREAM_ERROR']],
      ['cancelled', [-1, 'aborted']],
      ['lost', [-1, 'aborted']],
    ])('%s: has exactly one Stop on each side', (way, outcome) => {
      expect(outcomesOf(way)).toEqual([[outcome], [outcome]]);
    });

    it('to an unreachable server has failed', () => {
      expect(outcomesOf('refused')).toEqual([[[-1, 'ERR_HTTP2_STREAM_CANCEL']]]);
    });

    it('next to others on its connection is a separate activity that contains everything its handler does', () => {
      const seen = served('concurrent').map(({ start, stop, inside }) => [
        stop[0]?.statusCode,
        inside.map(({ text }) => String(text).replace(String(start.pathAndQuery), '')),
      ]);
      const all = [' begins', ' has its body', ' is closed'];
      expect(seen).toEqual([
        [200, all],
        [201, all],
        [404, all],
      ]);
      expect(served('streamed')[0]?.inside.map(({ text }) => text)).toEqual(
        all.map((what) => `/upload${what}`),
      );
    });

    it('is described like any other', () => {
      for (const [request] of [served('answered'), made('answered')]) {
        expect(request?.start).toMatchObject({
          pathAndQuery: '/path?*',
          method: 'GET',
          scheme: 'http',
          host: '127.0.0.1',
          port: expect.any(Number),
          versionMajor: 2,
          versionMinor: 0,
        });
      }
    });

    it('belongs to the trace of its traceparent', () => {
      expect(served('traced')[0]?.start).toMatchObject({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        parentSpanId: 'b7ad6b7169203331',
      });
    });

    it('is not an activity while the option is off', () => {
      expect([...served('off'), ...made('off')]).toEqual([]);
    });
  });
});
