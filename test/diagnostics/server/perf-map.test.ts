/** Whether a process has a perf map of its compiled code, which V8 decides at startup. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ErrorCode, PerfMapType } from '../../../lib/wire/diagnostics-ipc/constants.ts';

const module = new URL('../../../dist/diagnostics/server/request-server.js', import.meta.url);
const program = `
  import { enablePerfMap } from ${JSON.stringify(module)};
  console.log(JSON.stringify([0, 1, 2, 3].map((type) => enablePerfMap(type) ?? 0)));
  try { (await import('node:fs')).rmSync('/tmp/perf-' + process.pid + '.map'); } catch {}`;

function enabling(options: readonly string[], variable = ''): Record<string, unknown> {
  const args = [...options, '--input-type=module', '-e', program];
  const env = { ...process.env, NODE_OPTIONS: variable };
  // V8 leaves a log in the current folder.
  const cwd = mkdtempSync(join(tmpdir(), 'tracewright-perf-map-'));
  const codes = JSON.parse(execFileSync(process.execPath, args, { env, cwd }).toString()) as number[];
  rmSync(cwd, { recursive: true });
  return Object.fromEntries(Object.entries(PerfMapType).map(([name, type]) => [name, codes[type]]));
}

const REFUSED = ErrorCode.NotSupported;

it('exists only if the process was started with one', () => {
  expect(enabling([])).toEqual({ Disabled: 0, All: REFUSED, JitDump: REFUSED, PerfMap: REFUSED });
});

it.each([
  ['--perf-basic-prof', ''],
  ['--perf_basic_prof', ''],
  ['--no-warnings', '--perf-basic-prof'],
])('is enabled by %s (NODE_OPTIONS: "%s")', (option, variable) => {
  expect(enabling([option], variable)).toEqual({ Disabled: 0, All: 0, JitDump: REFUSED, PerfMap: 0 });
});
