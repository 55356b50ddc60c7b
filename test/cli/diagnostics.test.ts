/**
 * `tracewright ps`, `collect` and `counters` as a user types them, on the built package, against a process that
 * answers byte by byte as one of .NET does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import {
  error,
  type FakeOptions,
  FakeProcess,
  hexBytes,
  message,
  PortFolder,
  text,
  u32,
  u64,
} from '../session/diagnostics/client/fake-process.ts';
import { type CounterEvent, counterTrace, mean, sum } from './counter-trace.ts';
import { RunningCommand } from './run-tracewright.ts';

const PROCESS = `Process ${process.pid}`;
const PID = String(process.pid);
const TIME = '2025-02-03T04:05:06';
/** On Windows, no process can be interrupted by another. */
const interruptible = it.skipIf(process.platform === 'win32');

vi.setConfig({ testTimeout: 30_000 });

let folder: PortFolder;
let fakes: FakeProcess[] = [];
beforeEach(() => {
  folder = new PortFolder();
});
afterEach(() => {
  for (const fake of fakes) fake.end();
  fakes = [];
  folder.remove();
});

async function started(options?: FakeOptions): Promise<FakeProcess> {
  const fake = new FakeProcess(options);
  fakes.push(fake);
  return fake.listen(folder.port);
}

function command(...args: string[]): RunningCommand {
  return new RunningCommand(args, { cwd: folder.path, env: { TMPDIR: folder.path } });
}

const run = (...args: string[]) => command(...args).end();
const collecting = (fake: FakeProcess) =>
  vi.waitFor(() => expect(fake.stream).toBeDefined(), { timeout: 10_000 });

describe('ps', () => {
  const rowOf = (stdout: string) => stdout.split('\n').find((line) => line.trim().startsWith(`${PID} `));

  it('lists processes by what they tell', async () => {
    await started();
    const { status, stdout } = await run('ps');
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^ *PID {2}NAME +RUNTIME +COMMAND LINE$/);
    expect(rowOf(stdout)?.trim().split(/ {2,}/)).toEqual([
      PID,
      'app',
      '10.0.1 linux-x64',
      'dotnet app.dll --x',
    ]);
  });

  it('prints JSON lines', async () => {
    await started();
    const { stdout } = await run('ps', '--json');
    const processes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(processes.find(({ processId }) => processId === process.pid)).toEqual({
      processId: process.pid,
      name: 'app',
      runtimeCookie: '00112233-4455-6677-8899-aabbccddeeff',
      commandLine: 'dotnet app.dll --x',
      operatingSystem: 'Linux',
      architecture: 'x64',
      entryAssembly: 'app',
      productVersion: '10.0.1',
      runtimeIdentifier: 'linux-x64',
      address: folder.port,
    });
  });

  it('names the oldest processes by their program', async () => {
    const unknown = () => error(0x80131385);
    await started({ answers: { '04/08': unknown, '04/04': unknown } });
    const { stdout } = await run('ps');
    expect(rowOf(stdout)).toMatch(/ dotnet +Linux x64 +dotnet app.dll --x$/);
  });

  it('says why nothing is known of a process that does not answer', async () => {
    await started({ answers: { '04/08': () => undefined } });
    const { stdout } = await run('ps');
    expect(rowOf(stdout)).toContain(`(${PROCESS} does not answer.)`);
  });

  it('says that there is none', async () => {
    const { stdout, stderr } = await run('ps');
    expect(rowOf(stdout)).toBeUndefined();
    if (stdout === '') expect(stderr).toBe('No process has a diagnostic port that was found.\n');
  });
});

