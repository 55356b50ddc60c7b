/** The signals of V8's profiler interrupt the event loop while it waits: runs of a thread end there all the same. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { loadAddon } from '../../lib/platform/addon.ts';
import { named } from '../platforms.ts';

const PROGRAM = `
const { execFileSync } = await import('node:child_process');
const { PassThrough } = await import('node:stream');
const { listen, startSession } = await import('tracewright');
const { enableRuntimeEvents, RuntimeKeywords } = await import('tracewright/runtime');
let runs = [];
const keep = ({ name, payload }) => name === 'ActivityRun' && runs.push(payload.durationMSec);
listen(enableRuntimeEvents(), keep, { keywords: RuntimeKeywords.ActivityRuns });
startSession({ providers: 'Microsoft-DotNETCore-SampleProfiler', output: new PassThrough().resume() });
const timer = () => new Promise((resolve) => setTimeout(resolve, 100));
/** @returns the runs of this turn and those until the timer after it */
const ranAfter = async (work) => {
  await timer();
  runs = [];
  work();
  await timer();
  return runs;
};
const idle = [];
for (let i = 0; i < 4; i++) idle.push(...(await ranAfter(() => {})));
const busy = await ranAfter(() => {
  for (const before = process.cpuUsage(); process.cpuUsage(before).user < 150_000; );
});
const blocked = await ranAfter(() => execFileSync(process.execPath, ['-e', 'setTimeout(() => {}, 200)']));
console.log(JSON.stringify({ idle, busy, blocked }));
process.exit();`;

function runsOf(program: string): Record<'idle' | 'busy' | 'blocked', number[]> {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
const addon = loadAddon();
const missing = 'reason' in addon ? addon.reason : undefined;

describe('The runs of a thread that V8 samples', () => {
  it.skipIf(missing)(named('end where the loop waits, and not where it is blocked', missing), () => {
    const { idle, busy, blocked } = runsOf(PROGRAM);
    expect(sum(idle)).toBeLessThan(200);
    expect(sum(busy)).toBeGreaterThan(75);
    expect(Math.max(...blocked)).toBeGreaterThan(200);
  });

  it('end without the addon when the processor time of the process is used up', () => {
    const withoutAddon = "process.dlopen = () => { throw new Error('There is no addon.'); };";
    const { idle, busy } = runsOf(`${withoutAddon}${PROGRAM}`);
    expect(sum(idle)).toBeLessThan(200);
    expect(sum(busy)).toBeGreaterThan(75);
  });
});
