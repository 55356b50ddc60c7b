/**
 * `tracewright record` on Windows, at the Win32 interface: the session it asks ETW for, the providers, the end, and
 * what it says to each refusal. Whether a session with these numbers records is a matter of a real Windows.
 */
import { describe, expect, it } from 'vitest';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { callsOf, type EtwCall } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const TPL_EVENT_SOURCE = '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5';
const OTHER = '11223344-5566-7788-99aa-bbccddeeff00';
const ALL_KEYWORDS = `0x${'f'.repeat(16)}`;

interface Answers {
  readonly fail?: readonly (readonly [operation: string, status: number])[];
  readonly lost?: readonly [events: number, buffers: number];
}

/** Types the arguments, and has ETW answer so. */
async function tracewright(args: readonly string[], answers: Answers = {}, status = 0) {
  const { stderr, calls } = await runProgram('programs/command-line.mjs', {
    recorder: true,
    args: [JSON.stringify(answers), ...args],
    status,
  });
  return { lines: stderr.trimEnd().split(/\r?\n/), calls };
}

const record = (...args: string[]) =>
  tracewright(['record', '--provider', 'P', '--duration', '0.1', ...args]);
const wide = (hex: string | null | undefined) => Buffer.from(hex ?? '', 'hex').toString('utf16le');
const enabledIn = (calls: readonly EtwCall[]) =>
  callsOf(calls, 'enableTrace').map(({ provider, level, any }) => [provider, level, any]);

describe.skipIf(skipReason !== undefined)(suiteName('a recording'), { timeout: 90_000 }, () => {
  it('is a session that writes into a file, with the providers, until the command ends', async () => {
    const { lines, calls } = await tracewright([
      ...['record', '-o', 'Ω.etl', '--provider', 'MyCompany-MyService', '--provider', OTHER],
      ...['--level', '4', '--keywords', '0x2', '--buffer-size', '1000', '--', 'cmd', '/c', 'exit 3'],
    ]);
    expect(lines).toEqual(['Recorded into Ω.etl (0.0 kB), none lost.', 'cmd ended with status 3.']);
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
      maximumFileSize: 0,
      mode: 1,
      flushTimer: 0,
      nameOffset: 120,
      fileOffset: 120 + 2048,
    });
    expect(wide(start?.name)).toBe('tracewright');
    expect(wide(start?.file)).toMatch(/^Z:\\.*\\Ω\.etl$/);

    expect(enabledIn(calls)).toEqual([
      [TPL_EVENT_SOURCE, 4, '0x80'],
      [providerGuid('MyCompany-MyService'), 4, '0x2'],
      [OTHER, 4, '0x2'],
    ]);
    for (const call of callsOf(calls, 'enableTrace')) {
      expect(call).toMatchObject({ session: start?.session, code: 1, all: '0x0', timeout: 0 });
      // Version 2, and nothing else.
      expect(call.parameters).toBe(`02${'0'.repeat(94)}`);
    }

    const [stop, ...more] = callsOf(calls, 'controlTrace');
    expect(more).toEqual([]);
    expect(stop).toMatchObject({ session: start?.session, code: 1, name: null, size: start?.size });
    const ops = calls.map(({ op }) => op).filter((op) => op.endsWith('Trace'));
    expect(ops).toEqual(['startTrace', 'enableTrace', 'enableTrace', 'enableTrace', 'controlTrace']);
  });

  it('is of all levels and keywords, into trace.etl, where nothing else is said', async () => {
    const { calls } = await record();
    expect(enabledIn(calls)[1]).toEqual([providerGuid('P'), 255, ALL_KEYWORDS]);
    expect(wide(callsOf(calls, 'startTrace')[0]?.file)).toMatch(/\\trace\.etl$/);
  });

  it('has stacks of the providers asked for, and of no others', async () => {
    const { calls } = await record('--stacks');
    const properties = callsOf(calls, 'enableTrace').map(({ parameters }) => parameters.slice(8, 16));
    expect(properties).toEqual(['00000000', '04000000']);
  });

  it('tells what was lost', async () => {
    const { lines } = await tracewright(['record', '--provider', 'P', '--duration', '0.1'], {
      lost: [12, 3],
    });
    expect(lines).toEqual([
      'Recorded into trace.etl (0.0 kB), 12 events and 3 buffers lost, which a larger --buffer-size may keep.',
    ]);
  });

  it.each([
    [
      'startTrace',
      5,
      'This user may not record with ETW (Win32 error 5): it takes an administrator, or a member of the group ' +
        'Performance Log Users.',
    ],
    [
      'startTrace',
      183,
      'A session of ETW with the name tracewright runs: another recording, or one that was killed (Win32 error ' +
        '183). To end it: logman stop tracewright -ets',
    ],
    ['startTrace', 32, /\\trace\.etl cannot be written: another program has it open \(Win32 error 32\)\.$/],
    ['startTrace', 1450, /^Windows has no room for another session \(Win32 error 1450\)/],
    ['startTrace', 87, 'Windows did not start the session of ETW (Win32 error 87).'],
    ['enableTrace', 5, `This user may not record the provider ${TPL_EVENT_SOURCE} (Win32 error 5).`],
    [
      'controlTrace',
      4201,
      'Somebody else has ended the session (Win32 error 4201): the file has what was recorded until then.',
    ],
  ])('says in a sentence why %s failed with %i', async (operation, status, sentence) => {
    const args = ['record', '--provider', 'P', '--duration', '0.1'];
    const { lines, calls } = await tracewright(args, { fail: [[operation, status]] }, 1);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.replace(/^tracewright: /, '')).toMatch(sentence);
    // No session stays behind.
    const started = callsOf(calls, 'startTrace').filter((call) => call.status === 0);
    expect(callsOf(calls, 'controlTrace')).toHaveLength(started.length);
  });

  it('takes no path that is longer than ETW has room for', async () => {
    const args = ['record', '--provider', 'P', '-o', 'x'.repeat(1100)];
    const { lines, calls } = await tracewright(args, {}, 1);
    expect(lines[0]).toMatch(/x cannot be written: the name is too long \(Win32 error 206\)\.$/);
    expect(callsOf(calls, 'startTrace')).toEqual([]);
  });

  it('says that nothing is shown live', async () => {
    const { lines, calls } = await tracewright(['live'], {}, 1);
    expect(lines).toEqual([
      'tracewright: live shows events on Linux only. On Windows, record them with "tracewright record", and show ' +
        'the file with "tracewright dump".',
    ]);
    expect(callsOf(calls, 'startTrace')).toEqual([]);
  });
});
