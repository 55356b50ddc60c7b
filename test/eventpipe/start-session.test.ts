/** Sessions: what is written is read back, and satisfies the rules of the format. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  event,
  Level,
  listen,
  type SessionOptions,
  type SourceCommand,
  startSession,
} from '../../lib/index.ts';
import { readSession } from './session-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-'));
afterAll(() => rmSync(folder, { recursive: true }));

const log = defineEventSource('Session-Test', {
  RequestStart: event({ url: 'string' }, { message: 'Asked for {0}' }),
  RequestStop: event({ ok: 'bool' }),
  Loud: event({ n: 'int32' }, { level: Level.Error, keywords: 0x2n, version: 3 }),
  Plain: event({ n: 'int32' }),
  Everything: event({
    small: 'int8',
    big: 'uint64',
    hex: 'hex32',
    real: 'double',
    text: 'string',
    json: 'json',
    bytes: 'binary',
    guid: 'guid',
    time: 'time',
    address: 'ipAddress',
    port: 'port',
    none: 'int32?',
    some: 'int32?',
    noAddress: 'ipAddress?',
    names: 'string[]',
    user: { name: 'string', age: 'uint8' },
    points: [{ x: 'float', y: 'float' }],
  }),
});
const other = defineEventSource('Session-Test-Other', { Ping: event() });

let number = 0;
const newPath = () => join(folder, `${++number}.nettrace`);

/** Runs the work in a session, and reads what it has written. */
async function recorded(work: () => unknown, options: Partial<SessionOptions> = {}) {
  const output = newPath();
  const session = startSession({ providers: 'Session-Test', output, ...options });
  await work();
  const result = await session.close();
  const bytes = readFileSync(output);
  expect(result.bytes).toBe(bytes.length);
  return { result, ...(await readSession(bytes)) };
}

describe('a provider whose name is requested in another case', () => {
  const warned = async (providers: string, define: () => void): Promise<string[]> => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    await recorded(define, { providers });
    // Warnings come in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    return warnings;
  };

  it('is named in a warning, once, when it is there or when it is defined', async () => {
    expect(await warned('SESSION-TEST', () => {})).toEqual([
      'There is no SESSION-TEST: names of providers are case-sensitive, and this one is Session-Test. A session requests it in vain.',
    ]);
    expect(await warned('SESSION-TEST', () => {})).toEqual([]);
    const define = () => defineEventSource('Session-Later', { Ping: event() });
    expect(await warned('session-later', define)).toEqual([
      expect.stringMatching(/this one is Session-Later\. /),
    ]);
  });

  it('is not named if there is one with the requested name as well, or if all are requested', async () => {
    defineEventSource('session-test-other', { Ping: event() });
    expect(await warned('Session-Test-Other', () => {})).toEqual([]);
    expect(await warned('*,session-TEST', () => {})).toEqual([]);
  });
});

const numbersOf = ({ events }: Awaited<ReturnType<typeof recorded>>) =>
  events.map(({ payload }) => Number(payload.n));

