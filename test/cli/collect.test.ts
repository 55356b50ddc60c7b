/** `tracewright collect` as a user types it, on the built package, against a process that answers as .NET does. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { dataSize } from '../../lib/view/number-text.ts';
import { fakeOf, folder, PROCESS, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { type Answer, error, message, ok, SESSION_ID } from '../diagnostics/client/fake-process.ts';
import { hex as hexBytes, u64 } from '../diagnostics/server/byte-messages.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { counterTrace, mean, sum } from './counter-trace.ts';
import { collecting, command, interruptible, PID, run, started } from './fake-target.ts';
import { RunningCommand } from './run-tracewright.ts';

useFakeProcesses();

describe('collect', () => {
  const trace = counterTrace(mean('cpu-usage', 'CPU Usage', 12.5, '%'), sum('allocs', 'Allocations', 7));

  interruptible('writes what comes until Ctrl-C, and what the process still has then', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace', '--provider', 'A:1:4');
    await collecting(fake);
    await sleep(200);
    collect.interrupt();
    expect(await collect.end()).toEqual({
      status: 0,
      stdout: '',
      stderr: `Collected ${dataSize(trace.length)} into a.nettrace.
Nothing has come from A: it was silent, or has another name; names are case-sensitive.
`,
    });
    const file = readFileSync(join(folder.path, 'a.nettrace'));
    expect(Buffer.compare(file, trace)).toBe(0);
    expect(fake.commands).toEqual(['02/03', '02/01']);
    const names: string[] = [];
    for await (const event of await openTrace(file)) names.push(event.name);
    expect(names).toEqual(['EventCounters', 'EventCounters']);
  });

  interruptible('ends its file when its terminal closes', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace', '--provider', 'A:1:4');
    await collecting(fake);
    collect.hangUp();
    expect(await collect.end()).toMatchObject({ status: 0 });
    expect(fake.commands).toEqual(['02/03', '02/01']);
    expect(Buffer.compare(readFileSync(join(folder.path, 'a.nettrace')), trace)).toBe(0);
  });

  it('requests the same as dotnet-trace, with rundown and stacks', async () => {
    const fake = await started({ trace });
    await run(
      'collect',
      '-p',
      PID,
      '-o',
      'a',
      '--duration',
      '0.1',
      '--provider',
      'My:0x64:Warning:k="a,b";l=c:d,P',
    );
    expect(fake.requests[0]).toEqual(
      message(
        2,
        3,
        hexBytes(`00010000 01000000 01 02000000
          6400000000000000 03000000 03000000 4d0079000000
          0e000000 6b003d00220061002c00620022003b006c003d0063003a0064000000
          ffffffffffffffff 05000000 02000000 50000000 01000000 0000`),
      ),
    );
  });

  it('requests everything unless providers are given, and the runs and thread pool of Node.js, which that leaves out', async () => {
    const fake = await started({ trace });
    await run('collect', '-p', PID, '-o', 'a', '--duration', '0.1');
    expect(fake.requests[0]?.subarray(33).toString('hex')).toBe(
      hexBytes(`ffffffffffffffff 05000000 02000000 2a000000 01000000 0000
        2001000000000000 00000000 0d000000 ${Buffer.from('Node.Runtime', 'utf16le').toString('hex')}0000 01000000 0000`).toString(
        'hex',
      ),
    );
  });

  it.skipIf(missingOnWindows('modes of files') !== undefined)(
    named('writes for the owner of the file alone', missingOnWindows('modes of files')),
    async () => {
      await started({ trace });
      const path = join(folder.path, 'a.nettrace');
      for (const existing of [undefined, 0o666]) {
        if (existing !== undefined) {
          writeFileSync(path, 'what was there before, and is longer than the trace'.repeat(1000));
          chmodSync(path, existing);
        }
        await run('collect', '-p', PID, '-o', 'a.nettrace', '--duration', '0.1');
        expect(statSync(path).mode & 0o777).toBe(0o600);
        expect(Buffer.compare(readFileSync(path), trace)).toBe(0);
      }
    },
  );

  it('names the file by process and time', async () => {
    await started({ trace });
    const { stderr } = await run('collect', '-p', PID, '--duration', '0.1');
    expect(readdirSync(folder.path).filter((name) => /^app_\d{8}_\d{6}\.nettrace$/.test(name))).toHaveLength(
      1,
    );
    expect(stderr).toMatch(/^Collected \d+\.\d kB into app_\d{8}_\d{6}\.nettrace\.\n$/);
  });

  it('ends with the process, keeping what it has written', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace');
    await collecting(fake);
    await sleep(200);
    fake.end();
    expect(await collect.end()).toMatchObject({
      status: 0,
      stderr: `Collected ${dataSize(trace.length - 1)} into a.nettrace. ${PROCESS} has ended.\n`,
    });
    expect(readFileSync(join(folder.path, 'a.nettrace'))).toEqual(Buffer.from(trace.subarray(0, -1)));
  });

  it('records a process from its start, for which it waits', async () => {
    const collect = command(
      'collect',
      '--diagnostic-port',
      folder.tool,
      '-o',
      'a.nettrace',
      '--duration',
      '0.1',
    );
    await vi.waitFor(() => expect(collect.stderr).toContain(`DOTNET_DiagnosticPorts=${folder.tool}`), {
      timeout: 10_000,
    });
    const fake = await fakeOf({ trace }).connectTo(folder.tool);
    expect(await collect.end()).toMatchObject({ status: 0 });
    expect(fake.commands).toEqual(['02/03', '04/01', '02/01']);
    expect(readFileSync(join(folder.path, 'a.nettrace'))).toEqual(Buffer.from(trace));
    expect(readdirSync(folder.path)).not.toContain('tool');
  });

  interruptible('may be given up while it waits', async () => {
    const collect = command('collect', '--diagnostic-port', folder.tool);
    await vi.waitFor(() => expect(collect.stderr).toContain('Waiting'), { timeout: 10_000 });
    collect.interrupt();
    expect(await collect.end()).toMatchObject({ status: 0 });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('ends after the given duration even if the process does not, with the events received', async () => {
    await started({ trace, answers: { '02/01': () => undefined } });
    const { status, stderr } = await run('collect', '-p', PID, '-o', 'a', '--duration', '0.1');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        `Collected ${dataSize(trace.length - 1)} into a. ` +
        `${PROCESS} did not end its session in time; the file has what had arrived by then.\n`,
    });
    expect(readFileSync(join(folder.path, 'a'))).toEqual(Buffer.from(trace.subarray(0, -1)));
  });

  it('writes no more than --max-size, whatever the process sends', async () => {
    const flood: Answer = (_, socket, fake) => {
      fake.stream = socket;
      const pour = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(1 << 16)));
      };
      socket.on('drain', pour);
      setTimeout(pour, 10);
      return ok(u64(SESSION_ID));
    };
    await started({ answers: { '02/03': flood, '02/01': () => undefined } });
    const { status, stderr } = await run('collect', '-p', PID, '-o', 'a', '--max-size', '2MB');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'Collected 2.0 MB into a. The file was cut off at --max-size.\n',
    });
    expect(statSync(join(folder.path, 'a')).size).toBe(2e6);
  });

  it('accepts a size with its unit as --max-size', async () => {
    const { status, stderr } = await run('collect', '-p', PID, '--max-size', '64');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'tracewright: --max-size takes a size such as 64MB or 512KiB, not "64".\n',
    });
  });

  it('samples the CPU on request, besides everything else', async () => {
    const fake = await started({ trace });
    await run('collect', '-p', PID, '-o', 'a', '--duration', '0.1', '--cpu');
    expect(fake.requests[0]?.includes(Buffer.from('Microsoft-DotNETCore-SampleProfiler', 'utf16le'))).toBe(
      true,
    );
  });

  it('collects what a flight recorder has until the process ends the session', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace', '--ring');
    await collecting(fake);
    await sleep(200);
    fake.end();
    expect((await collect.end()).stderr).toBe(`Collected ${dataSize(trace.length - 1)} into a.nettrace.\n`);
    expect(fake.requests[0]?.includes(Buffer.from('Tracewright-FlightRecorder', 'utf16le'))).toBe(true);
  });

  it('says that a process has no flight recorder', async () => {
    await started({ answers: { '02/03': () => error(0x80004005) } });
    expect((await run('collect', '-p', PID, '-o', 'a', '--ring')).stderr).toBe(
      `tracewright: ${PROCESS} has no flight recorder: start it with TRACEWRIGHT_FLIGHT_RECORDER=1, or call startFlightRecorder() in it.\n`,
    );
    expect((await run('collect', '-p', PID, '--ring', '--cpu')).stderr).toContain(
      '--ring collects the events',
    );
  });

  it('says that a process does not write version 6', async () => {
    await started({ answers: { '02/03': () => error(0x80131384) } });
    expect(await run('collect', '-p', PID, '-o', 'a', '--nettrace-version', '6')).toEqual({
      status: 1,
      stdout: '',
      stderr: `tracewright: ${PROCESS} cannot write nettrace version 6, only version 4.\n`,
    });
    expect(readdirSync(folder.path)).not.toContain('a');
  });

  it('says where the file cannot be written', async () => {
    await started({ trace });
    const { status, stderr } = await run('collect', '-p', PID, '-o', 'no/a');
    expect(status).toBe(1);
    expect(stderr).toBe('tracewright: no/a cannot be written (ENOENT).\n');
  });

  it('says that there is no such process, or that it has no port', async () => {
    expect((await run('collect', '-p', '2147483632')).stderr).toBe(
      'tracewright: There is no process 2147483632.\n',
    );
    const sleeper = spawn('sleep', ['100']);
    await once(sleeper, 'spawn');
    const { stderr } = await run('collect', '-p', String(sleeper.pid));
    sleeper.kill();
    const why =
      process.platform === 'linux'
        ? ', and none can be opened in it, because it runs sleep, not Node.js. '
        : '. A program that imports tracewright opens one if it is started with TRACEWRIGHT_DIAGNOSTICS=1; ';
    expect(stderr).toBe(
      `tracewright: Process ${sleeper.pid} has no diagnostic port${why}.NET programs have one unless DOTNET_EnableDiagnostics=0.\n`,
    );
  });

  const noRoot = process.getuid?.() === 0 ? undefined : 'only root can be someone else';
  it.skipIf(noRoot !== undefined)(named('says that the port belongs to someone else', noRoot), async () => {
    await started();
    const other = new RunningCommand(['collect', '-p', PID], { env: { TMPDIR: folder.path }, uid: 65534 });
    const { status, stderr } = await other.end();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^tracewright: (?:.* does not let this user open|This user may not look for) .*\(EACCES\)\.\n$/,
    );
  });
});
