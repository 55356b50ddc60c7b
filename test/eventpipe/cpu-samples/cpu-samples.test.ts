/** CPU samples: what V8 reports about two functions that burn CPU time, and their names in the trace. */
import { Session } from 'node:inspector';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CpuSamples } from '../../../lib/eventpipe/cpu-samples/cpu-samples.ts';
import { nowUs, V8Profiler } from '../../../lib/eventpipe/cpu-samples/v8-profiler.ts';
import { SpeedscopeExport } from '../../../lib/export/speedscope-export.ts';
import { timestamp } from '../../../lib/listen/timestamp.ts';
import { LoopWaits } from '../../../lib/platform/thread-times.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { NetTraceWriter } from '../../../lib/wire/nettrace/write/nettrace-writer.ts';
import { exportEvents } from '../../export/exported.ts';
import { checkSpeedscope } from '../../export/speedscope-rules.ts';
import { readSession } from '../session-trace.ts';
import { burnLong, burnShort } from './burning.ts';
import { traceLogStacks } from './trace-log-names.ts';

const SAMPLE = 'Thread/Sample';
const METHOD = 'Method/DCStartVerbose';
const MODULES = ['Loader/ModuleDCStart', 'Loader/DomainModuleDCStart'];

interface Recorder {
  readonly samples: CpuSamples;
  /** As a session does from time to time, which has all other events up to this time. */
  flush(until?: bigint): boolean;
}

/** Samples the work, and reads the trace. */
async function sampled(
  version: 4 | 6,
  work: (recorder: Recorder) => unknown,
  hasRoom: () => boolean = () => true,
  startsLater = false,
) {
  const startTimeMs = Date.now();
  const syncTicks = BigInt(startTimeMs) * 1_000_000n;
  const trace = { startTimeMs, syncTicks, ticksPerSecond: 1_000_000_000n, pointerSize: 8 as const };
  const samplingInterval = 1_000_000;
  const writer = new NetTraceWriter(version, { ...trace, samplingInterval }, 'thread');
  const thread = writer.thread({ processId: process.pid, threadId: process.pid, name: 'main' });
  const before = timestamp();
  const pieces: Uint8Array[] = [];
  const flush = (until = timestamp()) => {
    const isComplete = samples.takeDue(until);
    pieces.push(isComplete ? writer.flush() : writer.flushOpen());
    return isComplete;
  };
  const samples = new CpuSamples(writer, thread, { intervalMs: 1 }, hasRoom, flush, startsLater);
  await work({ samples, flush });
  samples.end();
  const after = timestamp();
  samples.finish(after);
  pieces.push(writer.end());
  const session = await readSession(Buffer.concat(pieces));
  return { ...session, samples, before, after };
}

const share = (stacks: readonly string[][], name: string) =>
  stacks.filter((stack) => stack.includes(name)).length / stacks.length;

describe.each([6, 4] as const)('CPU samples in version %i', (version) => {
  it('show functions in proportion to their time, however they are fetched', async () => {
    const { events, checked, samples, before, after } = await sampled(version, async ({ flush }) => {
      for (let round = 0; round < 6; round++) {
        burnLong(300);
        burnShort(100);
        flush();
        await null;
      }
    });
    const stacks = traceLogStacks(events);
    expect(checked).toMatchObject({ dropped: 0, threads: 2 });
    expect(stacks.length).toBe(samples.written);
    expect(Math.abs(share(stacks, 'burnLong') - 0.75)).toBeLessThan(0.1);
    expect(Math.abs(share(stacks, 'burnShort') - 0.25)).toBeLessThan(0.1);
    const [stack = []] = stacks.filter((names) => names.includes('burnLong') && names.includes('burn'));
    expect(stack.indexOf('burn')).toBe(stack.indexOf('burnLong') - 1);
    expect(stacks.flat()).not.toContain('?');
    const times = events.filter(({ name }) => name === SAMPLE).map(({ timestamp: time }) => time);
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeLessThanOrEqual(after);
    expect(events.find(({ name }) => name === SAMPLE)).toMatchObject({
      provider: 'Microsoft-DotNETCore-SampleProfiler',
      threadId: process.pid,
      payload: { Type: 2 },
    });
  });
});

