/** Commands to real databases: each is one activity nested in its caller's, even on shared connections. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import * as libraries from './libraries.ts';
import { Recording } from './recording.ts';
import { DatabaseServer, skipReason as serversReason } from './servers.ts';

const skipReason = libraries.skipReason ?? serversReason;
const OK = { errorType: '', errorMessage: '', errorStack: '' };
const ACTIVITIES = ['Command', 'Batch', 'Connect', 'Acquire'];

describe.skipIf(skipReason !== undefined)(named('databases', skipReason), () => {
  let mariadb: DatabaseServer;
  let redis: DatabaseServer;
  beforeAll(async () => {
    [mariadb, redis] = await Promise.all([DatabaseServer.mariadb(), DatabaseServer.redis()]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([mariadb?.close(), redis?.close()]);
  });

  describeEachNode('a command', (run) => {
    let recording: Recording;
    beforeAll(async () => {
      const ports = [mariadb, redis].map(({ port }) => String(port));
      recording = new Recording(await run('auto/programs/databases.mjs', libraries.folder, ...ports));
    });
    const commandsIn = (way: string) => {
      const works = recording.activities(way, 'Work').map(({ path }) => path);
      return recording
        .activities(way, 'Command')
        .filter((command) => command.in !== undefined && works.includes(command.in));
    };
    const textsIn = (way: string) => commandsIn(way).map(({ start }) => start.text);

    it('has exactly one Stop, in every variant', () => {
      for (const way of recording.ways) {
        for (const name of ACTIVITIES) {
          for (const { stop } of recording.activities(way, name))
            expect(stop, `${way} ${name}`).toHaveLength(1);
        }
      }
    });

    it('of mysql2 contains the request, without values unless they are wanted', () => {
      expect(textsIn('mysqlConnection')).toEqual([
        'SELECT ? AS secret',
        'SELECT ? AS secret',
        'SELECT nothing FROM nowhere',
        'SELECT 7',
      ]);
      expect(commandsIn('mysqlConnection')[0]?.start).toEqual({
        text: 'SELECT ? AS secret',
        operation: 'SELECT',
        system: 'mysql',
        namespace: 'mysql',
        host: '127.0.0.1',
        port: mariadb.port,
      });
    });

    it('of mysql2 that fails reports why, without values', () => {
      const stops = commandsIn('mysqlConnection').flatMap(({ stop }) => stop);
      expect(stops).toMatchObject([OK, OK, { errorType: 'ER_NO_SUCH_TABLE', errorMessage: '' }, OK]);
      expect(recording.activities('mysqlRefused', 'Connect').map(({ stop }) => stop)).toEqual([
        [
          {
            errorType: 'ECONNREFUSED',
            errorMessage: expect.stringMatching(/^connect ECONNREFUSED/),
            errorStack: expect.any(String),
          },
        ],
      ]);
    });

    it('of mysql2 can be read row by row', () => {
      expect(commandsIn('mysqlStream').map(({ stop }) => stop)).toEqual([[OK]]);
    });

    it.each([
      ['mysqlPool', 1],
      ['mysqlPromises', 2],
      ['redisConcurrent', 2],
      ['ioredisConcurrent', 2],
    ])(
      '%s: belongs to its caller, and so does its result, whoever used the connection before',
      (way, count) => {
        const works = recording.activities(way, 'Work');
        expect(works.length).toBeGreaterThanOrEqual(4);
        for (const { path, start, inside } of works) {
          const own = recording.activities(way, 'Command').filter((command) => command.in === path);
          expect(own).toHaveLength(count);
          const text = String(start.text);
          for (const command of own) expect(command.start.text).toMatch(new RegExp(`\\b${text}\\b`));
          for (const note of inside) expect(['is answered', text]).toContain(note.text);
          expect(inside.length).toBeGreaterThan(0);
        }
      },
    );

    it('of mysql2 in a pool waits for its connection first', () => {
      for (const { path } of recording.activities('mysqlPool', 'Work')) {
        const acquired = recording.activities('mysqlPool', 'Acquire').filter((one) => one.in === path);
        expect(acquired.map(({ stop }) => stop)).toEqual([[OK]]);
      }
    });

    it.each([['redis'], ['ioredis']])('of %s contains the request, without values', (way) => {
      expect(textsIn(way)).toEqual(['SET key ?', 'GET key', 'LPUSH key ?']);
      expect(commandsIn(way)[0]?.start).toEqual({
        text: 'SET key ?',
        operation: 'SET',
        system: 'redis',
        namespace: '0',
        host: '127.0.0.1',
        port: redis.port,
      });
      expect(commandsIn(way)[2]?.stop).toEqual([
        {
          errorType: expect.stringMatching(/Error$/),
          errorMessage: expect.stringMatching(/^WRONGTYPE /),
          errorStack: expect.any(String),
        },
      ]);
    });

    it.each([
      ['redisBatch', ['MULTI', 'PIPELINE']],
      ['ioredisBatch', ['MULTI']],
    ])('%s: a batch is one activity that contains its commands', (way, operations) => {
      const batches = recording.activities(way, 'Batch');
      expect(batches.map(({ start }) => [start.operation, start.size])).toEqual(
        operations.map((operation) => [operation, 2]),
      );
      const inside = recording.activities(way, 'Command').filter((command) => {
        return batches.some(({ path }) => path === command.in);
      });
      expect(inside.map(({ start }) => start.text)).toEqual(
        expect.arrayContaining(['SET key ?', 'INCR key']),
      );
    });

    it('is not an activity while the option is off', () => {
      for (const name of ACTIVITIES) expect(recording.activities('off', name)).toEqual([]);
    });
  });
});
