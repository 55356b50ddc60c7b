/** `tracewright ps`, `collect` and `counters` as a user types them, against an application with tracewright in it. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { dataSize } from '../../lib/view/number-text.ts';
import { RunningApp } from '../diagnostics/running-app.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { RunningCommand } from './run-tracewright.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-attach-'));
let app: RunningApp;

beforeAll(async () => {
  app = new RunningApp(
    `
    import { EventCounter, Meter } from ${JSON.stringify(new URL('../../dist/cjs/counters.mjs', import.meta.url))};
    enableDiagnostics();
    const log = defineEventSource('Attach-App', { Tick: event({ n: 'int32' }, { keywords: 2n }) });
    const latency = new EventCounter(log, 'latency', { displayName: 'Latency', displayUnits: 'ms' });
    const ticks = new Meter('Attach.Meter').createCounter('ticks');
    let n = 0;
    setInterval(() => {
      log.Tick({ n: n++ });
      latency.write(5);
      ticks.add(1);
    }, 10);
    say('here');`,
    { TMPDIR: folder },
  );
  await app.hears();
});
afterAll(() => {
  app.kill();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) =>
  new RunningCommand(args, { cwd: folder, env: { TMPDIR: folder, TRACEWRIGHT_DIAGNOSTICS: '' } }).end();

describe.skipIf(missingOnWindows('Unix sockets') !== undefined)(
  named('an application with tracewright', missingOnWindows('Unix sockets')),
  () => {
    it('is listed by ps', async () => {
      const { stdout } = await run('ps', '--json');
      const listed = stdout.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
      expect(listed).toContainEqual(
        expect.objectContaining({ processId: app.pid, productVersion: process.versions.node }),
      );
    });

    it.each(['4', '6'])('is recorded by collect, in version %s', async (version) => {
      const file = join(folder, `${version}.nettrace`);
      const { status, stderr } = await run(
        ...['collect', '-p', String(app.pid), '-o', file, '--duration', '1', '--nettrace-version', version],
        ...['--provider', 'Attach-App:2:Informational'],
      );
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: `Collected ${dataSize(statSync(file).size)} into ${file}.\n`,
      });
      const numbers: number[] = [];
      for await (const { provider, payload } of await openTrace(file)) {
        if (provider === 'Attach-App') numbers.push(payload.n as number);
      }
      expect(numbers.length).toBeGreaterThan(10);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    });

    it('is shown in the browser by collect --web, until Ctrl-C', async () => {
      const command = new RunningCommand(
        ['collect', '-p', String(app.pid), '--web', '--provider', 'Attach-App:2:Informational'],
        { cwd: folder, env: { TMPDIR: folder, TRACEWRIGHT_DIAGNOSTICS: '' } },
      );
      await vi.waitFor(() => expect(command.stderr).toContain('Events are shown at'), 30_000);
      const [url = ''] = /http:\S+/.exec(command.stderr) ?? [];
      const seen: string[] = [];
      for await (const text of (await fetch(`${url}updates`)).body?.pipeThrough(new TextDecoderStream()) ??
        []) {
        seen.push(text);
        if (seen.join('').includes('"Attach-App/Tick"')) break;
      }
      command.interrupt();
      const { status, stdout } = await command.end();
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
      await expect(fetch(url)).rejects.toThrow();
    });

    it('shows its counters and meters', async () => {
      const { status, stdout } = await run(
        ...['counters', '-p', String(app.pid), '--json', '--interval', '0.5', '--duration', '3'],
        ...['--provider', 'Attach-App,Attach.Meter'],
      );
      expect(status).toBe(0);
      expect(stdout).toContain('"Attach-App"');
      expect(stdout).toContain('"Attach.Meter"');
    });
  },
);
