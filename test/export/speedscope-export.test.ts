/** Traces as speedscope files. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SpeedscopeExport } from '../../lib/export/speedscope-export.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { exportEvents, exportTrace } from './exported.ts';
import { checkSpeedscope, type SpeedscopeFile } from './speedscope-rules.ts';

function exported(...events: WrittenEvent[]) {
  const { text, notices } = exportEvents(events.map(written), (trace) => new SpeedscopeExport(trace), {
    processNames: new Map([[4321, 'server']]),
  });
  return { ...checkSpeedscope(text), notices };
}

/** `O Demo/Request 1 ms` */
const calls = ({ profiles, frames }: SpeedscopeFile, index: number) =>
  profiles[index]?.events?.map(({ type, at, frame }) => `${type} ${frames[frame]} ${at / 1e6} ms`);

describe('activities', () => {
  it('are calls, in one profile per lane', () => {
    const file = exported(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 5], ['Db', '//1/1/2', 3, 8]),
    );
    expect(file.profiles.map(({ name, startValue, endValue }) => [name, startValue, endValue])).toEqual([
      ['Activities 1 of server', 1e6, 9e6],
      ['Activities 2 of server', 3e6, 8e6],
    ]);
    expect(calls(file, 0)).toEqual([
      'O Demo/Request 1 ms',
      'O Demo/Db 2 ms',
      'C Demo/Db 5 ms',
      'C Demo/Request 9 ms',
    ]);
    expect(calls(file, 1)).toEqual(['O Demo/Db 3 ms', 'C Demo/Db 8 ms']);
  });

  it('end with the trace if nothing ends them', () => {
    const file = exported(...during(['Request', '//1/1', 1]), { name: 'Log', at: 3 });
    expect(calls(file, 0)).toEqual(['O Demo/Request 1 ms', 'C Demo/Request 3 ms']);
  });
});

describe('CPU samples', () => {
  const sample = (at: number, provider: string, payload = {}): WrittenEvent => ({
    name: `${provider}`,
    at,
    stack: [0x1000n],
    payload,
  });

  it('weigh the time that their thread was on a processor', () => {
    const switched = (at: number, threadCpuMSec: number): WrittenEvent => ({
      name: 'Node.Runtime/ActivitySwitch',
      at,
      payload: { startedAgoMSec: 0, threadCpuMSec, loopIdleMSec: -1 },
    });
    const v8 = (at: number) => sample(at, 'Microsoft-DotNETCore-SampleProfiler/Thread/Sample', { Type: 2 });
    const { profiles } = exported(
      ...[switched(0, 100), v8(0), v8(1), switched(2, 102), v8(2), v8(3), v8(4), switched(4, 102.5)],
    );
    const [profile] = profiles.filter(({ type }) => type === 'sampled');
    expect(profile?.weights?.slice(0, 4)).toEqual([1e6, 1e6, 250_000, 250_000]);
    expect(profile?.unit).toBe('nanoseconds');
  });

  it('are those of the first event of perf, with a notice', () => {
    const perf = (at: number, name: string) => sample(at, `perf/${name}`, { period: 10n });
    const { profiles, notices } = exported(
      ...[perf(1, 'cpu-clock'), perf(1, 'task-clock'), perf(2, 'cpu-clock')],
    );
    expect(profiles.map(({ weights }) => weights)).toEqual([[10, 10]]);
    expect(notices).toEqual([expect.stringMatching(/^1 sample of further events of perf/)]);
  });
});

describe('a trace without activities and CPU samples', () => {
  it('becomes an empty file, with a notice', () => {
    const { profiles, notices } = exported({ name: 'Log', at: 1 });
    expect(profiles).toEqual([]);
    expect(notices).toEqual([
      'The file is empty: speedscope shows activities and CPU samples, but the trace has none.',
    ]);
  });
});

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`real traces (${SKIP_REASON})`, () => {
  const exportFile = async (file: string) => {
    const path = join(dataFolder ?? '', file);
    const { bytes } = await exportTrace(path, (trace) => new SpeedscopeExport(trace));
    return checkSpeedscope(Buffer.from(bytes).toString());
  };

  it("include .NET's CPU samples by thread, with the names of methods", async () => {
    const { profiles, frames } = await exportFile('nettrace/only_managed_samples.nettrace');
    const sampled = profiles.filter(({ type }) => type === 'sampled');
    const samples = sampled.flatMap((profile) => profile.samples ?? []);
    expect(samples.length).toBe(7423);
    const [stack = []] = samples;
    expect(stack.map((frame) => frames[frame])).toEqual([
      'NoNativeStacks.Program.Main',
      'NoNativeStacks.Program.Test',
      'NoNativeStacks.Program.InnerLoop',
      'NoNativeStacks.Program.FindByte',
    ]);
  });

  it('include the Windows samples they contain', async () => {
    const { profiles } = await exportFile('etl/net.4.5.2.x64.etl');
    expect(new Set(profiles.map(({ type }) => type))).toEqual(new Set(['evented', 'sampled']));
  });
});
