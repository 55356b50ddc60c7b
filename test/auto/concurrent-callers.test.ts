/** Fifty callers over two connections: each call belongs to who made it or, where nobody can know, to nobody. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { isSoak, showSoak, soakFor } from '../soak.ts';
import { folder, skipReason as librariesReason } from './libraries.ts';
import { type RecordedActivity, Recording } from './recording.ts';
import { DatabaseServer, skipReason as serversReason } from './servers.ts';

const skipReason = librariesReason ?? serversReason;
const { seconds, timeout } = soakFor(0);
const CALLERS = 50;
const ROUNDS = 3;
const CALLS = CALLERS * ROUNDS;

/** How many calls there are: more where a caller makes several in a round. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  httpAgent: { ClientRequest: CALLS },
  httpAgentWithoutKeepAlive: { ClientRequest: CALLS },
  fetch: { ClientRequest: CALLS },
  undiciPool: { ClientRequest: CALLS },
  undiciAgent: { ClientRequest: CALLS },
  undiciClient: { ClientRequest: CALLS },
  undiciStream: { ClientRequest: CALLS },
  http2: { ClientRequest: CALLS },
  mysqlPool: { Command: CALLS, Acquire: CALLS },
  mysqlPoolPromises: { Command: 2 * CALLS, Acquire: 2 * CALLS },
  mysqlConnection: { Command: CALLS },
  pgPool: { Command: CALLS, Acquire: CALLS },
  pgPoolPromises: { Command: 2 * CALLS, Acquire: 2 * CALLS },
  pgClient: { Command: CALLS },
  redis: { Command: CALLS },
  redisBatch: { Command: 2 * CALLS, Batch: CALLS },
  redisOffline: { Command: CALLS },
  ioredis: { Command: CALLS },
  ioredisPipeline: { Command: 2 * CALLS },
  ioredisMulti: { Command: 2 * CALLS, Batch: CALLS },
  mongodb: { Command: CALLS },
  httpServer: { Command: 3 * CALLS, Acquire: 2 * CALLS, ClientRequest: CALLS },
  express: { Command: 3 * CALLS, Acquire: 2 * CALLS, ClientRequest: CALLS },
  fastify: { Command: 3 * CALLS, Acquire: 2 * CALLS, ClientRequest: CALLS },
};

/** Whose libraries publish calls later, in somebody else's context, with nothing that leads to the caller. */
const PARTLY_UNKNOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  undiciFetch: { ClientRequest: CALLS },
  undiciRetry: { ClientRequest: 4 * CALLS },
  undiciRedirect: { ClientRequest: 3 * CALLS },
  redisPool: { Command: CALLS },
  redisPoolBatch: { Command: 2 * CALLS, Batch: CALLS },
  redisPoolExecute: { Command: 2 * CALLS, ClientRequest: CALLS },
  ioredisAutoPipelining: { Command: CALLS },
  ioredisOffline: { Command: CALLS },
  ioredisLazy: { Command: CALLS },
};

/** Of the activities that have a caller's name in a field, or that have a parent which says who it was. */
interface Counts {
  own: number;
  others: number;
  nobodys: number;
}

const callerIn = ({ text, pathAndQuery, namespace }: RecordedActivity['start']) =>
  /c\d+c/.exec(`${text} ${pathAndQuery} ${namespace}`)?.[0];

function counted(recording: Recording, way: string, name: string): Counts {
  const parents = new Map<string, RecordedActivity>();
  for (const kind of ['Work', 'Request', 'Batch']) {
    for (const activity of recording.activities(way, kind)) parents.set(activity.path, activity);
  }
  const counts = { own: 0, others: 0, nobodys: 0 };
  for (const activity of recording.activities(way, name)) {
    const { start } = activity;
    // Its own commands, such as MULTI, and what it asks a new connection.
    if (name === 'Command' && callerIn(start) === undefined) continue;
    let parent = activity.in === undefined ? undefined : parents.get(activity.in);
    if (parent !== undefined && 'size' in parent.start) parent = parents.get(parent.in ?? '');
    const caller = callerIn(start);
    if (parent === undefined) counts.nobodys++;
    else if (caller === undefined || caller === callerIn(parent.start)) counts.own++;
    else counts.others++;
  }
  return counts;
}

/** On Node.js 20 there are no channels of node:http2, and pg gets none. */
const isTraced = (way: string, major: string) => major !== '20' || !/^(?:http2|pg)/.test(way);

describe.skipIf(skipReason !== undefined)(named('concurrent callers', skipReason), () => {
  let servers: DatabaseServer[] = [];
  beforeAll(async () => {
    servers = await Promise.all([
      DatabaseServer.mariadb(),
      DatabaseServer.redis(),
      DatabaseServer.postgresql(),
    ]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });

  describeEachNode('a call', (run, major) => {
    let recording: Recording;
    const record = async () => {
      const ports = servers.map(({ port }) => String(port));
      return new Recording(await run('auto/programs/concurrent-callers.mjs', folder, ...ports));
    };
    beforeAll(async () => {
      recording = await record();
    });

    it('is tried in every way', () => {
      expect([...Object.keys(KNOWN), ...Object.keys(PARTLY_UNKNOWN)].sort()).toEqual(
        [...recording.ways].sort(),
      );
    });

    it.each(Object.keys(KNOWN).filter((way) => isTraced(way, major)))(
      '%s: belongs to its caller, whoever used the connection before',
      (way) => {
        const isServed = recording.activities(way, 'Work').length === 0;
        for (const [name, all] of Object.entries(KNOWN[way] ?? {})) {
          const withoutPg = isServed && major === '20' && name !== 'ClientRequest' ? all - CALLS : all;
          expect(counted(recording, way, name), name).toEqual({ own: withoutPg, others: 0, nobodys: 0 });
        }
      },
    );

    it.each(Object.keys(PARTLY_UNKNOWN))('%s: belongs to nobody rather than to another caller', (way) => {
      for (const [name, all] of Object.entries(PARTLY_UNKNOWN[way] ?? {})) {
        const { own, others, nobodys } = counted(recording, way, name);
        expect({ calls: own + nobodys, others }, name).toEqual({ calls: all, others: 0 });
      }
    });

    if (isSoak) {
      it('never belongs to another caller', { timeout }, async () => {
        const all = { runs: 0, own: 0, others: 0, nobodys: 0 };
        for (const end = performance.now() + seconds * 1000; performance.now() < end; all.runs++) {
          const next = await record();
          for (const [way, names] of Object.entries({ ...KNOWN, ...PARTLY_UNKNOWN })) {
            if (!isTraced(way, major)) continue;
            for (const name of Object.keys(names)) {
              const { own, others, nobodys } = counted(next, way, name);
              all.own += own;
              all.others += others;
              all.nobodys += nobodys;
            }
          }
        }
        showSoak(`concurrent callers, Node.js ${major}`, all);
        expect(all.others).toBe(0);
        expect(all.own).toBeGreaterThan(all.nobodys);
      });
    }

    it('leaves its caller its own context', () => {
      for (const way of recording.ways) {
        for (const { start, inside } of recording.activities(way, 'Work')) {
          expect(inside, way).toEqual(Array(ROUNDS).fill({ text: start.text }));
        }
      }
    });
  });
});