describe('sampling that starts later', () => {
  const startingLater = (work: (recorder: Recorder) => unknown) => sampled(6, work, () => true, true);

  it('leaves what has begun its turn of the event loop, and starts in the next one', async () => {
    const { events } = await startingLater(async ({ samples, flush }) => {
      let isNextTurn = false;
      setTimeout(() => {
        isNextTurn = true;
      }, 0);
      burnShort(200);
      expect(flush()).toBe(true);
      await samples.started;
      expect(isNextTurn).toBe(true);
      burnLong(200);
    });
    const stacks = traceLogStacks(events);
    expect(share(stacks, 'burnLong')).toBeGreaterThan(0.8);
    expect(share(stacks, 'burnShort')).toBe(0);
  });

  it('never starts if it ends before', async () => {
    const { samples } = await startingLater(() => {});
    await samples.started;
    await setImmediate();
    await setImmediate();
    expect(samples.written).toBe(0);
    expect(LoopWaits.profilers).toBe(0);
  });
});

describe('a sample', () => {
  it('waits for the events of its time', async () => {
    let until = 0n;
    let before = 0;
    const { events, samples } = await sampled(6, (recorder) => {
      burnLong(1100);
      until = timestamp();
      burnLong(500);
      recorder.samples.hurry();
      expect(recorder.flush(until)).toBe(true);
      before = recorder.samples.written;
    });
    const times = events.filter(({ name }) => name === SAMPLE).map((event) => event.timestamp);
    expect(before).toBeGreaterThan(0);
    expect(before).toBe(times.filter((time) => time <= until).length);
    expect(before).toBeLessThan(samples.written);
  });
});

describe('a stack', () => {
  it('leads to the script, its module and the position in it', async () => {
    const { events } = await sampled(6, () => burnLong(100));
    const method = events.find(({ name, payload }) => name === METHOD && payload.MethodName === 'burnLong');
    expect(method?.payload.MethodNamespace).toBe('test/eventpipe/cpu-samples/burning.ts');
    expect(method?.payload.MethodSignature).toMatch(/^\(\d+:\d+\)$/);
    const { ModuleID } = method?.payload ?? {};
    const modules = events.filter(
      ({ payload }) => payload.ModuleID === ModuleID && 'ModuleILPath' in payload,
    );
    expect(events.indexOf(modules[0] as TraceEvent)).toBeLessThan(events.indexOf(method as TraceEvent));
    expect(modules.map(({ name }) => name)).toEqual(MODULES);
    for (const { payload } of modules) expect(payload.ModuleILPath).toMatch(/burning\.ts$/);
  });

  it('becomes a profile for speedscope', async () => {
    const { events } = await sampled(6, () => burnLong(200));
    const { text } = exportEvents(events, (trace) => new SpeedscopeExport(trace));
    const { profiles, frames } = checkSpeedscope(text);
    const [profile] = profiles;
    expect(profile?.type).toBe('sampled');
    const stacks = (profile?.samples ?? []).map((stack) => stack.map((frame) => frames[frame] ?? ''));
    expect(share(stacks, 'test/eventpipe/cpu-samples/burning.ts.burnLong')).toBeGreaterThan(0.8);
  });
});

describe('a waiting thread', () => {
  it('has one sample for the whole time', async () => {
    const { events } = await sampled(6, () => sleep(400));
    const samples = events.filter(({ name }) => name === SAMPLE);
    const idle = traceLogStacks(events).filter((stack) => stack.includes('(idle)'));
    expect(idle.length).toBeGreaterThan(0);
    expect(idle.length).toBeLessThan(40);
    expect(samples.filter(({ payload }) => payload.Type === 1).length).toBeGreaterThanOrEqual(idle.length);
  });
});

describe('without room', () => {
  it('samples are missing, and the trace says how many', async () => {
    const { checked, samples } = await sampled(
      6,
      () => burnLong(100),
      () => false,
    );
    expect(samples.written).toBe(0);
    expect(samples.dropped).toBeGreaterThan(0);
    expect(checked.dropped).toBe(samples.dropped);
  });
});

describe('if Node.js has no inspector', () => {
  it('there are no samples, and one warning says why', async () => {
    const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { events } = await sampled(6, ({ flush }) => flush());
    expect(events).toEqual([]);
    expect(warning.mock.calls).toEqual([
      [
        'The session has no CPU samples from here on: Error: This Node.js has no inspector.',
        'TracewrightWarning',
      ],
    ]);
    builtin.mockRestore();
    warning.mockRestore();
  });
});

