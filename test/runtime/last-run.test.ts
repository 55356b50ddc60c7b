/** What a thread ran last is known, too, when the process ends: a recording of the system asks for no last events. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRAM = `
import { listen } from 'tracewright';
import { enableRuntimeEvents, RuntimeKeywords } from 'tracewright/runtime';
const show = ({ name, payload }) => name === 'ActivityRun' && console.log(payload.durationMSec);
listen(enableRuntimeEvents(), show, { keywords: RuntimeKeywords.ActivityRuns });
for (const end = performance.now() + 30; performance.now() < end; );`;

it('The last run of a process is written when it exits', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').map(Number).at(-1)).toBeGreaterThanOrEqual(30);
});