describe('collect', () => {
  const trace = counterTrace(mean('cpu-usage', 'CPU Usage', 12.5, '%'), sum('allocs', 'Allocations', 7));

  interruptible('writes what comes until Ctrl-C, and what the process still has then', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace', '--providers', 'A:1:4');
    await collecting(fake);
    await sleep(200);
    collect.interrupt();
    expect(await collect.end()).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Collected 0.0 MB into a.nettrace.\n',
    });
    const file = readFileSync(join(folder.path, 'a.nettrace'));
    expect(Buffer.compare(file, trace)).toBe(0);
    expect(fake.commands).toEqual(['02/03', '02/01']);
    const names: string[] = [];
    for await (const event of await openTrace(file)) names.push(event.name);
    expect(names).toEqual(['EventCounters', 'EventCounters']);
  });

  it('asks as dotnet-trace does, with rundown and stacks', async () => {
    const fake = await started({ trace });
    await run(
      'collect',
      '-p',
      PID,
      '-o',
      'a',
      '--duration',
      '0.1',
      '--providers',
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

  it('asks for everything unless providers are given', async () => {
    const fake = await started({ trace });
    await run('collect', '-p', PID, '-o', 'a', '--duration', '0.1');
    expect(fake.requests[0]?.subarray(33).toString('hex')).toBe(
      hexBytes('ffffffffffffffff 05000000 02000000 2a000000 01000000 0000').toString('hex'),
    );
  });

  it('names the file by process and time', async () => {
    await started({ trace });
    const { stderr } = await run('collect', '-p', PID, '--duration', '0.1');
    expect(readdirSync(folder.path).filter((name) => /^app_\d{8}_\d{6}\.nettrace$/.test(name))).toHaveLength(
      1,
    );
    expect(stderr).toMatch(/^Collected 0\.0 MB into app_\d{8}_\d{6}\.nettrace\.\n$/);
  });

  it('ends with the process, keeping what it has written', async () => {
    const fake = await started({ trace });
    const collect = command('collect', '-p', PID, '-o', 'a.nettrace');
    await collecting(fake);
    await sleep(200);
    fake.end();
    expect(await collect.end()).toMatchObject({
      status: 0,
      stderr: `Collected 0.0 MB into a.nettrace. ${PROCESS} has ended.\n`,
    });
    expect(readFileSync(join(folder.path, 'a.nettrace'))).toEqual(Buffer.from(trace.subarray(0, -1)));
  });

  it('records a process from its start, which it waits for', async () => {
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
    const fake = await new FakeProcess({ trace }).connectTo(folder.tool);
    fakes.push(fake);
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

  it('says that a process writes no version 6', async () => {
    await started({ answers: { '02/03': () => error(0x80131384) } });
    expect(await run('collect', '-p', PID, '-o', 'a', '--format', '6')).toEqual({
      status: 1,
      stdout: '',
      stderr: `tracewright: ${PROCESS} does not write nettrace version 6, only version 4.\n`,
    });
    expect(readdirSync(folder.path)).not.toContain('a');
  });

  it('says where the file cannot be written', async () => {
    await started({ trace });
    const { status, stderr } = await run('collect', '-p', PID, '-o', 'no/a');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^tracewright: ENOENT: no such file or directory, open '.*no.a'\n$/);
  });

  it('says that there is no such process, or no port of it', async () => {
    expect((await run('collect', '-p', '2147483632')).stderr).toBe(
      'tracewright: There is no process 2147483632.\n',
    );
    expect((await run('collect', '-p', PID)).stderr).toBe(
      `tracewright: ${PROCESS} has no diagnostic port: it is neither of .NET nor of tracewright with its port open.\n`,
    );
  });

  it.runIf(process.getuid?.() === 0)('says that the port is somebody else’s', async () => {
    await started();
    const other = new RunningCommand(['collect', '-p', PID], { env: { TMPDIR: folder.path }, uid: 65534 });
    const { status, stderr } = await other.end();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^tracewright: (?:.* does not let this user open|This user may not look for) .*\(EACCES\)\.\n$/,
    );
  });
});

describe('counters', () => {
  const meter = (sessionId: string, name: string, unit: string, tags: string) =>
    [sessionId, 'System.Runtime', '', name, unit, tags] as const;
  const shared = (name: string, unit: string, tags = '') => meter('SHARED', name, unit, tags);
  const linesOf = async (...events: readonly CounterEvent[]) => {
    await started({ trace: counterTrace(...events) });
    const { status, stdout, stderr } = await run('counters', '-p', PID, '--duration', '0.1');
    return { status, stderr, lines: stdout.trimEnd().split('\n') };
  };

  it('prints a line for each value of EventCounters', async () => {
    expect(
      await linesOf(
        mean('cpu-usage', 'CPU Usage', 12.5, '%'),
        mean('threads', 'Threads', 1234),
        sum('alloc-rate', 'Allocation Rate', 8_192.12345, 'B'),
        sum('exceptions', 'Exceptions', 3),
      ),
    ).toEqual({
      status: 0,
      stderr: '',
      lines: [
        `${TIME}.001000000Z  System.Runtime  CPU Usage (%)  12.5`,
        `${TIME}.002000000Z  System.Runtime  Threads  1,234`,
        `${TIME}.003000000Z  System.Runtime  Allocation Rate (B / 1 s)  8,192.123`,
        `${TIME}.004000000Z  System.Runtime  Exceptions (Count / 1 s)  3`,
      ],
    });
  });

  it('prints those of meters, and then no more EventCounters that tell the same', async () => {
    const { lines } = await linesOf(
      mean('cpu-usage', 'CPU Usage', 12.5, '%'),
      ['rate', ...shared('dotnet.exceptions', '{exception}', 'error.type=E'), '2.5', '10', 1],
      mean('cpu-usage', 'CPU Usage', 13, '%'),
      ['gauge', ...shared('dotnet.timer.count', '{timer}'), '4', 2],
      ['upDown', ...shared('queue', ''), '1', '-3', 3],
      ['histogram', ...shared('gc.pause', 's'), '0.5=1;0.99=2.25', 9, 10, 4],
      ['gauge', ...meter('6c6f6f6b', 'of another tool', '', ''), '4', 2],
      ['gauge', ...shared('ended', ''), '', 5],
    );
    expect(lines).toEqual([
      `${TIME}.001000000Z  System.Runtime  CPU Usage (%)  12.5`,
      `${TIME}.002000000Z  System.Runtime  dotnet.exceptions ({exception} / 1 s) [error.type=E]  2.5`,
      `${TIME}.004000000Z  System.Runtime  dotnet.timer.count ({timer})  4`,
      `${TIME}.005000000Z  System.Runtime  queue  -3`,
      `${TIME}.006000000Z  System.Runtime  gc.pause (s) [Percentile=50]  1`,
      `${TIME}.006000000Z  System.Runtime  gc.pause (s) [Percentile=99]  2.25`,
    ]);
  });

  it('tells what keeps meters from being shown', async () => {
    const { status, stderr } = await linesOf(
      ['limit', 'SHARED'],
      ['failure', 'SHARED', 'no such meter\nat X'],
      mean('a', 'A', 1),
    );
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        'tracewright: The process has more series of meters than are asked for: some are not shown.\n' +
        'tracewright: The process cannot pass its meters on: no such meter.\n',
    });
  });

  it('prints JSON lines', async () => {
    await started({ trace: counterTrace(sum('alloc-rate', 'Allocation Rate', 0.1, 'B')) });
    const { stdout } = await run('counters', '-p', PID, '--duration', '0.1', '--json');
    expect(JSON.parse(stdout)).toEqual({
      timestamp: '1738555506001000000',
      provider: 'System.Runtime',
      name: 'alloc-rate',
      displayName: 'Allocation Rate',
      unit: 'B',
      tags: '',
      type: 'rate',
      interval: 1,
      value: 0.1,
    });
  });

  it('asks as dotnet-counters does', async () => {
    const fake = await started({ trace: counterTrace() });
    await run('counters', '-p', PID, '--duration', '0.1', '--providers', 'A,B', '--interval', '2.5');
    const request = fake.requests[1] as Buffer;
    const clientId = request.subarray(-74, -2).toString('utf16le');
    const provider = (name: string, keywords: bigint, values: string) =>
      Buffer.concat([u64(keywords), u32(4), text(name), text(values)]);
    expect(request).toEqual(
      message(
        2,
        3,
        hexBytes('00010000 01000000 00 03000000'),
        provider('A', 0n, 'EventCounterIntervalSec=2.5'),
        provider('B', 0n, 'EventCounterIntervalSec=2.5'),
        provider(
          'System.Diagnostics.Metrics',
          2n,
          `SessionId=SHARED;Metrics=A,B;RefreshInterval=2.5;MaxTimeSeries=1000;MaxHistograms=20;ClientId=${clientId}`,
        ),
      ),
    );
    expect(clientId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('has a session of meters of its own where the runtime cannot share them', async () => {
    const unknown = () => error(0x80131385);
    const fake = await started({ trace: counterTrace(), answers: { '04/08': unknown, '04/04': unknown } });
    await run('counters', '-p', PID, '--duration', '0.1');
    const request = fake.requests.at(-2)?.toString('latin1').replaceAll('\0', '');
    expect(request).toMatch(
      /SessionId=[0-9a-f-]{36};Metrics=System\.Runtime,Microsoft\.AspNetCore\.Hosting;/,
    );
  });

  it('shows values while they come, and ends with the process', async () => {
    const fake = await started({ trace: counterTrace(mean('a', 'A', 1)) });
    const counters = command('counters', '-p', PID);
    await vi.waitFor(() => expect(counters.stdout).toContain('A  1'), { timeout: 10_000 });
    fake.end();
    expect(await counters.end()).toMatchObject({ status: 0, stderr: `${PROCESS} has ended.\n` });
  });

  it('says that what comes is no trace', async () => {
    const fake = await started({ trace: Buffer.from('no trace at all') });
    const counters = command('counters', '-p', PID);
    await collecting(fake);
    fake.stream?.end();
    const { status, stderr } = await counters.end();
    expect(status).toBe(1);
    expect(stderr).toContain('is no trace that is known here');
  });

  interruptible('ends with Ctrl-C before anything has come', async () => {
    const fake = await started();
    const counters = command('counters', '-p', PID);
    await collecting(fake);
    await sleep(100);
    counters.interrupt();
    expect(await counters.end()).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