/** A busy machine may give a test little of its time. */
const LONGEST_MS = 20_000;

describe('a session with events', { timeout: 2 * LONGEST_MS }, () => {
  it('gets the samples in the turns of the event loop, and a sequence point after all of them', async () => {
    const written = new Set<number>();
    const complete: boolean[] = [];
    await sampled(6, async ({ samples, flush }) => {
      const end = performance.now() + LONGEST_MS;
      while (written.size < 4 && performance.now() < end) {
        burnLong(10);
        complete.push(flush());
        if (samples.written > 0) written.add(samples.written);
        await setImmediate();
      }
    });
    expect(written.size).toBe(4);
    // None of these calls wrote all samples up to its time: the one that a slice asked for did.
    expect(complete).not.toContain(true);
  });

  /** The most samples that one of the turns gets, if each look at the clock takes 0.01 ms. */
  async function mostInTurns(turnMs: number): Promise<number> {
    const inTurns: number[] = [];
    const frame = {
      functionName: 'burn',
      scriptId: '7',
      url: 'file:///burn.js',
      lineNumber: 1,
      columnNumber: 1,
    };
    const nodes = [
      { id: 1, callFrame: { ...frame, functionName: '(root)' }, children: [2] },
      { id: 2, callFrame: frame },
    ];
    const samples = Array<number>(1000).fill(2);
    const startTime = nowUs();
    const profile = { nodes, startTime, endTime: startTime, samples, timeDeltas: samples.map(() => 0) };
    const take = vi.spyOn(V8Profiler.prototype, 'take').mockReturnValue({ profile, shiftUs: 0 });
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 0.01;
      return now;
    });
    await sampled(6, async ({ samples, flush }) => {
      now += 100;
      flush();
      // Less than a second: then, the rest would come at once.
      while (inTurns.length < 7) {
        now += turnMs;
        const before = samples.written;
        await setImmediate();
        inTurns.push(samples.written - before);
      }
    });
    clock.mockRestore();
    take.mockRestore();
    // The turn that fetches them is long enough.
    expect(inTurns[0]).toBe(0);
    return Math.max(...inTurns);
  }

  it('gets only as many in a turn as take a tenth of it, and never more than two milliseconds', async () => {
    // Two turns of the loop may pass between two looks at it.
    const shortest = await mostInTurns(0);
    expect(shortest).toBeGreaterThan(0);
    expect(shortest).toBeLessThan((2 * 0.2) / 0.01);
    const short = await mostInTurns(4);
    expect(short).toBeGreaterThan(0.2 / 0.01);
    expect(short).toBeLessThan((2 * 0.5) / 0.01);
    // After half of the time until the next piece, it is late.
    const long = await mostInTurns(100);
    expect(long).toBeGreaterThan(1 / 0.01);
    expect(long).toBeLessThan((2 * 2) / 0.01);
  });

  it('has a sequence point within a second or so, although its application is busy', async () => {
    let complete = 0;
    const { samples } = await sampled(6, async (recorder) => {
      const flush = vi.spyOn(recorder.samples, 'takeDue');
      const end = performance.now() + LONGEST_MS;
      while (complete < 2 && performance.now() < end) {
        burnLong(10);
        recorder.flush();
        await setImmediate();
        complete = flush.mock.results.filter(({ value }) => value === true).length;
      }
    });
    expect(samples.dropped).toBe(0);
    expect(complete).toBe(2);
  });
});

