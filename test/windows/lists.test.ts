/**
 * `tracewright sessions` and `providers` on Windows, at the Win32 interface: what they ask of ETW, and what they make of
 * its structures, whole, large or damaged. Only real Windows can show that its lists are like these.
 */
import { describe, expect, it } from 'vitest';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { callsOf } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const KERNEL_PROCESS = '22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716';
const OURS = providerGuid('MyCompany-MyService');
const OTHER = '11223344-5566-7788-99aa-bbccddeeff00';
const ANSI_RED = '\u001b[31m';

/** Two sessions, and three providers in two processes, of which one is the program itself. */
const LISTS = {
  sessions: [
    {
      ...{ number: 41, name: 'tracewright', file: 'C:\\Ω\\trace.etl', mode: 0x0800_0101 },
      ...{ bufferKib: 64, buffers: 16, eventsLost: 1234, buffersLost: 2, realTimeBuffersLost: 1 },
    },
    { number: 2, name: `Evil${ANSI_RED}Log`, mode: 0x0200_0400, bufferKib: 1024, buffers: 4 },
  ],
  registered: [{ guid: KERNEL_PROCESS, name: 'Microsoft-Windows-Kernel-Process' }],
  running: [
    {
      guid: OURS,
      instances: [
        { pid: -1, enabledBy: [{ number: 41, level: 5, any: '0x6', all: '0x2', properties: 4 }] },
        { pid: 99_999_996, enabledBy: [{ number: 41, level: 5, any: '0x6', all: '0x2', properties: 4 }] },
      ],
    },
    {
      guid: KERNEL_PROCESS,
      instances: [
        {
          pid: -1,
          enabledBy: [
            { number: 41, any: '0', all: '0' },
            { number: 2, level: 4, any: '0x8000000000000010', all: '0' },
          ],
        },
      ],
    },
    { guid: OTHER, instances: [{ pid: 0, flags: 2, enabledBy: [{ number: 77, any: '0x1', all: '0' }] }] },
  ],
};

async function tracewright(args: readonly string[], lists: object = LISTS, status = 0) {
  const { result, stderr, calls } = await runProgram<{ stdout: string; pid: number }>('programs/lists.mjs', {
    recorder: true,
    args: [JSON.stringify(lists), ...args],
    status,
  });
  const lines = result.stdout.trimEnd().split('\n');
  const cells = lines.map((line) => line.trim().split(/ {2,}/));
  return { ...result, cells, lines, errors: stderr.trimEnd().split(/\r?\n/), calls };
}

describe.skipIf(skipReason !== undefined)(suiteName('the list of sessions'), { timeout: 90_000 }, () => {
  it('has their modes, buffers, losses and files, and escapes their names', async () => {
    const { cells, calls, errors } = await tracewright(['sessions']);
    expect(cells).toEqual([
      ['NUMBER', 'SESSION', 'MODE', 'BUFFERS', 'LOST', 'PROVIDERS', 'FILE'],
      ['2', 'Evil\\u{1b}[31mLog', 'in memory, system', '4 x 1,024 KiB', '0', '1'],
      [
        ...['41', 'tracewright', 'sequential file, real time, independent', '16 x 64 KiB'],
        ...['1,234, 3 buffers', '2', 'C:\\Ω\\trace.etl'],
      ],
    ]);
    expect(errors).toEqual(['']);
    expect(callsOf(calls, 'queryAllTraces')).toEqual([
      expect.objectContaining({
        ...{ room: 64, alike: true, size: 120 + 2 * 2048, nameOffset: 120, fileOffset: 120 + 2048 },
        ...{ count: 2, status: 0 },
      }),
    ]);
  });

  it('has what one of them has enabled', async () => {
    const { cells } = await tracewright(['sessions', 'TraceWright']);
    expect(cells.slice(3)).toEqual([
      ['PROVIDER', 'GUID', 'LEVEL', 'KEYWORDS', 'WITH'],
      ['Microsoft-Windows-Kernel-Process', KERNEL_PROCESS, 'all', 'all'],
      [OURS, '5', '0x6, all of 0x2', 'stacks'],
    ]);
  });

  it('is as long as Windows needs it to be, and asks for no more than Windows supports', async () => {
    const sessions = Array.from({ length: 130 }, (_, number) => ({ number, name: `s${number}` }));
    // A machine on which 150 are allowed
    const { lines, calls } = await tracewright(['sessions', '--json'], { sessions, supported: 150 });
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(sessions.map(({ name }) => name));
    expect(callsOf(calls, 'queryAllTraces').map(({ room, status }) => [room, status])).toEqual([
      [64, 234],
      [130, 0],
    ]);
  });

  it('says who may see it', async () => {
    const fail = [{ what: 'QueryAllTracesW', status: 5 }];
    const { errors } = await tracewright(['sessions'], { fail }, 1);
    expect(errors).toEqual([
      'tracewright: This user may not list ETW sessions (Win32 error 5): an administrator or a member of ' +
        'Performance Log Users may.',
    ]);
  });
});

