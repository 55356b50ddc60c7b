/** Queries of pg to a real PostgreSQL: pg gets channels when it is loaded, if Node.js has the required hooks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import * as libraries from './libraries.ts';
import { Recording } from './recording.ts';
import { DatabaseServer, skipReason as serversReason } from './servers.ts';

const skipReason = libraries.skipReason ?? serversReason;
const OK = { errorType: '', errorMessage: '', errorStack: '' };
const ACTIVITIES = ['Command', 'Connect', 'Acquire'];

describe.skipIf(skipReason !== undefined)(named('pg', skipReason), () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await DatabaseServer.postgresql();
  }, 120_000);
  afterAll(async () => {
    await server?.close();
  });

  describeEachNode('a query of pg', (run, major) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/pg.mjs', libraries.folder, String(server.port)));
    });
    const warnings = () => recording.notes('off');

    if (major === '20') {
      it('is not traced on Node.js 20, with a warning', () => {
        expect(recording.activities('promises', 'Command')).toEqual([]);
        expect(warnings()).toEqual(['Queries of pg are not traced: this requires Node.js 22.15 or later.']);
      });
      return;
    }

    it('has exactly one Stop, in every variant', () => {
      for (const way of recording.ways) {
        for (const name of ACTIVITIES) {
          for (const { stop } of recording.activities(way, name))
            expect(stop, `${way} ${name}`).toHaveLength(1);
        }
      }
      expect(warnings()).toEqual([]);
    });

    it('contains the request, without values, and how it ended', () => {
      const [first, second] = recording.activities('promises', 'Command');
      expect(first?.start).toEqual({
        text: 'SELECT $1::text AS a, ? AS b',
        operation: 'SELECT',
        system: 'postgresql',
        namespace: 'postgres',
        host: '127.0.0.1',
        port: server.port,
      });
      expect(first?.stop).toEqual([OK]);
      expect(second?.stop).toMatchObject([{ errorType: '42P01', errorMessage: '' }]);
    });

    it('keeps what the library itself says, up to the first value', () => {
      const stops = recording.activities('client', 'Command').flatMap(({ stop }) => stop);
      expect(stops.map(({ errorMessage }) => errorMessage)).toEqual([
        'circular reference detected while preparing …',
        'Query values must be an array',
        'Client was closed and is not queryable',
      ]);
    });

    it('may have its callback in any position, and that belongs to the caller', () => {
      for (const { path, inside } of recording.activities('callbacks', 'Work')) {
        const own = recording.activities('callbacks', 'Command').filter((command) => command.in === path);
        expect(own.map(({ stop }) => stop)).toEqual([[OK]]);
        expect(inside).toEqual([{ text: 'is answered' }]);
      }
    });

    it.each([
      ['pool', 1],
      ['poolPromises', 2],
    ])('%s: belongs to its caller, whoever used the connection before', (way, count) => {
      const works = recording.activities(way, 'Work');
      expect(works.length).toBeGreaterThanOrEqual(4);
      for (const { path, start, inside } of works) {
        const text = String(start.text);
        const own = recording.activities(way, 'Command').filter((command) => command.in === path);
        expect(own.map((command) => /"(\w)"/.exec(String(command.start.text))?.[1])).toEqual(
          Array.from({ length: count }, () => text),
        );
        const acquired = recording.activities(way, 'Acquire').filter((one) => one.in === path);
        expect(acquired.map(({ stop }) => stop)).toEqual(Array.from({ length: count }, () => [OK]));
        expect(inside.length).toBe(count);
      }
    });

    it('has no server if that refuses the connection', () => {
      expect(recording.activities('refused', 'Connect').map(({ stop }) => stop)).toEqual([
        [
          {
            errorType: 'ECONNREFUSED',
            errorMessage: expect.stringMatching(/^connect ECONNREFUSED/),
            errorStack: expect.any(String),
          },
        ],
      ]);
    });

    it('is not an activity while the option is off', () => {
      for (const name of ACTIVITIES) expect(recording.activities('off', name)).toEqual([]);
    });
  });
});