describe('the end of a session', () => {
  it('has few samples to write after the turns in which it caught up', async () => {
    const end = vi.spyOn(V8Profiler.prototype, 'end');
    let turns = 0;
    const { samples } = await sampled(6, async (recorder) => {
      burnLong(1000);
      let isCaughtUp = false;
      const caughtUp = recorder.samples.catchUp().then(() => {
        isCaughtUp = true;
      });
      // Not before the caller returns: it may be the output that takes a chunk.
      expect(recorder.samples.written).toBe(0);
      for (
        const startedAt = performance.now();
        !isCaughtUp && performance.now() < startedAt + LONGEST_MS;
        turns++
      )
        await setImmediate();
      await caughtUp;
      expect(recorder.samples.written).toBeGreaterThan(0);
    });
    expect(turns).toBeGreaterThan(1);
    const [last] = end.mock.results;
    expect(last?.value.profile.samples.length).toBeLessThan(samples.written / 2);
    end.mockRestore();
  });

  it('waits for nothing if the process exits meanwhile, or the application stays in one turn for seconds', async () => {
    let caughtUp: Promise<void> | undefined;
    const { samples } = await sampled(6, (recorder) => {
      burnLong(300);
      caughtUp = recorder.samples.catchUp();
    });
    expect(samples.written).toBeGreaterThan(0);
    await caughtUp;
    await sampled(6, async (recorder) => {
      burnLong(100);
      const slow = recorder.samples.catchUp();
      const now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 6000);
      recorder.flush();
      clock.mockRestore();
      expect(recorder.samples.written).toBeGreaterThan(0);
      await slow;
    });
  });

  it('does not wait for samples that V8 refused', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const take = vi.spyOn(V8Profiler.prototype, 'take').mockImplementation(() => {
      throw new Error('No recording profiles found');
    });
    await sampled(6, ({ samples }) => samples.catchUp());
    expect(warning).toHaveBeenCalledOnce();
    take.mockRestore();
    warning.mockRestore();
  });
});

describe('an application that does not return to its event loop', () => {
  it('gets a sequence point after some seconds', async () => {
    const clock = vi.spyOn(performance, 'now');
    await sampled(6, ({ flush }) => {
      const startedAt = performance.now();
      clock.mockReturnValue(startedAt + 2000);
      expect(flush()).toBe(false);
      clock.mockReturnValue(startedAt + 4000);
      expect(flush()).toBe(false);
      clock.mockReturnValue(startedAt + 6500);
      expect(flush()).toBe(true);
    });
    clock.mockRestore();
  });
});

describe('what V8 needs to hand over a piece', () => {
  /** The times at which pieces are fetched, if this takes so long for each of these milliseconds, and to start. */
  async function fetches(msPerMs: number, startMs: number) {
    let now = performance.now();
    const beganAt = now;
    let fetchedAt = now;
    const at: number[] = [];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const profile = { nodes: [], startTime: 0, endTime: 0 };
    vi.spyOn(V8Profiler.prototype, 'startMs', 'get').mockReturnValue(startMs);
    const take = vi.spyOn(V8Profiler.prototype, 'take').mockImplementation(() => {
      at.push(Math.round(now - beganAt));
      const lasted = now - fetchedAt;
      now += lasted * msPerMs + startMs;
      fetchedAt = now;
      return { profile, shiftUs: 0 };
    });
    await sampled(6, async ({ flush }) => {
      for (let flushes = 0; flushes < 100; flushes++) {
        now += 100;
        flush();
        await setImmediate();
      }
    });
    take.mockRestore();
    clock.mockRestore();
    vi.restoreAllMocks();
    return at.map((time, i) => time - (at[i - 1] ?? 0)).filter((ms) => ms >= 90);
  }

  it('bounds the length of pieces: about 5 ms each', async () => {
    expect(Math.max(...(await fetches(0.05, 0)))).toBeLessThan(250);
    expect(Math.max(...(await fetches(0.01, 0)))).toBeGreaterThan(450);
    expect(Math.max(...(await fetches(0.01, 0)))).toBeLessThan(750);
    expect(Math.max(...(await fetches(0.0001, 0)))).toBeGreaterThan(950);
  });

  it('makes pieces longer where each has to be started anew, up to some seconds', async () => {
    expect(Math.max(...(await fetches(0.0001, 30)))).toBeGreaterThan(2900);
    expect(Math.max(...(await fetches(0.0001, 300)))).toBeLessThan(6500);
  });
});

describe('if V8 refuses during a session', () => {
  it('the session continues without samples, and V8 stops sampling', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const disconnect = vi.spyOn(Session.prototype, 'disconnect');
    const { post } = Session.prototype;
    const refusing = vi.spyOn(Session.prototype, 'post').mockImplementation(function (
      this: Session,
      ...args: unknown[]
    ) {
      if (args[0] !== 'Profiler.stop') return Reflect.apply(post, this, args);
      (args[2] as (refusal: Error) => void)(new Error('No recording profiles found'));
    } as typeof post);
    await sampled(6, async ({ flush }) => {
      await sleep(200);
      flush();
      expect(disconnect).toHaveBeenCalledOnce();
    });
    expect(warning).toHaveBeenCalledOnce();
    refusing.mockRestore();
    disconnect.mockRestore();
    warning.mockRestore();
  });
});
