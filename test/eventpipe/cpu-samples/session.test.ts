/** Sessions that request CPU samples. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { TraceFile } from '../../../lib/agent/trace-file.ts';
import { TraceSections } from '../../../lib/agent/trace-sections.ts';
import { defineEventSource, event, type SessionOptions, startSession } from '../../../lib/index.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { leftToAll } from '../../at-length.ts';
import { named } from '../../platforms.ts';
import { readSession } from '../session-trace.ts';
import { burnLong } from './burning.ts';
import { traceLogStacks } from './trace-log-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-cpu-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SAMPLER = 'Microsoft-DotNETCore-SampleProfiler:0:4';
const log = defineEventSource('Cpu-Samples-Test', {
  Step: event({ n: 'int32' }),
  Text: event({ text: 'string' }),
});

let number = 0;

async function recorded(work: () => unknown, options: Partial<SessionOptions> = {}) {
  const output = join(folder, `${++number}.nettrace`);
  const session = startSession({ providers: `${SAMPLER},Cpu-Samples-Test`, output, ...options });
  await work();
  const result = await session.close();
  return { result, ...(await readSession(readFileSync(output))) };
}

const samplesOf = (events: readonly TraceEvent[]) =>
  events.filter(({ provider }) => provider === 'Microsoft-DotNETCore-SampleProfiler');
const stepsOf = (events: readonly TraceEvent[]) =>
  events.filter(({ name }) => name === 'Step').map(({ payload }) => payload.n);
const hasMethod = (events: readonly TraceEvent[], method: string) =>
  events.some(({ payload }) => payload.MethodName === method);

for (const [nettraceVersion, skipped] of [
  [6, undefined],
  [4, leftToAll],
] as const) {
  describe.skipIf(skipped !== undefined)(named(`a session of version ${nettraceVersion}`, skipped), () => {
    it('has samples among the events of their time', async () => {
      let step = 0;
      const { result, events, checked, trace } = await recorded(
        async () => {
          for (; step < 24; step++) {
            log.Step({ n: step });
            burnLong(100);
            await sleep(1);
          }
        },
        { nettraceVersion },
      );
      const samples = samplesOf(events);
      expect(samples.length).toBeGreaterThan(100);
      expect(samples.length).toBeLessThan(2700);
      expect(result).toMatchObject({ events: samples.length + step, dropped: 0, problem: undefined });
      expect(checked.dropped).toBe(0);
      expect(trace.info.properties.ExpectedCPUSamplingRate).toBe('1000000');
      const times = events.map(({ timestamp }) => timestamp);
      expect(times).toEqual([...times].sort((a, b) => Number(a - b)));
      // Not behind all of them. A busy machine may let V8's thread wait for longer than one step.
      const kinds = events
        .map(({ name }) => name)
        .filter((name) => name === 'Step' || name === 'Thread/Sample');
      const bare = kinds.filter((name, i) => name === 'Step' && kinds[i + 1] === 'Step');
      expect(bare.length).toBeLessThan(step / 4);
      expect(hasMethod(events, 'burnLong')).toBe(true);
    });
  });
}

describe('each file of a session that is cut at its sequence points', () => {
  it('names all functions by itself', async () => {
    const output = join(folder, 'cut.nettrace');
    const session = startSession({ providers: SAMPLER, output, nettraceVersion: 4 });
    for (let i = 0; i < 26; i++) {
      burnLong(100);
      await sleep(1);
    }
    await session.close();
    const sections = new TraceSections();
    const all = sections.push(readFileSync(output)).map(({ section }) => section);
    let sampled = 0;
    for (const [i, section] of all.entries()) {
      const file = new TraceFile(join(folder, `cut-${i}.nettrace`));
      file.append(section, 1);
      await file.commit();
      const { events } = await readSession(readFileSync(file.path));
      const stacks = traceLogStacks(events);
      expect(stacks.flat()).not.toContain('?');
      if (stacks.length > 0) sampled++;
    }
    expect(sampled).toBeGreaterThan(1);
  });
});

describe('an event', () => {
  it('keeps its place, even if samples are fetched while it is written', async () => {
    // Two of them are enough that what waits goes out at once: payloads are read twice.
    const large = {
      get text() {
        burnLong(600);
        return 'x'.repeat(28_000);
      },
    };
    const slow = {
      get text() {
        log.Text(large);
        return 'slow';
      },
    };
    const { events } = await recorded(
      () => {
        log.Step({ n: 1 });
        log.Text(slow);
        log.Step({ n: 2 });
      },
      { maxBufferBytes: 0.2 * 2 ** 20 },
    );
    expect(stepsOf(events)).toEqual([1, 2]);
    expect(events.some(({ payload }) => payload.text === 'slow')).toBe(true);
    expect(samplesOf(events).length).toBeGreaterThan(100);
  });
});

describe('no session pays for samples', () => {
  const withoutSamples = async (providers: string) => {
    const builtin = vi.spyOn(process, 'getBuiltinModule');
    const { events } = await recorded(() => log.Step({ n: 1 }), { providers });
    expect(builtin).not.toHaveBeenCalledWith('node:inspector');
    builtin.mockRestore();
    return stepsOf(events);
  };

  it('that does not request samples by name, not even with every provider', async () => {
    expect(await withoutSamples('*')).toEqual([1]);
  });

  it('whose level excludes them', async () => {
    const providers = 'Microsoft-DotNETCore-SampleProfiler:0:3,Cpu-Samples-Test';
    expect(await withoutSamples(providers)).toEqual([1]);
  });
});

describe('closing a session', () => {
  it('keeps the application alive until its samples are in the trace, and counts the events meanwhile', async () => {
    const output = join(folder, 'close.nettrace');
    const program = fileURLToPath(new URL('programs/close.mjs', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, output], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { events, checked } = await readSession(readFileSync(output));
    expect(checked.dropped).toBe(0);
    const [samples, steps] = [samplesOf(events).length, stepsOf(events).length];
    expect(samples).toBeGreaterThan(0);
    const { bytes: _, ...result } = JSON.parse(stdout);
    expect(result).toEqual({ events: samples + steps, dropped: 0 });
  });
});

describe('the interval', () => {
  it("follows .NET's argument", async () => {
    const providers = `${SAMPLER}:SampleProfilerIntervalMS=10`;
    const { events, trace } = await recorded(() => burnLong(1000), { providers });
    expect(trace.info.properties.ExpectedCPUSamplingRate).toBe('10000000');
    expect(samplesOf(events).length).toBeGreaterThan(10);
    expect(samplesOf(events).length).toBeLessThan(110);
  });
});

describe('a session of several threads', () => {
  it('contains the events of all, and the samples of its own', async () => {
    const output = join(folder, 'workers.nettrace');
    const program = fileURLToPath(new URL('programs/workers.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [program, output], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { events, checked } = await readSession(readFileSync(output));
    expect(checked).toMatchObject({ threads: 4, dropped: 0 });
    expect(stepsOf(events).length).toBe(750);
    const mainThreads = new Set(samplesOf(events).map(({ threadId }) => threadId));
    expect(mainThreads.size).toBe(1);
  });
});

describe('a process that exits in the middle of its work', () => {
  it.each([
    ['', [], /^$/],
    [', profiled by Node.js as well,', ['--cpu-prof', `--cpu-prof-dir=${folder}`], /^$/],
    [', with an open inspector,', ['--inspect=127.0.0.1:0'], /^Debugger listening/],
  ])('%s contains the samples up to that point, and their names', async (_, nodeOptions, errors) => {
    const output = join(folder, 'exit.nettrace');
    const program = fileURLToPath(new URL('programs/exit.mjs', import.meta.url));
    const command = [...nodeOptions, program, output, SAMPLER];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect(status).toBe(3);
    expect(stderr).toMatch(errors);
    const { events } = await readSession(readFileSync(output));
    expect(samplesOf(events).length).toBeGreaterThan(100);
    expect(hasMethod(events, 'burnUntilExit')).toBe(true);
    expect(hasMethod(events, 'burnBeforeExit')).toBe(true);
  });
});
