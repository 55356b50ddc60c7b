/** The lowest supported versions of libraries: what is recorded of them is the same as of the newest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import * as libraries from './libraries.ts';
import { Recording } from './recording.ts';
import { DatabaseServer, skipReason as serversReason } from './servers.ts';

const lowest = libraries.skipReason === undefined ? libraries.lowestFolder() : undefined;
const skipReason =
  libraries.skipReason ??
  (lowest === undefined ? 'npm could not install the lowest versions' : serversReason);
const NAMES = ['Request', 'ClientRequest', 'Command', 'Batch', 'Connect', 'Acquire', 'Handler'];

/** By way: each activity with what it was started in, and how it ended. */
function summaryOf(printed: unknown): object {
  const recording = new Recording(printed);
  return Object.fromEntries(
    recording.ways.map((way) => {
      const activities = NAMES.flatMap((name) =>
        recording.activities(way, name).map((activity) => ({ name, ...activity })),
      );
      const nameOf = new Map(activities.map(({ path, name }) => [path, name]));
      const texts = activities.map(({ name, in: around = '', stop, start }) => {
        const what = start.pathAndQuery ?? start.text ?? '';
        const ends = stop.map(({ statusCode = '', errorType }) => `${statusCode}${errorType}`);
        return `${name} ${what} in ${nameOf.get(around) ?? 'other'}: ${ends}`;
      });
      return [way, texts.sort()];
    }),
  );
}

describe.skipIf(skipReason !== undefined)(named('the lowest versions', skipReason), () => {
  let servers: DatabaseServer[] = [];
  beforeAll(async () => {
    servers = await Promise.all([
      DatabaseServer.mariadb(),
      DatabaseServer.redis(),
      DatabaseServer.postgresql(),
    ]);
  }, 120_000);
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  describeEachNode('are recorded like the newest', (run, major) => {
    const both = async (program: string, ...args: string[]) => {
      const [ofLowest, ofNewest] = await Promise.all(
        [lowest ?? '', libraries.folder].map((folder) => run(program, folder, ...args)),
      );
      return [summaryOf(ofLowest), summaryOf(ofNewest)];
    };

    it('fastify and express', { timeout: 60_000 }, async () => {
      const [ofLowest, ofNewest] = await both('auto/programs/frameworks.mjs', 'Node.Http,Node.Middleware');
      expect(ofLowest).toEqual(ofNewest);
    });

    it('mysql2, redis and ioredis', { timeout: 60_000 }, async () => {
      const ports = servers.slice(0, 2).map(({ port }) => String(port));
      const [ofLowest, ofNewest] = await both('auto/programs/databases.mjs', ...ports);
      expect(ofLowest).toEqual(ofNewest);
    });

    // There are no hooks for modules on Node.js 20.
    if (major === '20') return;
    it('pg', { timeout: 60_000 }, async () => {
      const [ofLowest, ofNewest] = await both('auto/programs/pg.mjs', String(servers[2]?.port));
      expect(ofLowest).toEqual(ofNewest);
    });
  });
});
