/** Sessions of the main thread with the events of worker threads. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  event,
  type Session,
  type SessionOptions,
  startSession,
} from '../../../lib/index.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { leftToAll } from '../../at-length.ts';
import { named } from '../../platforms.ts';
import { readTrace } from '../../wire/nettrace/nettrace-bytes.ts';
import { readSession } from '../session-trace.ts';
import { TestWorker } from './test-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-workers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PROVIDER = 'Session-Workers';
const log = defineEventSource(PROVIDER, { Ping: event({ n: 'int32' }) });

let files = 0;

/**
 * @param workers that are there: they hear of the session when they come back to their event loops
 * @returns ends the session
 */
async function record(workers: readonly TestWorker[] = [], options: Partial<SessionOptions> = {}) {
  const output = join(folder, `${++files}.nettrace`);
  const session = startSession({ providers: PROVIDER, output, ...options });
  await Promise.all(workers.map((worker) => worker.isIn(1)));
  return async () => {
    const result = await session.close();
    return { output, result, ...(await readSession(readFileSync(output))) };
  };
}

const startWorkers = (count: number) => Promise.all(Array.from({ length: count }, () => TestWorker.start()));
const exitAll = (workers: readonly TestWorker[]) => Promise.all(workers.map((worker) => worker.exit()));

