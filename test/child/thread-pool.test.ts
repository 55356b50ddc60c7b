/**
 * `tracewright explain` says how long requests waited in the queue of the thread pool, and who filled it: of a server
 * that hashes passwords in one route, reads files in another and compresses in a third.
 */
import { beforeAll, expect, it } from 'vitest';
import { describeEachNode } from './each-node.ts';

interface Explained {
  readonly field: string;
  readonly states: readonly { readonly state: string; readonly what: string; readonly msec: number }[];
}

interface Printed {
  /** What the server measured, by the request's path. */
  readonly truths: Readonly<Record<string, number>>;
  readonly delays: readonly number[];
  readonly explanation: { readonly activities: readonly Explained[] };
}

const QUEUE = 'its queue, filled by crypto.pbkdf2 of GET /hash/:id';
/** The machine may disturb one. */
const ROUNDS = [0, 1, 2, 3];
const MOST = 3;
const MS = 3;
/** A canary follows each job within 10 ms, or within a tenth of the time that the oldest one has waited. */
const APART_MS = 10;
const APART_SHARE = 0.1;

describeEachNode('the queue of the thread pool', (run) => {
  let printed: Printed;
  beforeAll(async () => {
    printed = (await run('child/explain-programs/thread-pool.mjs')) as Printed;
  }, 120_000);

  const waitOf = (path: string, wanted: string) => {
    const found = printed.explanation.activities.find(({ field }) => field === `/pathAndQuery=${path}`);
    const states = found?.states.filter(({ state, what }) => state === 'threadPool' && what === wanted) ?? [];
    return states.reduce((sum, { msec }) => sum + msec, 0);
  };

  it.each([
    ['read', 'fs'],
    ['compress', 'zlib'],
  ])('makes those wait whose work is nothing: %s', (route, work) => {
    const behind = ROUNDS.map((round) => `/${route}/${round}-behind`).filter((path) => {
      const queued = waitOf(path, QUEUE);
      expect(queued).toBeLessThanOrEqual((printed.truths[path] ?? 0) + MS);
      return queued > waitOf(path, work);
    });
    expect(behind.length).toBeGreaterThanOrEqual(MOST);
  });

  it('is no reason while the pool is free', () => {
    const alone = Object.keys(printed.truths).filter((path) => /^\/read\/\d+$/.test(path));
    const delayed = alone.filter((path) => waitOf(path, QUEUE) > 0);
    expect(alone).toHaveLength(40);
    expect(delayed).toEqual([]);
  });

  it('does not include the work of those who fill it', () => {
    const hashing = ROUNDS.filter((round) => waitOf(`/hash/${round}`, 'crypto.pbkdf2') > 10 * MS);
    expect(hashing.length).toBeGreaterThanOrEqual(MOST);
  });

  it('has its delay in the recording, as long as the requests waited, and none while the pool is free', () => {
    // Compressing is one job: reading a file is several, each of which may wait.
    const longest = Math.max(...ROUNDS.map((round) => waitOf(`/compress/${round}-behind`, QUEUE)));
    const earlier = Math.max(APART_MS, longest * APART_SHARE);
    expect(Math.max(...printed.delays)).toBeGreaterThanOrEqual(longest - earlier - MS);
    expect(printed.delays.filter((delay) => delay < 1).length).toBeGreaterThan(0);
  });
});
