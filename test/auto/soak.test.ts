/**
 * Requests under load, over persistent connections, with pipelines, streams, errors and aborts: each is one activity
 * that contains its calls, queries and log lines.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { installedTools } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { isSoak, showSoak, soakFor } from '../soak.ts';
import { DatabaseServer, skipReason as serversReason } from './servers.ts';

const installed = installedTools({
  express: '^5.3.0',
  fastify: '^5.12.0',
  mysql2: '^3.24.0',
  pino: '^10.4.0',
  redis: '^6.3.0',
  undici: '^7.30.0',
});
const skipReason = 'reason' in installed ? installed.reason : serversReason;
const folder = 'folder' in installed ? installed.folder : '';
const { seconds, timeout } = soakFor(1);
const connections = isSoak ? 200 : 40;

interface Soaked {
  readonly asked: { readonly requests: number; readonly aborted: number };
  readonly requests: number;
  readonly dropped: number;
  readonly totals: { readonly activities: number; readonly stops: number };
  readonly faults: Readonly<Record<string, number>>;
  readonly examples: readonly string[];
}

describe.skipIf(skipReason !== undefined)(named('under load', skipReason), () => {
  let mariadb: DatabaseServer;
  let redis: DatabaseServer;
  beforeAll(async () => {
    [mariadb, redis] = await Promise.all([DatabaseServer.mariadb(), DatabaseServer.redis()]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([mariadb?.close(), redis?.close()]);
  });

  describeEachNode('every request', (run, major) => {
    it('is one activity that contains everything it causes', { timeout }, async () => {
      const args = [mariadb.port, redis.port, seconds, connections].map(String);
      const soaked = (await run('auto/programs/soak.mjs', folder, ...args)) as Soaked;
      showSoak(`Node.js ${major}`, soaked);
      expect(soaked.examples).toEqual([]);
      expect(soaked.dropped).toBe(0);
      expect(soaked.totals.stops).toBe(soaked.totals.activities);
      expect(soaked.requests).toBeGreaterThan(connections);
    });
  });
});
