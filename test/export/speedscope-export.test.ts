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
