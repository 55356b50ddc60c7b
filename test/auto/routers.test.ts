/** The routes of requests to routers that publish none. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { folder, skipReason } from './libraries.ts';
import { Recording } from './recording.ts';

describe.skipIf(skipReason !== undefined)(named('routers', skipReason), () => {
  describeEachNode('a request', (run, major) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/routers.mjs', folder));
    });
    const routesOf = (way: string) =>
      recording
        .activities(way, 'Request')
        .map(({ start, stop }) => [start.pathAndQuery, ...stop.map(({ route }) => route)]);
    const BOTH = [
      ['/users/7', '/users/:id'],
      ['/nothing', ''],
    ];

    it('of Hono has the pattern of its last handler, which is that of the middleware if none matches', () => {
      expect(routesOf('hono')).toEqual([
        ['/users/7', '/users/:id'],
        ['/nothing', '/*'],
      ]);
    });

    it.each(['koa', 'setInTime'])('%s: has the last route that was set while it ran', (way) => {
      expect(routesOf(way)).toEqual(BOTH);
    });

    it('of h3 has the route that its plugin publishes', () => {
      expect(routesOf('h3')).toEqual(BOTH);
    });

    // Node.js 20 has no channels of HTTP/2.
    if (major === '20') return;
    it('of node:http2 has it, too', () => {
      expect(routesOf('http2')).toEqual([['/users/7', '/users/:id']]);
    });
  });
});
