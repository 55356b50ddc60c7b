/** Calls of gRPC, which run over node:http2 and have their outcome in the trailers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode, type RunProgram } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { folder, skipReason } from './libraries.ts';
import { Recording } from './recording.ts';

const OK = { errorType: '', errorMessage: '', errorStack: '' };
const failed = (errorType: string) => ({ ...OK, errorType, errorMessage: 'not 100 % “here”' });

describe.skipIf(skipReason !== undefined)(named('gRPC', skipReason), () => {
  const define = (run: RunProgram) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/grpc.mjs', folder));
    });
    const stopsOf = (way: string, name: string) =>
      recording.activities(way, name).flatMap(({ stop }) => stop);

    it.each([
      ['answered', 0, OK, OK],
      ['notFound', 5, failed('NOT_FOUND'), OK],
      ['internal', 13, failed('INTERNAL'), failed('INTERNAL')],
      ['stream', 0, OK, OK],
      ['brokenStream', 14, failed('UNAVAILABLE'), failed('UNAVAILABLE')],
    ])('%s: has the status of its trailers', (way, grpcStatus, ofClient, ofServer) => {
      expect(stopsOf(way, 'ClientRequest')).toEqual([{ statusCode: 200, grpcStatus, ...ofClient }]);
      expect(stopsOf(way, 'Request')).toEqual([{ statusCode: 200, grpcStatus, route: '', ...ofServer }]);
    });
  };
  // Node.js 20 has no channels of HTTP/2.
  describeEachNode('a call', define, 22);
});
