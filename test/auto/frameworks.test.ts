/** Requests served by Express and Fastify: their routes and, with Node.Middleware, their handlers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { folder, skipReason } from './libraries.ts';
import { type RecordedActivity, Recording } from './recording.ts';

const textsOf = ({ inside }: RecordedActivity) => inside.map(({ text }) => text);

describe.skipIf(skipReason !== undefined)(named('frameworks', skipReason), () => {
  describeEachNode('a request to an application', (run) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/frameworks.mjs', folder, 'Node.Http'));
    });
    const answersOf = (way: string) =>
      recording
        .activities(way, 'Request')
        .map(({ start, stop }) => [
          start.pathAndQuery,
          ...stop.flatMap((one) => [one.statusCode, one.route]),
        ]);

    it('of Express has its route, including those of the enclosing routers', () => {
      expect(answersOf('express')).toEqual([
        ['/tenants/a/users/7', 200, '/tenants/:tenant/users/:id'],
        ['/tenants/a/users', 201, '/tenants/:tenant/users'],
        ['/tenants/a/fails', 500, '/tenants/:tenant/fails'],
        ['/tenants/a/rejects', 500, '/tenants/:tenant/rejects'],
        ['/outer/1/inner/2', 200, '/outer/:a/inner/:b'],
        ['/outer/1', 200, '/outer/:a'],
        ['/', 200, '/'],
        ['/nothing', 404, ''],
      ]);
    });

    it('of an Express that publishes nothing has the route that it leaves on the request', () => {
      expect(answersOf('withoutChannels')).toEqual([
        ['/tenants/a/users/7', 200, '/tenants/a/users/:id'],
        ['/tenants/a/users', 201, '/tenants/a/users'],
      ]);
    });

    it('of Fastify has its route', () => {
      expect(answersOf('fastify')).toEqual([
        ['/users/7', 200, '/users/:id'],
        ['/users', 201, '/users'],
        ['/fails', 500, '/fails'],
        ['/rejects', 500, '/rejects'],
        ['/nothing', 404, ''],
        ['/anonymous/7', 200, '/anonymous/:id'],
      ]);
    });

    it('that answers what a handler threw with 500 says what that was, and where', () => {
      for (const way of ['express', 'fastify']) {
        const failed = recording
          .activities(way, 'Request')
          .flatMap(({ stop }) => stop)
          .filter(({ statusCode }) => statusCode === 500);
        expect(failed).toMatchObject([
          { errorType: 'RangeError', errorMessage: 'in the handler' },
          { errorType: 'RangeError', errorMessage: 'in the promise' },
        ]);
        // Those of Fastify are of the same kinds.
        if (way === 'fastify') continue;
        for (const { errorStack } of failed) expect(errorStack).toMatch(/^at .*frameworks\.mjs:\d+:\d+/);
      }
    });

    it('contains everything that its handlers and hooks do', () => {
      const [get, post] = recording.activities('express', 'Request').map(textsOf);
      expect(get).toEqual(['first', 'second', 'param', 'handler', '7']);
      expect(post).toEqual(['first', 'second', '{"a":1}']);
      const [fastifyGet, fastifyPost] = recording.activities('fastify', 'Request').map(textsOf);
      expect(fastifyGet).toEqual(['onRequest', 'handler', '7', 'onResponse']);
      expect(fastifyPost).toEqual(['onRequest', '{"a":1}', 'onResponse']);
    });
  });

  describeEachNode('a handler', (run) => {
    let recording: Recording;
    beforeAll(async () => {
      const sources = 'Node.Http,Node.Middleware';
      recording = new Recording(await run('auto/programs/frameworks.mjs', folder, sources));
    });
    const handlersIn = (way: string, index: number) => {
      const { path } = recording.activities(way, 'Request')[index] ?? {};
      return recording.activities(way, 'Handler').filter((handler) => handler.in === path);
    };

    it('is nested in its request, next to the others, and contains what it does', () => {
      const seen = handlersIn('express', 0).map((handler) => [
        handler.start.name,
        handler.start.kind,
        handler.start.route,
        textsOf(handler),
      ]);
      expect(seen).toEqual([
        ['first', 'middleware', '/', ['first']],
        ['second', 'middleware', '/', ['second']],
        ['jsonParser', 'middleware', '/', []],
        ['router', 'middleware', '/tenants/:tenant', []],
        ['id', 'param', '/users/:id', ['param']],
        ['user', 'handler', '/users/:id', ['handler', '7']],
      ]);
      const [handler] = handlersIn('fastify', 0);
      expect(handler?.start).toEqual({
        name: 'user',
        kind: 'handler',
        route: '/users/:id',
        framework: 'fastify',
      });
      expect(handler && textsOf(handler)).toEqual(['handler', '7']);
    });

    it('without a name is called by its method and route', () => {
      expect(handlersIn('express', 4).at(-1)?.start.name).toBe('GET /outer/:a/inner/:b');
      expect(handlersIn('fastify', 5).map(({ start }) => start.name)).toEqual(['GET /anonymous/:id']);
    });

    it('has exactly one Stop, in every variant', () => {
      for (const way of recording.ways) {
        for (const handler of recording.activities(way, 'Handler')) expect(handler.stop).toHaveLength(1);
      }
    });

    it.each([
      ['express', 2, 'in the handler'],
      ['express', 3, 'in the promise'],
      ['fastify', 2, 'in the handler'],
      ['fastify', 3, 'in the promise'],
    ])('of %s that fails (%i) reports why: %s', (way, index, errorMessage) => {
      const failed = handlersIn(way, index).filter(({ stop }) => stop[0]?.errorType !== '');
      expect(failed.map(({ stop }) => stop)).toMatchObject([[{ errorType: 'RangeError', errorMessage }]]);
    });
  });
});
