/** Who fills the thread pool, and how long its queue takes, only for those who ask. */
import { pbkdf2, randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineEventSource, event, Level, listen, startSession } from '../../lib/index.ts';
import type { WrittenEvent } from '../../lib/listen/written-event.ts';
import { theTracer } from '../../lib/platform/tracer.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';
import { measurePoolDelays } from '../../lib/runtime/thread-pool.ts';
import { openTrace } from '../../lib/trace/index.ts';

const source = enableRuntimeEvents();
const log = defineEventSource('Hashing-Service', { WorkStart: event(), WorkStop: event() });
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  vi.restoreAllMocks();
});

function listening(
  filter: Parameters<typeof listen>[2] = {
    keywords: RuntimeKeywords.ThreadPool | RuntimeKeywords.ActivityRuns,
  },
) {
  const events: WrittenEvent[] = [];
  const take = (written: WrittenEvent) => void events.push(written);
  for (const subscription of [listen(source, take, filter), listen(log, take)]) {
    ends.push(() => subscription.close());
  }
  return {
    delays: () => events.filter(({ name }) => name === 'ThreadPoolDelay').map(({ payload }) => payload),
    uses: () => events.filter(({ name }) => name === 'ThreadPoolUse'),
    starts: () => events.filter(({ name }) => name === 'WorkStart'),
  };
}

/** More work than the pool has threads, and a file that waits behind it. */
async function filled(): Promise<void> {
  const jobs = Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 150_000, 32, 'sha256'));
  await sleep(20);
  await Promise.all([...jobs, readFile(import.meta.filename), promisify(gzip)('text')]);
}

/** What a session says of the queue that lasts as long as the work. */
async function toldAfter(work: () => Promise<void> | void) {
  const output = new PassThrough();
  const session = startSession({ providers: 'Node.Runtime:100:0', output, rundown: true });
  const working = work();
  if (working !== undefined) await working;
  await session.close();
  const told = [];
  for await (const { name, payload } of await openTrace(output)) {
    if (name === 'ThreadPoolDelay') told.push(payload);
  }
  return told;
}

function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('The thread pool', () => {
  it('is observed only for those who ask for its keyword', async () => {
    const probe = vi.spyOn(theTracer(), 'probeThreadPool');
    listening({ level: Level.Verbose });
    listening({ keywords: RuntimeKeywords.GC });
    await readFile(import.meta.filename);
    await sleep(150);
    expect(probe).not.toHaveBeenCalled();
    listening();
    expect(probe).toHaveBeenCalled();
    for (const end of ends.splice(0)) await end();
    const calls = probe.mock.calls.length;
    await readFile(import.meta.filename);
    await sleep(250);
    expect(probe).toHaveBeenCalledTimes(calls);
  });

  it('has a queue that takes time, and is filled by the jobs of an activity', async () => {
    const { delays, uses, starts } = listening();
    await log.activity('Work', {}, filled);
    await vi.waitFor(() => expect(delays().length).toBeGreaterThan(1));
    expect(Math.max(...delays().map(({ delayMSec }) => Number(delayMSec)))).toBeGreaterThan(20);
    const use = uses().find(({ payload }) => payload.kind === 'crypto.pbkdf2' && payload.jobs === 8);
    expect(use?.payload.running).toBe(4);
    expect(String(use?.activityId)).toBe(String(starts().at(-1)?.activityId));
  });

  it('is not used by synchronous calls', async () => {
    const { delays } = listening();
    for (let i = 0; i < 50; i++) randomFillSync(Buffer.alloc(8));
    await vi.waitFor(() => expect(delays().length).toBeGreaterThan(2));
    expect(delays().at(-1)?.jobs).toBe(0);
  });

  it('is known to be full at the end of a session that began when it already was', async () => {
    const done = filled();
    const told = await toldAfter(() => sleep(30));
    expect(told.at(-1)).toMatchObject({ isOver: false });
    await done;
  });

  it('is not taken for full while the event loop is stuck', async () => {
    const told = await toldAfter(() => busy(200));
    expect(told.filter(({ delayMSec }) => Number(delayMSec) > 100)).toEqual([]);

    vi.useFakeTimers({ toFake: ['setInterval'] });
    const measured: number[] = [];
    const end = measurePoolDelays((delay) => measured.push(delay));
    vi.advanceTimersByTime(100);
    busy(200);
    vi.advanceTimersByTime(100);
    vi.useRealTimers();
    await vi.waitFor(() => expect(measured).toHaveLength(1));
    end();
    expect(measured[0]).toBeLessThan(100);
  });

  it('is unknown without the addon', async () => {
    vi.spyOn(theTracer(), 'canProbeThreadPool', 'get').mockReturnValue(false);
    vi.spyOn(theTracer(), 'probeThreadPool').mockReturnValue(Float64Array.of(Number.NaN));
    expect(await toldAfter(() => sleep(150))).toEqual([]);
    const measured: number[] = [];
    const end = measurePoolDelays((delay) => measured.push(delay));
    await sleep(250);
    end();
    expect(measured).toEqual([]);
  });
});