/** The numbers of each thread's events. */
function numbersByThread(events: readonly TraceEvent[]): Map<number | undefined, number[]> {
  const byThread = new Map<number | undefined, number[]>();
  for (const { threadId: thread, payload } of events) {
    const numbers = byThread.get(thread) ?? [];
    byThread.set(thread, numbers);
    numbers.push(Number(payload.n));
  }
  return byThread;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Version 4 in short is what other tests of sessions prove. */
const VERSIONS = [
  [6, undefined],
  [4, leftToAll],
] as const;

for (const [nettraceVersion, skipped] of VERSIONS) {
  describe.skipIf(skipped !== undefined)(
    named(`a session that writes version ${nettraceVersion}`, skipped),
    () => {
      it("contains the events of all threads, each thread's in order, and each kind described once", async () => {
        const workers = await startWorkers(4);
        const stop = await record(workers, { nettraceVersion });
        const written = Promise.all(workers.map((worker) => worker.tell({ do: 'write', count: 20_000 })));
        for (let n = 0; n < 20_000; n++) log.Ping({ n });
        await written;
        const { result, events, checked, trace } = await stop();
        await exitAll(workers);
        expect(result).toMatchObject({ events: 100_000, dropped: 0, problem: undefined });
        expect(checked).toMatchObject({
          version: nettraceVersion,
          events: 100_000,
          metadata: 1,
          threads: 5,
          dropped: 0,
        });
        expect(trace.lostEvents).toBe(0);
        const byThread = numbersByThread(events);
        expect(byThread.size).toBe(5);
        for (const numbers of byThread.values()) expect(numbers).toEqual(upTo(20_000));
      });

      it('says for each thread how many events are missing because there was no room', async () => {
        const workers = await startWorkers(2);
        const stop = await record(workers, { nettraceVersion, maxBufferBytes: 2 ** 20 });
        const done = workers.map(() => new Int32Array(new SharedArrayBuffer(4)));
        const written = workers.map((worker, i) =>
          worker.tell({ do: 'writeAndWake', count: 50_000, done: done[i] as Int32Array }),
        );
        // Nobody reads meanwhile.
        for (const each of done) Atomics.wait(each, 0, 0);
        await Promise.all(written);
        const { result, events, checked, trace } = await stop();
        await exitAll(workers);
        expect(result.dropped).toBeGreaterThan(10_000);
        expect(result.events + result.dropped).toBe(100_000);
        expect(events.length).toBe(result.events);
        expect(checked.dropped).toBe(result.dropped);
        expect(trace.lostEvents).toBe(result.dropped);
        for (const numbers of numbersByThread(events).values()) {
          expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        }
      });
    },
  );
}

describe('a session of the main thread', () => {
  it('contains the names of threads, and their ids in the system', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker]);
    await worker.tell({ do: 'write', count: 1 });
    log.Ping({ n: 0 });
    const { events, output } = await stop();
    await worker.exit();
    const threads = readTrace(readFileSync(output), 1000).events.map(({ thread }) => thread);
    expect(threads.map(({ name }) => name).sort()).toEqual(['main', `worker ${worker.id}`]);
    expect(new Set(events.map(({ threadId }) => threadId)).size).toBe(2);
  });

  it('includes threads that start later, and what they wrote before they ended', async () => {
    const stop = await record();
    const numbers: number[] = [];
    for (let n = 0; n < 5; n++) {
      const worker = await TestWorker.start();
      await worker.tell({ do: 'write', from: n, count: 1 });
      numbers.push(n);
      await worker.exit();
    }
    await setTimeout(250);
    const { events, result, checked } = await stop();
    expect(events.map(({ payload }) => payload.n)).toEqual(numbers);
    expect(result).toMatchObject({ events: 5, dropped: 0 });
    // Whoever reads the trace of many days does not have to keep those that have gone.
    expect(checked.removedThreads).toBe(5);
  });

  it('includes a thread that existed before and uses event sources afterwards', async () => {
    const worker = await TestWorker.start({ isLate: true });
    const stop = await record();
    await worker.tell({ do: 'load' });
    await worker.isIn(1);
    await worker.tell({ do: 'write', count: 3 });
    const { events } = await stop();
    await worker.exit();
    expect(numbersByThread(events).size).toBe(1);
    expect(events.length).toBe(3);
  });

  it('enables the sources of all threads, until it ends', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker], { providers: `${PROVIDER}:2:5:a=b` });
    await stop();
    await worker.isIn(0);
    expect(worker.heard).toEqual([
      { heard: 'enable', args: { a: 'b' } },
      { heard: 'disable', args: {} },
    ]);
    await worker.exit();
  });

  it('contains activities and events of every kind, in causal order', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker]);
    for (let n = 0; n < 200; n += 2) {
      log.Ping({ n });
      await worker.tell({ do: 'kinds', n: n + 1 });
    }
    const { events, checked, result } = await stop();
    await worker.exit();
    expect(result.events).toBe(100 + 100 * 6);
    // Ping, Loud, Own and the two of the activity: also those of the same kind that two threads have.
    expect(checked.metadata).toBe(5);
    const numbers = events.map(({ payload }) => Number(payload.n ?? 0)).filter((n) => n > 0);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const [start] = events.filter(({ name }) => name.includes('Start'));
    expect(start?.activityPath).toMatch(new RegExp(`^//${worker.id + 1}/`));
    const inside = events.filter(({ activityId }) => activityId === start?.activityId);
    expect(inside.length).toBe(3);
  });

  it('contains what is requested of a thread, by level, keywords and ids', async () => {
    const worker = await TestWorker.start();
    const namesOf = async (provider: object) => {
      const stop = await record([worker], { providers: [{ name: PROVIDER, ...provider }] });
      await worker.tell({ do: 'kinds', n: 1 });
      const { events } = await stop();
      await worker.isIn(0);
      return [...new Set(events.map(({ name }) => name))].sort().join();
    };
    expect(await namesOf({ level: 2 })).toBe('Loud');
    expect(await namesOf({ keywords: 0n })).toBe('Own,Ping,RequestStart,RequestStop');
    expect(await namesOf({ filter: { isAllowList: true, ids: [1, 2] } })).toBe('Loud,Ping');
    expect(await namesOf({ filter: { isAllowList: false, ids: [1, 0] } })).toBe(
      'Loud,RequestStart,RequestStop',
    );
    await worker.exit();
  });

  it('counts events of a thread that are too large', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker]);
    await worker.tell({ do: 'large', size: 32_000 });
    await worker.tell({ do: 'large', size: 40_000 });
    const { result, checked } = await stop();
    await worker.exit();
    expect(result).toMatchObject({ events: 1, dropped: 1 });
    expect(checked.dropped).toBe(1);
  });

  it('may be one of several', async () => {
    const worker = await TestWorker.start();
    const first = await record([worker]);
    await worker.tell({ do: 'write', from: 0, count: 1 });
    const second = await record([], { nettraceVersion: 4 });
    await worker.isIn(2);
    await worker.tell({ do: 'write', from: 1, count: 1 });
    const ofFirst = await first();
    await worker.tell({ do: 'write', from: 2, count: 1 });
    const ofSecond = await second();
    await worker.exit();
    expect(ofFirst.events.map(({ payload }) => payload.n)).toEqual([0, 1]);
    expect(ofSecond.events.map(({ payload }) => payload.n)).toEqual([1, 2]);
  });
});

describe('if events wait for room, a session of the main thread', () => {
  it('loses none', async () => {
    const workers = await startWorkers(3);
    const stop = await record(workers, { maxBufferBytes: 0.3 * 2 ** 20, mode: 'block' });
    const written = Promise.all(workers.map((worker) => worker.tell({ do: 'write', count: 40_000 })));
    for (let n = 0; n < 40_000; n++) log.Ping({ n });
    await written;
    const { result, events } = await stop();
    await exitAll(workers);
    expect(result).toMatchObject({ events: 160_000, dropped: 0 });
    const byThread = numbersByThread(events);
    expect(byThread.size).toBe(4);
    for (const numbers of byThread.values()) expect(numbers).toEqual(upTo(40_000));
  });

  it('is not waited for if it is itself waiting', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker], { maxBufferBytes: 0.3 * 2 ** 20, mode: 'block' });
    const done = new Int32Array(new SharedArrayBuffer(4));
    const written = worker.tell({ do: 'writeAndWake', count: 40_000, done });
    const start = performance.now();
    expect(Atomics.wait(done, 0, 0, 20_000)).toBe('ok');
    expect(performance.now() - start).toBeLessThan(8000);
    await written;
    await setTimeout(200);
    await worker.tell({ do: 'write', from: 40_000, count: 40_000 });
    const { result, events } = await stop();
    await worker.exit();
    expect(result.dropped).toBeGreaterThan(0);
    expect(result.events + result.dropped).toBe(80_000);
    // Since the main thread reads again, events wait again.
    expect(events.slice(-40_000).map(({ payload }) => payload.n)).toEqual(
      upTo(40_000).map((n) => n + 40_000),
    );
  });
});

