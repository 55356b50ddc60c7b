/** The counters of a running Node.js process, as tools see them through its diagnostic port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningCommand } from '../cli/run-tracewright.ts';
import { missingOnWindows, named } from '../platforms.ts';

const folder = mkdtempSync(join(tmpdir(), 'monitored-'));
const env = { TMPDIR: folder };
let app: ChildProcess;

beforeAll(async () => {
  const program = join(import.meta.dirname, 'programs/monitored.mjs');
  app = spawn(process.execPath, [program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = app.stdout === null ? [] : await once(app.stdout, 'data');
  expect(String(line)).toContain(folder);
});
afterAll(() => {
  app.kill();
  rmSync(folder, { recursive: true });
});

function counters(...args: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new RunningCommand(['counters', '-p', String(app.pid), ...args], { env }).end();
}

// The port is a socket; what it is on Windows is for tests on Windows.
describe.skipIf(missingOnWindows('signals') !== undefined)(
  named('tracewright counters', missingOnWindows('signals')),
  () => {
    it("shows Node.js's metrics under .NET's names by default", async () => {
      const { status, stdout, stderr } = await counters('--interval', '0.3', '--duration', '1');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const shown of [
        'System.Runtime  CPU Usage (%)  ',
        'System.Runtime  dotnet.process.memory.working_set (By)  ',
        'System.Runtime  dotnet.process.cpu.time (s / 0.3 s) [cpu.mode=user]  ',
        'System.Runtime  dotnet.gc.last_collection.heap.size (By) [gc.heap.generation=gen0]  ',
        'Node.Runtime  nodejs.eventloop.delay (s) [Percentile=99]  ',
      ]) {
        expect(stdout).toContain(shown);
      }
    });

    it('shows each of two tools the values of its own interval', async () => {
      const duration = ['--provider', 'shop', '--duration', '1.5'];
      const tools = ['0.25', '1'].map((interval) => counters(...duration, '--interval', interval));
      const [quick = '', slow = ''] = (await Promise.all(tools)).map(({ stdout }) => stdout);
      const values = (text: string) =>
        Array.from(text.matchAll(/sold \(\{item\} \/ [\d.]+ s\) \[kind=book\] {2}(\d+)/g), ([, value]) =>
          Number(value),
        );
      expect(values(quick).length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...values(quick))).toBeLessThan(40);
      expect(values(slow)).toHaveLength(1);
      expect(values(slow)[0]).toBeGreaterThan(40);
    });
  },
);
