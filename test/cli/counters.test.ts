/** `tracewright counters` as a user types it, on the built package, against a process that answers as .NET does. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { enableRuntimeEvents } from '../../lib/runtime/index.ts';
import { PROCESS, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { error, message } from '../diagnostics/client/fake-process.ts';
import { hex, text, u32, u64 } from '../diagnostics/server/byte-messages.ts';
import { type CounterEvent, counterTrace, mean, sum } from './counter-trace.ts';
import { collecting, command, interruptible, PID, run, started } from './fake-target.ts';

const TIME = '2025-02-03T04:05:06';

useFakeProcesses();

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

  it('prints those of meters, and then no more EventCounters with the same values', async () => {
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

  it('prints what a Node.js process reports about itself', async () => {
    enableRuntimeEvents();
    const output = new PassThrough();
    const trace = buffer(output);
    const names = 'System.Runtime,Node.Runtime';
    const session = startSession({
      providers: [
        { name: 'System.Runtime', level: 4, keywords: 0n, arguments: { EventCounterIntervalSec: '0.1' } },
        {
          name: 'System.Diagnostics.Metrics',
          level: 4,
          keywords: 2n,
          arguments: { SessionId: 'SHARED', Metrics: names, RefreshInterval: '0.1' },
        },
      ],
      output,
    });
    await sleep(250);
    await session.close();
    await started({ trace: await trace });
    const { status, stdout, stderr } = await run('counters', '-p', PID, '--duration', '0.5');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const shown of [
      'System.Runtime  CPU Usage (%)  ',
      'System.Runtime  GC Heap Size (MB)  ',
      'System.Runtime  dotnet.process.memory.working_set (By)  ',
      'System.Runtime  dotnet.gc.collections ({collection} / 1 s) [gc.heap.generation=gen0]  ',
      'Node.Runtime  nodejs.eventloop.delay (s) [Percentile=99]  ',
    ]) {
      expect(stdout).toContain(shown);
    }
  });

  it('says what keeps meters from being shown', async () => {
    const { status, stderr } = await linesOf(
      ['limit', 'SHARED'],
      ['failure', 'SHARED', 'no such meter\nat X'],
      mean('a', 'A', 1),
    );
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        'tracewright: The process has more time series than requested: some are not shown.\n' +
        'tracewright: The process cannot publish its meters: no such meter.\n',
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

  it('requests the same as dotnet-counters', async () => {
    const fake = await started({ trace: counterTrace() });
    await run('counters', '-p', PID, '--duration', '0.1', '--provider', 'A,B', '--interval', '2.5');
    const request = fake.requests[1] as Buffer;
    const clientId = request.subarray(-74, -2).toString('utf16le');
    const provider = (name: string, keywords: bigint, values: string) =>
      Buffer.concat([u64(keywords), u32(4), text(name), text(values)]);
    expect(request).toEqual(
      message(
        2,
        3,
        hex('00010000 01000000 00 03000000'),
        provider('A', 0n, 'EventCounterIntervalSec=2.5'),
        provider('B', 0n, 'EventCounterIntervalSec=2.5'),
        provider(
          'System.Diagnostics.Metrics',
          2n,
          `SessionId=SHARED;Metrics=A,B;RefreshInterval=2.5;MaxTimeSeries=1000;MaxHistograms=10;ClientId=${clientId}`,
        ),
      ),
    );
    expect(clientId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('uses a separate meter session if the runtime cannot share one', async () => {
    const unknown = () => error(0x80131385);
    const fake = await started({ trace: counterTrace(), answers: { '04/08': unknown, '04/04': unknown } });
    await run('counters', '-p', PID, '--duration', '0.1');
    const request = fake.requests.at(-2)?.toString('latin1').replaceAll('\0', '');
    expect(request).toMatch(
      /SessionId=[0-9a-f-]{36};Metrics=System\.Runtime,Microsoft\.AspNetCore\.Hosting,Node\.Runtime;/,
    );
  });

  it('shows values while they arrive, and ends with the process', async () => {
    const fake = await started({ trace: counterTrace(mean('a', 'A', 1)) });
    const counters = command('counters', '-p', PID);
    await vi.waitFor(() => expect(counters.stdout).toContain('A  1'), { timeout: 10_000 });
    fake.end();
    expect(await counters.end()).toMatchObject({ status: 0, stderr: `${PROCESS} has ended.\n` });
  });

  it('says that the received data is not a trace', async () => {
    const fake = await started({ trace: Buffer.from('no trace at all') });
    const counters = command('counters', '-p', PID);
    await collecting(fake);
    fake.stream?.end();
    const { status, stderr } = await counters.end();
    expect(status).toBe(1);
    expect(stderr).toContain('is not a supported trace');
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