describe.each([6, 4] as const)('a session that writes version %i', (nettraceVersion) => {
  it('contains the events of its time, in order, each kind described once', async () => {
    log.Plain({ n: 0 });
    const before = BigInt(Date.now() - 5000) * 1_000_000n;
    const trace = await recorded(
      () => {
        for (let n = 1; n <= 1000; n++) log.Plain({ n });
        log.Loud({ n: 1001 });
      },
      { nettraceVersion },
    );
    log.Plain({ n: -1 });
    expect(numbersOf(trace)).toEqual(Array.from({ length: 1001 }, (_, i) => i + 1));
    expect(trace.checked).toMatchObject({ version: nettraceVersion, metadata: 2, threads: 1, dropped: 0 });
    expect(trace.result).toMatchObject({ events: 1001, dropped: 0, problem: undefined });
    const [first] = trace.events;
    const last = trace.events.at(-1);
    expect(first).toMatchObject({ provider: 'Session-Test', providerGuid: log.guid, name: 'Plain', id: 4 });
    expect(last).toMatchObject({ name: 'Loud', level: 2, keywords: 2n, version: 3, processId: process.pid });
    expect(first?.timestamp).toBeGreaterThan(before);
    expect(first?.timeSinceStart).toBeGreaterThanOrEqual(0n);
    expect(trace.trace.lostEvents).toBe(0);
  });

  it('contains fields of every type', async () => {
    const time = new Date('2026-11-21T12:30:15.250Z');
    const guid = '01020304-0506-0708-090a-0b0c0d0e0f10';
    const payload = {
      small: -5,
      big: 2n ** 64n - 1n,
      hex: 0xff,
      real: 1.5,
      text: 'żółw',
      json: { a: [1] },
      bytes: Uint8Array.of(1, 2),
      guid,
      time,
      address: '::1',
      port: 443,
      none: null,
      some: 7,
      noAddress: null,
      names: ['a', 'b'],
      user: { name: 'u', age: 3 },
      points: [{ x: 1, y: 2 }],
    };
    const { events } = await recorded(() => log.Everything(payload), { nettraceVersion });
    expect(events[0]?.payloadProblem).toBeUndefined();
    expect(events[0]?.payload).toMatchObject({
      small: -5,
      big: 2n ** 64n - 1n,
      hex: 0xff,
      real: 1.5,
      text: 'żółw',
      json: '{"a":[1]}',
      bytes: Uint8Array.of(1, 2),
      guid,
      address: '::1',
      port: 443,
      none: { HasValue: false, Value: 0 },
      some: { HasValue: true, Value: 7 },
      noAddress: { HasValue: false, Value: '' },
      names: ['a', 'b'],
      user: { name: 'u', age: 3 },
      points: [{ x: 1, y: 2 }],
    });
    // A FILETIME: units of 100 ns since 1601.
    expect(events[0]?.payload.time).toBe((BigInt(time.getTime()) + 11_644_473_600_000n) * 10_000n);
  });

  it('contains activities, and where they were started', async () => {
    const { events } = await recorded(
      () => {
        log.activity('Request', { url: '/a' }, { stop: () => ({ ok: true }) }, () => {
          log.Plain({ n: 1 });
          log.activity('Request', { url: '/b' }, { stop: () => ({ ok: true }) }, () => log.Plain({ n: 2 }));
        });
        log.Plain({ n: 3 });
      },
      { nettraceVersion },
    );
    const [outer, inOuter] = events;
    expect(events.map(({ name }) => name).join()).toContain('Start');
    expect(outer?.activityPath).toMatch(/^\/\/1\/\d+$/);
    expect(inOuter?.activityId).toBe(outer?.activityId);
    expect(outer?.relatedActivityId).toBeUndefined();
    expect(events.at(-1)?.activityId).toBeUndefined();
  });

  it('distinguishes self-describing events', async () => {
    const { events, checked } = await recorded(
      () => {
        for (let i = 0; i < 3; i++) {
          log.write('One', { i });
          log.write('Two', { text: 'x' });
        }
      },
      { nettraceVersion },
    );
    expect(checked.metadata).toBe(2);
    expect(new Set(events.map(({ id, name }) => `${id} ${name}`)).size).toBe(2);
    expect(events.map(({ name }) => name)).toEqual(['One', 'Two', 'One', 'Two', 'One', 'Two']);
    expect(events[3]?.payload).toMatchObject({ text: 'x' });
  });

  it('says how many events are missing because it had no room', async () => {
    const trace = await recorded(
      () => {
        for (let n = 1; n <= 20_000; n++) log.Plain({ n });
      },
      { nettraceVersion, maxBufferBytes: 0.05 * 2 ** 20 },
    );
    const { events, dropped } = trace.result;
    expect(dropped).toBeGreaterThan(0);
    expect(events + dropped).toBe(20_000);
    expect(trace.events.length).toBe(events);
    expect(trace.checked.dropped).toBe(dropped);
    expect(trace.trace.lostEvents).toBe(dropped);
  });

  it('identifies its process, if its end is to do so', async () => {
    const { events, trace, result } = await recorded(() => log.Plain({ n: 1 }), {
      nettraceVersion,
      rundown: true,
    });
    const [, info] = events;
    expect(events.length).toBe(2);
    expect(result.events).toBe(1);
    expect(info).toMatchObject({ provider: 'Microsoft-DotNETCore-EventPipe', name: 'ProcessInfo', id: 1 });
    expect(String(info?.payload.CommandLine)).toContain(process.argv[1]);
    expect(info?.payload.ArchInformation).toBe(process.arch);
    expect(trace.processNames.get(process.pid)).toBe(basename(process.argv[1] ?? ''));
  });

  it('loses none if writing waits', async () => {
    const trace = await recorded(
      async () => {
        for (let n = 1; n <= 20_000; n++) log.Plain({ n });
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (let n = 20_001; n <= 40_000; n++) log.Plain({ n });
      },
      { nettraceVersion, maxBufferBytes: 0.05 * 2 ** 20, mode: 'block' },
    );
    expect(numbersOf(trace)).toEqual(Array.from({ length: 40_000 }, (_, i) => i + 1));
    expect(trace.result.dropped).toBe(0);
  });
});

