/**
 * `tracewright record` on Windows, at the Win32 interface: the session it requests from ETW, the providers, the end,
 * and its message for each refusal. Only real Windows can show that such a session records.
 */
import { describe, expect, it } from 'vitest';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { callsOf, type EtwCall } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const TPL_EVENT_SOURCE = '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5';
/** V8's. */
const JAVASCRIPT = '57277741-3638-4a4b-bdba-0ac6e45da56c';
const OTHER = '11223344-5566-7788-99aa-bbccddeeff00';
/** Of ControlTraceW. */
const QUERY = 0;
const STOP = 1;
const ALL_KEYWORDS = `0x${'f'.repeat(16)}`;

interface Answers {
  readonly fail?: readonly (readonly [operation: string, status: number])[];
  readonly lost?: readonly [events: number, buffers: number];
  readonly leftBehind?: string;
  readonly lists?: { readonly registered: readonly { guid: string; name: string; source: number }[] };
  readonly file?: readonly [name: string, bytes: number];
  readonly before?: Readonly<Record<string, string>>;
  readonly ends?: string | readonly string[];
}

/** Types the arguments, and has ETW answer so. */
async function tracewright(args: readonly string[], answers: Answers = {}, status = 0) {
  const { result, stderr, calls } = await runProgram('programs/command-line.mjs', {
    recorder: true,
    args: [JSON.stringify(answers), ...args],
    status,
  });
  return { result, lines: stderr.trimEnd().split(/\r?\n/), calls };
}

const record = (...args: string[]) =>
  tracewright(['record', '--provider', 'P', '--duration', '0.1', ...args]);
const wide = (hex: string | null | undefined) => Buffer.from(hex ?? '', 'hex').toString('utf16le');
const stopsIn = (calls: readonly EtwCall[]) =>
  callsOf(calls, 'controlTrace').filter(({ code, status }) => code === STOP && status === 0);
const enabledIn = (calls: readonly EtwCall[]) =>
  callsOf(calls, 'enableTrace').map(({ provider, level, any }) => [provider, level, any]);