describe.skipIf(skipReason !== undefined)(suiteName('the list of providers'), { timeout: 90_000 }, () => {
  it('has who runs them, and the level and keywords at which each session has them enabled', async () => {
    const { cells, calls, pid } = await tracewright(['providers']);
    const node = `node.exe (${pid})`;
    const all = `${node}, 99999996`;
    expect(cells).toEqual([
      ['PROVIDER', 'GUID', 'SOURCE', 'PROCESSES', 'ENABLED BY'],
      [
        ...['Microsoft-Windows-Kernel-Process', KERNEL_PROCESS, 'manifest', node],
        'tracewright, Evil\\u{1b}[31mLog (level 4, keywords 0x8000000000000010)',
      ],
      [OTHER, 'session 77 (keywords 0x1)'],
      [OURS, all, 'tracewright (level 5, keywords 0x6, all of 0x2)'],
    ]);
    const asked = callsOf(calls, 'enumerateTraceGuids');
    expect(asked.map((call) => [call.class, call.provider, call.status])).toEqual([
      [0, '', 0],
      [1, KERNEL_PROCESS, 0],
      [1, OURS, 0],
      [1, OTHER, 0],
    ]);
  });

  it('finds a provider that no list names by the name that its source defines', async () => {
    const { cells, pid } = await tracewright(['providers', 'MyCompany-MyService']);
    expect(cells).toEqual([
      ['PROVIDER', 'GUID', 'PROCESSES', 'ENABLED BY'],
      [
        ...['MyCompany-MyService', OURS, `node.exe (${pid}), 99999996`],
        'tracewright (level 5, keywords 0x6, all of 0x2)',
      ],
      [''],
      ['ENABLED BY', 'LEVEL', 'KEYWORDS', 'WITH'],
      ['tracewright', '5', '0x6, all of 0x2', 'stacks'],
    ]);
    const { errors } = await tracewright(['providers', 'Other-Service']);
    expect(errors).toEqual(['There is no provider Other-Service.']);
  });

  it('is fetched again if it is larger than expected', async () => {
    const { lines, calls } = await tracewright(['providers', '--json', 'Registered-*'], { many: 3000 });
    const providers = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(providers.map(({ name }) => name)).toEqual(
      Array.from({ length: 3000 }, (_, number) => `Registered-${number}`),
    );
    const guid = '00000001-0000-0000-0000-000000000000';
    expect(providers[1]).toEqual({ name: 'Registered-1', guid, source: 'MOF', processes: [], enabledBy: [] });
    const asked = callsOf(calls, 'tdhEnumerateProviders');
    const [{ needed = 0 } = {}] = asked;
    expect(needed).toBeGreaterThan(1 << 16);
    expect(asked.map(({ size, status }) => [size, status])).toEqual([
      [1 << 16, 122],
      [needed, 0],
    ]);
  });

  it('shows what is whole of a damaged answer, and says so', async () => {
    const running = LISTS.running.map((one) => ({ ...one, cut: one.guid === KERNEL_PROCESS ? 1 : 0 }));
    const { lines, errors } = await tracewright(['providers', '--json', 'Microsoft-*'], {
      ...LISTS,
      running,
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      enabledBy: [
        { session: 'tracewright', level: 0, keywords: '0x0', allKeywords: '0x0', hasStacks: false },
      ],
    });
    expect(errors).toEqual(['Windows returned 1 incomplete list: what it lacks is not shown.']);
  });

  it('copes with providers that end meanwhile, and with those that this user may not see', async () => {
    const running = LISTS.running.map((one) => ({ ...one, isGone: one.guid === OTHER }));
    const fail = [{ what: KERNEL_PROCESS, status: 5 }];
    const { lines, errors } = await tracewright(['providers', '--json'], { ...LISTS, running, fail });
    const users = lines.map((line) => JSON.parse(line).enabledBy.length);
    expect(users).toEqual([0, 0, 1]);
    expect(errors).toEqual(['This user may not see who uses 1 of the running providers.']);
  });

  it.each([
    ['EnumerateTraceGuidsEx', 87, 'Windows did not list running providers (Win32 error 87).'],
    ['TdhEnumerateProviders', 8, 'Windows did not list registered providers (Win32 error 8).'],
  ])('says that %s failed with %i', async (what, status, sentence) => {
    const { errors } = await tracewright(['providers'], { ...LISTS, fail: [{ what, status }] }, 1);
    expect(errors).toEqual([`tracewright: ${sentence}`]);
  });
});