describe('a session', () => {
  it('contains only what it requests', async () => {
    const work = () => {
      log.Plain({ n: 1 });
      log.Loud({ n: 2 });
      other.Ping();
    };
    expect(numbersOf(await recorded(work, { providers: 'Session-Test:2:2' }))).toEqual([2]);
    // EventPipe: keywords of 0 are those of events without keywords.
    expect(numbersOf(await recorded(work, { providers: 'Session-Test:0:5' }))).toEqual([1]);
    await recorded(() => expect([log.Plain.enabled, log.Loud.enabled]).toEqual([true, false]), {
      providers: 'Session-Test:0:5',
    });
    const all = await recorded(work, {
      providers: [{ name: 'Session-Test', level: 2 }, { name: 'Session-Test-Other' }],
    });
    expect(all.events.map(({ name }) => name)).toEqual(['Loud', 'Ping']);
    expect((await recorded(work, { providers: '*' })).events.length).toBe(3);
  });

  it('contains what any of its requests selects, and not what only their sum would', async () => {
    const leveled = defineEventSource('Session-Test-Levels', {
      Asked: event({}, { level: 6, keywords: 0x1n }),
      Unasked: event({}, { level: 6, keywords: 0x2n }),
      Usual: event({}, { keywords: 0x2n }),
    });
    const work = () => {
      leveled.Asked();
      leveled.Unasked();
      leveled.Usual();
    };
    const namesOf = async (providers: string) =>
      (await recorded(work, { providers })).events.map(({ name }) => name);
    expect(await namesOf('*,Session-Test-Levels:1:0')).toEqual(['Asked', 'Usual']);
    expect(await namesOf('Session-Test-Levels:2:4,Session-Test-Levels:1:0')).toEqual(['Asked', 'Usual']);
    expect(await namesOf('Session-Test-Levels:3:0')).toEqual(['Asked', 'Unasked', 'Usual']);
  });

  it('receives providers that are defined later, and sends its arguments', async () => {
    const commands: SourceCommand[] = [];
    const { events } = await recorded(
      () => {
        const late = defineEventSource('Session-Test-Late', { Ping: event() });
        late.onCommand((command) => commands.push(command));
        late.Ping();
      },
      { providers: 'Session-Test-Late:1:4:a=b;c=d' },
    );
    expect(events.map(({ provider }) => provider)).toEqual(['Session-Test-Late']);
    expect(commands.map(({ kind }) => kind)).toEqual(['enable', 'disable']);
    expect(commands[0]).toMatchObject({ level: 4, anyKeyword: 1n, arguments: { a: 'b', c: 'd' } });
  });

  it('keeps the order of events that are written while another one is', async () => {
    const listener = listen(log, ({ payload }) => void (payload.n === 1 && log.Plain({ n: 2 })));
    const nested = {
      get n() {
        log.Loud({ n: 4 });
        return 3;
      },
    };
    const trace = await recorded(() => {
      log.Plain({ n: 1 });
      log.Plain(nested);
    });
    listener.close();
    const times = trace.events.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    expect(numbersOf(trace)).toContain(2);
    expect(numbersOf(trace)).toContain(3);
    expect(numbersOf(trace)).toContain(4);
  });

  it('counts an event that is too large or cannot be read', async () => {
    let asked = 0;
    const fails = {
      get n(): number {
        if (asked++ > 0) throw new Error('no');
        return 1;
      },
    };
    const trace = await recorded(() => {
      log.RequestStart({ url: 'x'.repeat(40_000) });
      // Otherwise later sessions would begin with it, as an open activity.
      log.RequestStop({ ok: false });
      log.Plain(fails);
      log.Plain({ n: 2 });
    });
    expect(trace.result).toMatchObject({ events: 2, dropped: 2 });
    expect(trace.checked.dropped).toBe(2);
  });

  it('counts an event whose writing is terminated, and so does its trace', async () => {
    let asked = 0;
    const endless = {
      get n(): number {
        // Checked first, and then encoded.
        if (asked++ > 0) for (;;);
        return 1;
      },
    };
    const trace = await recorded(() => {
      log.Plain({ n: 1 });
      const write = () => runInNewContext('write()', { write: () => log.Plain(endless) }, { timeout: 20 });
      expect(write).toThrow('timed out');
    });
    expect(trace.result).toMatchObject({ events: 1, dropped: 1 });
    expect([trace.checked.dropped, trace.trace.lostEvents]).toEqual([1, 1]);
  });

  it('can be one of several', async () => {
    const outer = await recorded(async () => {
      log.Plain({ n: 1 });
      const inner = await recorded(() => log.Plain({ n: 2 }));
      expect(numbersOf(inner)).toEqual([2]);
      log.Plain({ n: 3 });
    });
    expect(numbersOf(outer)).toEqual([1, 2, 3]);
  });

  it('writes what has arrived in the background, soon', async () => {
    const output = newPath();
    await using session = startSession({ providers: 'Session-Test', output });
    log.Plain({ n: 1 });
    const size = session.result.bytes;
    await vi.waitFor(() => {
      expect(session.result.bytes).toBeGreaterThan(size + 150);
      expect(statSync(output).size).toBe(session.result.bytes);
    });
  });
});

describe('names of keywords', () => {
  const events = { Paid: event({}, { keywords: 'money' }), Sent: event({}, { keywords: 'parcels' }) };

  it('select events of a source that is defined later', async () => {
    const { events: written } = await recorded(
      () => {
        const late = defineEventSource('Late-Keywords', events, { keywords: { money: 1n, parcels: 2n } });
        late.Paid();
        late.Sent();
        late.close();
      },
      { providers: [{ name: 'Late-Keywords', keywords: ['parcels'] }] },
    );
    expect(written.map(({ name }) => name)).toEqual(['Sent']);
  });

  it('that a later source lacks are warned of once, and select nothing', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const write = () => {
      const late = defineEventSource('Lacking', events, { keywords: { money: 1n, parcels: 2n } });
      late.Sent();
      late.close();
    };
    const providers = 'Lacking:oddly';
    expect((await recorded(write, { providers })).events).toEqual([]);
    expect((await recorded(write, { providers })).events).toEqual([]);
    expect(warn.mock.calls).toEqual([
      [
        'Lacking: the source does not define the keyword "oddly" (it has: money, parcels). A session requests it in vain.',
        'TracewrightWarning',
      ],
    ]);
    warn.mockRestore();
  });
});