describe.skipIf(skipReason !== undefined)(suiteName('a recording'), { timeout: 90_000 }, () => {
  it('is a session that writes to a file, with the providers, until the command ends', async () => {
    const { lines, calls } = await tracewright(
      [
        ...['record', '-o', 'Ω.etl', '--provider', 'MyCompany-MyService', '--provider', OTHER],
        ...['--level', '4', '--keywords', '0x2', '--buffer-size', '1MB', '--', 'cmd', '/c', 'exit 3'],
      ],
      {},
      3,
    );
    expect(lines).toEqual(['Recorded into Ω.etl (0.0 kB), none lost.', 'cmd exited with status 3.']);
    const [start, ...others] = callsOf(calls, 'startTrace');
    expect(others).toEqual([]);
    // 8 buffers of 128 KiB make the next power of two of the KiB asked for.
    const processors = (start?.minimumBuffers ?? 0) / 8;
    expect(Number.isInteger(processors) && processors > 0).toBe(true);
    expect(start).toMatchObject({
      size: 120 + 2 * 2048,
      flags: 0x20000,
      clock: 1,
      bufferKib: 128,
      maximumBuffers: 8 * processors,
      maximumFileSize: 1024,
      mode: 1,
      flushTimer: 0,
      nameOffset: 120,
      fileOffset: 120 + 2048,
    });
    expect(wide(start?.name)).toBe('tracewright');
    expect(wide(start?.file)).toMatch(/^Z:\\.*\\Ω\.etl$/);

    expect(enabledIn(calls)).toEqual([
      [TPL_EVENT_SOURCE, 4, '0xc3'],
      [providerGuid('MyCompany-MyService'), 4, '0x2'],
      [OTHER, 4, '0x2'],
    ]);
    for (const call of callsOf(calls, 'enableTrace')) {
      expect(call).toMatchObject({ session: start?.session, code: 1, all: '0x0', timeout: 0 });
      // Version 2, and nothing else.
      expect(call.parameters).toBe(`02${'0'.repeat(94)}`);
    }

    // First whether a session is left behind; then, as often as it takes, whether ours still runs.
    const [find, ...controls] = callsOf(calls, 'controlTrace');
    expect(find).toMatchObject({ session: '0x0', code: QUERY, status: 4201 });
    expect(wide(find?.name)).toBe('tracewright');
    for (const query of controls.slice(0, -1)) {
      expect(query).toMatchObject({ session: start?.session, code: QUERY, name: null, status: 0 });
    }
    const stop = controls.at(-1);
    expect(stop).toMatchObject({ session: start?.session, code: STOP, name: null, size: start?.size });
    const ops = calls.map(({ op }) => op).filter((op) => ['startTrace', 'enableTrace'].includes(op));
    expect(ops).toEqual(['startTrace', 'enableTrace', 'enableTrace', 'enableTrace']);
  });

  it('finds registered providers, whose GUIDs do not follow from their names', async () => {
    const lists = { registered: [{ guid: OTHER, name: 'Microsoft-Windows-Kernel-Process', source: 0 }] };
    const { calls } = await tracewright(
      ['record', '--provider', 'microsoft-windows-kernel-process', '--provider', 'P', '--duration', '0.1'],
      { lists },
    );
    expect(enabledIn(calls).map(([provider]) => provider)).toEqual([
      TPL_EVENT_SOURCE,
      OTHER,
      providerGuid('P'),
    ]);
  });

  it('includes all levels and keywords, and is written to trace.etl by default', async () => {
    const { calls } = await record();
    expect(enabledIn(calls)[1]).toEqual([providerGuid('P'), 255, ALL_KEYWORDS]);
    expect(wide(callsOf(calls, 'startTrace')[0]?.file)).toMatch(/\\trace\.etl$/);
  });

  it('has what threads run with CPU samples, but stacks of activities only on request', async () => {
    const runtime = providerGuid('Node.Runtime');
    const asked = async (...args: string[]) => {
      const { calls } = await tracewright(['record', '--cpu', '--duration', '0.1', '--provider', ...args]);
      return enabledIn(calls).at(-1);
    };
    expect(await asked('Node.Runtime')).toEqual([runtime, 6, '0xffffffffffffffbf']);
    expect(await asked('Node.Runtime', '--keywords', '40')).toEqual([runtime, 6, '0x70']);
  });

  it('has stacks of the requested providers, and of no others', async () => {
    const { calls } = await record('--stacks');
    const properties = callsOf(calls, 'enableTrace').map(({ parameters }) => parameters.slice(8, 16));
    expect(properties).toEqual(['00000000', '04000000']);
  });

  it('is what its options say, and asks the provider for what they say', async () => {
    const { lines, calls } = await tracewright([
      ...[
        'record',
        '--provider',
        OTHER,
        '--mode',
        'newfile',
        '-o',
        'new%d.etl',
        '--max-size',
        '7MiB',
        '--independent',
      ],
      ...[
        '-p',
        '42',
        '--exe',
        'node.exe',
        '--event-id',
        '1',
        '--event-id',
        '2',
        '--event',
        'Ω',
        '--stacks-for',
        '2',
      ],
      ...['--ignore-keyword-0', '--capture-state', '--cpu', '--frequency', '4000', '--duration', '0.1'],
    ]);
    expect(lines).toEqual(['Recorded into new%d.etl (0.0 kB), none lost.']);
    expect(callsOf(calls, 'privilege')).toMatchObject([{ privilege: 11, attributes: 2, status: 0 }]);
    expect(callsOf(calls, 'startTrace')).toMatchObject([
      { mode: 0xa00_0008, enableFlags: 0x100_0007, maximumFileSize: 7, status: 0 },
    ]);
    expect(callsOf(calls, 'traceInformation').map(({ class: kind, data }) => [kind, data])).toEqual([
      [5, '00000000c4090000'],
      [3, 'b4bf1dce7e13a64d87b03f59aa102cbc2e00000000000000'],
    ]);
    const enabled = callsOf(calls, 'enableTrace');
    expect(enabled.map(({ provider, code, level, any }) => [provider, code, level, any])).toEqual([
      [TPL_EVENT_SOURCE, 1, 4, '0xc3'],
      [JAVASCRIPT, 1, 5, ALL_KEYWORDS],
      [providerGuid('Node.Runtime'), 1, 6, '0x30'],
      [OTHER, 1, 255, ALL_KEYWORDS],
      [OTHER, 2, 255, ALL_KEYWORDS],
    ]);
    expect(enabled[3]?.parameters.slice(8, 16)).toBe('14000000');
    expect(enabled[3]?.filters.map(({ type, bytes }) => [type, bytes])).toEqual([
      [0x8000_0004, '2a000000'],
      [0x8000_0008, Buffer.from('node.exe\0', 'utf16le').toString('hex')],
      [0x8000_0200, '0100020001000200'],
      [0x8000_0400, `${'f'.repeat(16)}${'0'.repeat(16)}ff010100cea900`],
      [0x8000_1000, '010001000200'],
    ]);
    expect(enabled[4]?.filters).toEqual([]);
  });

  it('stays in memory with --ring, which Ctrl-Break and the end write into files', async () => {
    const { lines, calls } = await tracewright(
      ['record', '--provider', 'P', '--ring', '--buffer-size', '256KiB', '-o', 'ring.etl'],
      { ends: ['SIGBREAK', 'SIGINT'], before: { 'ring.etl': 'earlier' }, lost: [2, 0] },
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('Recording into memory: Ctrl-Break writes the latest events to ring.etl.TIME.');
    expect(lines[1]).toMatch(/^Wrote the latest events to .*\\ring\.etl\.\d{17} \(0\.0 kB\)\.$/);
    expect(lines[2]).toMatch(/^Wrote the latest events to .* \(0\.0 kB\)\. 2 events were lost\.$/);
    const [start] = callsOf(calls, 'startTrace');
    expect(start).toMatchObject({ mode: 0x400, maximumFileSize: 0, file: null });
    // Two buffers of 128 KiB per processor.
    expect(start?.maximumBuffers).toBe(start?.minimumBuffers);
    const flushed = callsOf(calls, 'controlTrace').filter(({ code, status }) => code === 3 && status === 0);
    expect(flushed.map(({ givenFile }) => /ring\.etl\.\d{17}$/.test(wide(givenFile)))).toEqual([true, true]);
    expect(stopsIn(calls)).toHaveLength(1);
  });

  it('says which privilege --cpu needs', async () => {
    const args = ['record', '--provider', 'P', '--cpu', '--duration', '0.1'];
    const { lines, calls } = await tracewright(args, { fail: [['privilege', 1300]] }, 1);
    expect(lines).toEqual([
      'tracewright: This user lacks the privilege SeSystemProfilePrivilege (Win32 error 1300): an administrator in an ' +
        'elevated process has it.',
    ]);
    expect(callsOf(calls, 'startTrace')).toEqual([]);
  });

  it('reports what was lost', async () => {
    const { lines } = await tracewright(['record', '--provider', 'P', '--duration', '0.1'], {
      lost: [12, 3],
    });
    expect(lines).toEqual([
      'Recorded into trace.etl (0.0 kB), 12 events and 3 buffers lost, which a larger --buffer-size may avoid.',
    ]);
  });

  it.each([
    [
      'startTrace',
      5,
      /^Access denied \(Win32 error 5\): either this user may not record with ETW, .* or the folder or the file does not let this user write .*\\trace\.etl\.$/,
    ],
    [
      'startTrace',
      183,
      'An ETW session named tracewright is already running (Win32 error 183): another recording, or the leftover of ' +
        'one that was killed. To end it first, use --end-left-behind.',
    ],
    ['startTrace', 32, /\\trace\.etl cannot be written: another program has it open \(Win32 error 32\)\.$/],
    ['startTrace', 1450, /^Windows has no room for another session \(Win32 error 1450\)/],
    ['startTrace', 87, 'Windows did not start the ETW session (Win32 error 87).'],
    ['enableTrace', 5, `This user may not record the provider ${TPL_EVENT_SOURCE} (Win32 error 5).`],
  ])('says in a sentence why %s failed with %i', async (operation, status, sentence) => {
    const args = ['record', '--provider', 'P', '--duration', '0.1'];
    const { lines, calls } = await tracewright(args, { fail: [[operation, status]] }, 1);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.replace(/^tracewright: /, '')).toMatch(sentence);
    // No session stays behind.
    const started = callsOf(calls, 'startTrace').filter((call) => call.status === 0);
    expect(stopsIn(calls)).toHaveLength(started.length);
  });

  it.each([['startTrace'], ['enableTrace']])(
    'leaves existing files unchanged if %s fails',
    async (operation) => {
      const before = { 'trace.etl': 'earlier', 'trace.etl.old': 'earliest' };
      const args = ['record', '--provider', 'P', '--duration', '0.1'];
      const refused = await tracewright(args, { before, fail: [[operation, 5]] }, 1);
      expect(refused.result).toEqual(before);
      const taken = await tracewright(args, { before });
      expect(taken.result).toEqual({ 'trace.etl': null, 'trace.etl.old': 'earlier' });
    },
  );

  it('rejects a path longer than ETW supports', async () => {
    const args = ['record', '--provider', 'P', '-o', 'x'.repeat(1100)];
    const { lines, calls } = await tracewright(args, {}, 1);
    expect(lines[0]).toMatch(/x cannot be written: the name is too long \(Win32 error 206\)\.$/);
    expect(callsOf(calls, 'startTrace')).toEqual([]);
  });

  it.each(['SIGINT', 'SIGBREAK', 'SIGHUP', 'SIGTERM'])('ends its session on %s', async (ends) => {
    const { lines, calls } = await tracewright(['record', '--provider', 'P'], { ends });
    expect(lines).toEqual(['Recorded into trace.etl (0.0 kB), none lost.']);
    expect(stopsIn(calls)).toHaveLength(1);
  });

  it('ends its session if its program exits early', async () => {
    const { calls } = await tracewright(['record', '--provider', 'P'], { ends: 'exit' }, 3);
    expect(stopsIn(calls)).toHaveLength(1);
  });

  it('ends when its file has the maximum size, and says so', async () => {
    const { lines, calls } = await tracewright(['record', '--provider', 'P', '--max-size', '1MiB'], {
      ends: 'session',
      file: ['trace.etl', 1 << 20],
    });
    expect(callsOf(calls, 'startTrace')[0]).toMatchObject({ maximumFileSize: 1 });
    expect(lines).toEqual([
      'Recorded into trace.etl (1.0 MB). The file has reached its maximum of 1.0 MB and lacks later events: ' +
        'use a larger --max-size.',
    ]);
    // Nothing is stopped that is not there any more: another session may have its number.
    expect(callsOf(calls, 'controlTrace').filter(({ code }) => code === STOP)).toEqual([]);
  });

  it('ends if another program ends its session, and says so', async () => {
    const { lines } = await tracewright(['record', '--provider', 'P'], { ends: 'session' });
    expect(lines).toEqual([
      'Recorded into trace.etl (0.0 kB). Another program ended the ETW session: the file lacks later events.',
    ]);
  });

  it('finds the session of a recording that was killed, and ends it on request', async () => {
    const args = ['record', '--provider', 'P', '--duration', '0.1'];
    const leftBehind = 'C:\\Ω\\earlier.etl';
    const refused = await tracewright(args, { leftBehind }, 1);
    expect(refused.lines).toEqual([
      `tracewright: An ETW session of tracewright is already running and writing ${leftBehind}: another recording, ` +
        'or the leftover of one that was killed. To end it first, use --end-left-behind.',
    ]);
    expect(callsOf(refused.calls, 'startTrace')).toEqual([]);
    const ended = await tracewright([...args.slice(0, 1), '--end-left-behind', ...args.slice(1)], {
      leftBehind,
    });
    expect(ended.lines).toEqual([
      `Ended an earlier ETW session that was writing ${leftBehind}.`,
      'Recorded into trace.etl (0.0 kB), none lost.',
    ]);
    // The earlier session is found by its name, and both are ended by their handles.
    const named = callsOf(ended.calls, 'controlTrace').filter(({ name }) => wide(name) === 'tracewright');
    expect(named.every(({ code }) => code !== STOP)).toBe(true);
    const sessions = stopsIn(ended.calls).map(({ session }) => session);
    expect(sessions).toEqual([
      expect.not.stringMatching('^0x0$'),
      callsOf(ended.calls, 'startTrace')[0]?.session,
    ]);
  });
});
