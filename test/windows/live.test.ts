/**
 * `tracewright live` on Windows, end to end: a program's events go through the model of ETW (recorder/) to the command,
 * which receives them in real time in the same process.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { windowsPath } from '../../scripts/windows/wine.mjs';
import { callsOf, type EtwCall } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const QUERY = 0;
const STOP = 1;
const FLUSH = 3;
const REAL_TIME = 0x100;
const EVENT_RECORD = 0x1000_0000;

interface Options {
  readonly fail?: readonly (readonly [operation: string, status: number])[];
  readonly left?: readonly string[];
  readonly session?: string;
  readonly events?: number;
  readonly room?: number;
  readonly ends?: 'session' | 'exit';
}

interface Shown {
  readonly provider: string;
  readonly name: string;
  readonly activityId?: string;
  readonly relatedActivityId?: string;
  readonly activityPath?: string;
  readonly timeSinceStart: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

async function live(args: readonly string[], options: Options = {}, status = 0) {
  const { stdout, stderr, calls } = await runProgram<undefined>('programs/live.mjs', {
    recorder: true,
    args: [JSON.stringify(options), ...args],
    status,
  });
  const lines = stderr.trimEnd().split(/\r?\n/);
  return { printed: stdout.trimEnd().split(/\r?\n/), lines, calls };
}

const wide = (hex: string | null | undefined) => Buffer.from(hex ?? '', 'hex').toString('utf16le');
const eventsIn = (printed: readonly string[]) => printed.map((line) => JSON.parse(line) as Shown);
const stopsIn = (calls: readonly EtwCall[]) =>
  callsOf(calls, 'controlTrace').filter(({ code, status }) => code === STOP && status === 0);
const numbers = (events: readonly Shown[]) =>
  events.filter(({ name }) => name === 'Step').map(({ payload }) => payload.number);
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, number) => number);

describe.skipIf(skipReason !== undefined)(suiteName('live'), { timeout: 90_000 }, () => {
  it('shows the events of a session of its own, in order, with fields and activities', async () => {
    const args = ['--provider', 'Live', '--provider', 'LiveManifest', '--json'];
    const { printed, lines, calls } = await live(args, { events: 300 });
    const [manifest, ...events] = eventsIn(printed);
    expect(manifest?.name).toBe('ManifestData');
    expect(lines).toEqual(['Showed 307 events, none lost.']);
    expect(numbers(events)).toEqual(upTo(300));
    const [request, , query, told] = events;
    expect(
      events.slice(0, 6).map(({ name, activityPath, payload }) => [name, activityPath, payload]),
    ).toEqual([
      ['RequestStart', '//1/1', { url: '/ä' }],
      ['Step', '//1/1', { number: 0 }],
      ['QueryStart', '//1/1/1', { text: 'select' }],
      ['Told', '//1/1/1', { text: 'in it' }],
      ['QueryStop', '//1/1/1', {}],
      ['RequestStop', '//1/1', { success: true, errorMessage: '' }],
    ]);
    expect(told?.provider).toBe('LiveManifest');
    expect(query?.relatedActivityId).toBe(request?.activityId);
    const times = events.map(({ timeSinceStart }) => Number(timeSinceStart));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(0);

    const [start] = callsOf(calls, 'startTrace');
    expect(start).toMatchObject({ mode: REAL_TIME, file: null, fileOffset: 0, flushTimer: 1, status: 0 });
    expect(wide(start?.name)).toMatch(/^tracewright-live-\d+$/);
    expect(callsOf(calls, 'openTrace')).toMatchObject([
      {
        name: start?.name,
        mode: REAL_TIME | EVENT_RECORD,
        hasFile: false,
        hasEventCallback: true,
        hasBufferCallback: true,
      },
    ]);
    const enabled = callsOf(calls, 'enableTrace').map(({ provider, level }) => [provider, level]);
    expect(enabled.slice(1)).toEqual(['Live', 'LiveManifest'].map((name) => [providerGuid(name), 255]));
    expect(callsOf(calls, 'controlTrace').some(({ code }) => code === FLUSH)).toBe(true);
    expect(stopsIn(calls)).toHaveLength(1);
    expect(callsOf(calls, 'processTraceDone').map(({ status }) => status)).toEqual([0]);
    expect(callsOf(calls, 'closeTrace')).toHaveLength(1);
  });

  it('shows or counts each event if they come too fast', async () => {
    const { printed, lines } = await live(['--provider', 'Live', '--event', 'Step', '--json'], {
      events: 300,
      room: 8000,
    });
    const shown = numbers(eventsIn(printed)).length;
    const [, lost] = /^Showed \d+ events, (\d+) lost because/.exec(lines.at(-1) ?? '') ?? [];
    expect(shown).toBeLessThan(301);
    // Besides steps: the start and stop of two activities.
    expect(shown + Number(lost)).toBeGreaterThanOrEqual(301);
    expect(shown + Number(lost)).toBeLessThanOrEqual(305);
  });

  it('shows the events of a session that another program has started, until that ends', async () => {
    const { printed, lines, calls } = await live(['--session', 'Ω', '--event', 'Step', '--json'], {
      session: 'Ω',
      events: 20,
      ends: 'session',
    });
    expect(numbers(eventsIn(printed))).toEqual(upTo(20));
    expect(lines).toEqual(['Showed 21 events, none lost.']);
    expect(callsOf(calls, 'startTrace')).toEqual([]);
    // It is asked what it has lost, and no more.
    expect(new Set(callsOf(calls, 'controlTrace').map(({ code }) => code))).toEqual(new Set([QUERY]));
  });

  it('ends the sessions of those that were killed, and no others', async () => {
    const left = [
      'tracewright-live-99999996',
      'tracewright-live-99999996-2',
      'tracewright-live-x',
      'tracewright',
    ];
    const { lines, calls } = await live(['--provider', 'Live', '--event', 'Step', '--json'], {
      left,
      events: 1,
    });
    expect(lines).toEqual([
      'Ended the ETW session tracewright-live-99999996 of an earlier "live" that was killed.',
      'Ended the ETW session tracewright-live-99999996-2 of an earlier "live" that was killed.',
      'Showed 2 events, none lost.',
    ]);
    expect(stopsIn(calls)).toHaveLength(3);
  });

  it('ends its session if its program exits early', async () => {
    const { calls } = await live(['--provider', 'Live'], { ends: 'exit' }, 3);
    expect(stopsIn(calls)).toHaveLength(1);
  });

  it.each([
    ['startTrace', 5, /^Access denied \(Win32 error 5\): this user may not record with ETW, which needs/],
    [
      'openTrace',
      5,
      /^This user may not receive the events of the ETW session tracewright-live-\d+ \(Win32 error 5\)/,
    ],
    ['processTrace', 4201, /^No ETW session named tracewright-live-\d+ is running in real-time mode/],
  ])('says in a sentence why %s failed with %i', async (operation, status, sentence) => {
    const { lines, calls } = await live(['--provider', 'Live'], { fail: [[operation, status]] }, 1);
    expect(lines[0]?.replace(/^tracewright: /, '')).toMatch(sentence);
    const started = callsOf(calls, 'startTrace').filter((call) => call.status === 0);
    expect(stopsIn(calls)).toHaveLength(started.length);
  });
});

describe.skipIf(skipReason !== undefined)(suiteName('the events of a session'), { timeout: 90_000 }, () => {
  it('are for several consumers, each of which may end at any time', async () => {
    const { result, stderr, calls } = await runProgram('programs/live-consumers.mjs', {
      recorder: true,
      // RxJS is not part of the package.
      env: { NODE_PATH: windowsPath(fileURLToPath(new URL('../../node_modules', import.meta.url))) },
    });
    expect(result).toEqual({
      // The model's ProcessTrace goes on until the session has something to say, which is later
      closingMs: expect.closeTo(0, -3),
      numbers: upTo(100).slice(1),
      events: 100,
      exitCode: 1,
      slow: [50, 50],
      refusal: 'No ETW session named None is running in real-time mode (Win32 error 4201).',
    });
    expect(stderr).toBe('');
    const opened = callsOf(calls, 'openTrace').map(({ trace }) => trace);
    expect(opened).toHaveLength(6);
    expect(
      callsOf(calls, 'closeTrace')
        .map(({ trace }) => trace)
        .sort(),
    ).toEqual([...opened].sort());
    const ended = callsOf(calls, 'processTraceDone').map(({ trace }) => trace);
    // The one that gave up may have been closed before ProcessTrace was called
    expect(ended.length).toBeGreaterThanOrEqual(5);
    expect(ended.sort()).toEqual(
      callsOf(calls, 'processTrace')
        .map(({ trace }) => trace)
        .sort(),
    );
  });
});