describe('a thread', () => {
  it('that blocks its event loop does not hold up the session, which has what it wrote', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker]);
    const done = new Int32Array(new SharedArrayBuffer(4));
    void worker.tell({ do: 'block', count: 1000, done });
    await vi.waitFor(() => expect(done[0]).toBe(1));
    const start = performance.now();
    const { events, result } = await stop();
    expect(performance.now() - start).toBeLessThan(1000);
    await worker.worker.terminate();
    expect(result).toMatchObject({ events: 1000, dropped: 0 });
    expect(events.map(({ payload }) => payload.n)).toEqual(upTo(1000));
  });

  it('makes nothing of Node.js for its events, which would stay half made if its code ended meanwhile', async () => {
    const worker = await TestWorker.start();
    const stop = await record([worker]);
    const { made } = await worker.tell({ do: 'writeAndTell', count: 50_000 });
    const { result } = await stop();
    await worker.exit();
    expect(made).toEqual([]);
    expect(result).toMatchObject({ events: 50_000, dropped: 0 });
  });

  it('that is terminated while writing has its events in the trace, and takes no memory with it', async () => {
    // Room for four chunks: none is left when four are not given back.
    const stop = await record([], { maxBufferBytes: 0.25 * 2 ** 20 });
    for (let i = 0; i < 20; i++) {
      const workers = await startWorkers(2);
      for (const worker of workers) void worker.tell({ do: 'writeOn' });
      await setTimeout((i * 7) % 30);
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    }
    const survivor = await TestWorker.start();
    await setTimeout(150);
    await survivor.tell({ do: 'write', from: 1_000_000_000, count: 100 });
    const { events, result, checked } = await stop();
    await survivor.exit();
    expect(events.length).toBe(result.events);
    expect(checked.dropped).toBe(result.dropped);
    const last = events.slice(-100).map(({ payload }) => payload.n);
    expect(last).toEqual(upTo(100).map((n) => n + 1_000_000_000));
    for (const numbers of numbersByThread(events).values()) {
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  }, 60_000);
});

it.each([6, 4] as const)(
  'a stream may end its session during a chunk (version %i), none of which appears twice',
  async (nettraceVersion) => {
    const worker = await TestWorker.start();
    const pieces: Buffer[] = [];
    let ended: ReturnType<Session['close']> | undefined;
    const output = new Writable({
      write(piece, _, done) {
        pieces.push(piece);
        // Of a large piece, more are to come.
        if (piece.length > 100_000) ended ??= session.close();
        done();
      },
    });
    const session: Session = startSession({ providers: PROVIDER, output, nettraceVersion });
    await worker.isIn(1);
    const done = new Int32Array(new SharedArrayBuffer(4));
    const written = worker.tell({ do: 'writeAndWake', count: 40_000, done });
    Atomics.wait(done, 0, 0);
    await written;
    await vi.waitFor(() => expect(ended).toBeDefined());
    const result = await ended;
    await worker.exit();
    const { events } = await readSession(Buffer.concat(pieces));
    expect(result?.problem).toBeUndefined();
    expect(events.map(({ payload }) => payload.n)).toEqual(upTo(40_000));
  },
);

it('a stream may write its own events for each chunk, which stay in the order of all threads', async () => {
  const worker = await TestWorker.start();
  const pieces: Buffer[] = [];
  let large = 0;
  const output = new Writable({
    write(piece, _, done) {
      pieces.push(piece);
      if (piece.length > 1000) log.Ping({ n: -++large });
      done();
    },
  });
  const session = startSession({ providers: PROVIDER, output, maxBufferBytes: 2 * 2 ** 20 });
  await worker.isIn(1);
  for (let round = 0; round < 3; round++) {
    const before = large;
    const done = new Int32Array(new SharedArrayBuffer(4));
    const written = worker.tell({ do: 'writeAndWake', from: round * 40_000, count: 40_000, done });
    // Nobody reads until there is what makes several pieces.
    Atomics.wait(done, 0, 0);
    await written;
    await vi.waitFor(() => expect(large).toBeGreaterThan(before + 1), { timeout: 30_000 });
  }
  const result = await session.close();
  await worker.exit();
  const { events, checked } = await readSession(Buffer.concat(pieces));
  expect(events.length).toBe(result.events);
  expect(result.events + result.dropped).toBe(3 * 40_000 + large);
  expect(checked.dropped).toBe(result.dropped);
});
