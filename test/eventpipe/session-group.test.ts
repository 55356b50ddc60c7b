/** Sessions with the same requests share the encoding of events; their traces are the same as if each were alone. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { defineEventSource, event, type SessionOptions, startSession } from '../../lib/index.ts';
import { readSession } from './session-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-group-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

const PROVIDER = 'Session-Group-Test';
const log = defineEventSource(PROVIDER, {
  Plain: event({ n: 'int32' }),
  Other: event({ n: 'int32' }),
  RequestStart: event({ n: 'int32' }),
  RequestStop: event({ success: 'bool' }),
});
const unreadable = {
  get n(): number {
    throw new Error('no');
  },
};
/** Can be read when it is checked, and not when it is encoded: it is lost by sessions. */
const lost = () => {
  let reads = 0;
  return {
    get n(): number {
      if (reads++ > 0) return unreadable.n;
      return 0;
    },
  };
};

let number = 0;
const record = (options: Partial<SessionOptions> = {}) => {
  const output = join(folder, `${++number}.nettrace`);
  const session = startSession({ providers: PROVIDER, output, ...options });
  const stop = async () => {
    const result = await session.close();
    return { result, ...(await readSession(readFileSync(output))) };
  };
  return { session, stop };
};
type Recorded = Awaited<ReturnType<ReturnType<typeof record>['stop']>>;

const numbersOf = ({ events }: Recorded) => events.map(({ payload }) => Number(payload.n));
const write = (from: number, to: number) => {
  for (let n = from; n <= to; n++) log.Plain({ n });
};
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** A stream that takes nothing until it is told to. */
function stoppedStream() {
  const pieces: Buffer[] = [];
  let go: (() => void) | undefined;
  let isOpen = false;
  const stream = new Writable({
    highWaterMark: 1 << 30,
    write(piece, _, done) {
      pieces.push(piece);
      if (isOpen) done();
      else go = done;
    },
  });
  const open = () => {
    isOpen = true;
    go?.();
  };
  return { stream, open, bytes: () => Buffer.concat(pieces) };
}

describe.each([6, 4] as const)('sessions with the same requests, of version %i,', (nettraceVersion) => {
  it('begin with the activities that are open, and their ages', async () => {
    const first = record({ nettraceVersion });
    const handle = log.RequestStart({ n: 17 });
    const second = record({ nettraceVersion });
    handle.stop();
    const { events } = await second.stop();
    expect(events.map(({ name, activityId, payload }) => ({ name, activityId, payload }))).toEqual([
      {
        name: 'RequestDCStart',
        activityId: handle.id,
        payload: { n: 17, startedAgoMSec: expect.toSatisfy((age: number) => age >= 0 && age < 60_000) },
      },
      { name: 'RequestStop', activityId: handle.id, payload: { success: false } },
    ]);
    await first.stop();
  });

  it('each contain the events of their own time', async () => {
    const first = record({ nettraceVersion });
    write(1, 3);
    const second = record({ nettraceVersion });
    write(4, 6);
    log.Other({ n: 7 });
    const third = record({ nettraceVersion });
    write(8, 9);
    const traces = [await first.stop()];
    log.Other({ n: 10 });
    traces.push(await third.stop());
    const alone = record({ nettraceVersion });
    write(11, 11);
    traces.push(await alone.stop());
    write(12, 13);
    traces.push(await second.stop());
    expect(traces.map(numbersOf)).toEqual([range(1, 9), range(8, 10), [11], range(4, 13)]);
    for (const { checked, trace, result, events } of traces) {
      expect({ lost: trace.lostEvents, dropped: checked.dropped }).toEqual({ lost: 0, dropped: 0 });
      expect(result).toMatchObject({ events: events.length, dropped: 0, problem: undefined });
    }
  });

  it('know the activities that began before them', async () => {
    const first = record({ nettraceVersion });
    const second = log.activity('Request', { n: 1 }, () => {
      log.Plain({ n: 2 });
      const inside = record({ nettraceVersion });
      log.Plain({ n: 3 });
      return inside;
    });
    const [whole, part] = [await first.stop(), await second.stop()];
    const id = whole.events[0]?.activityId;
    expect(id).toBeDefined();
    expect(part.events.map(({ name, activityId }) => [name, activityId])).toEqual([
      ['RequestDCStart', id],
      ['Plain', id],
      ['RequestStop', id],
    ]);
  });

  it('report the losses of their own time', async () => {
    const first = record({ nettraceVersion });
    log.Plain(lost());
    const second = record({ nettraceVersion });
    log.Plain(lost());
    log.Plain(lost());
    write(1, 2);
    log.Plain(lost());
    const traces = [await first.stop(), await second.stop()];
    expect(traces.map(numbersOf)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(
      traces.map(({ result, checked, trace }) => [result.dropped, checked.dropped, trace.lostEvents]),
    ).toEqual([
      [4, 4, 4],
      [3, 3, 3],
    ]);
  });

  it('report losses even without any event', async () => {
    const first = record({ nettraceVersion });
    write(1, 1);
    const second = record({ nettraceVersion });
    log.Plain(lost());
    const traces = [await first.stop(), await second.stop()];
    expect(traces.map(({ checked, trace }) => [checked.dropped, trace.lostEvents])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('do not wait for each other: one whose output accepts nothing loses events, and reports them', async () => {
    const stopped = stoppedStream();
    const options = { nettraceVersion, maxBufferBytes: 0.1 * 2 ** 20 } as const;
    const slow = record({ ...options, output: stopped.stream });
    // A file may be slow on a busy machine.
    const flowing = stoppedStream();
    flowing.open();
    const fast = record({ ...options, output: flowing.stream });
    let n = 0;
    while (slow.session.result.dropped === 0) {
      for (let i = 0; i < 100; i++) log.Plain({ n: n++ });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(stopped.stream.writableLength).toBeLessThan(0.2e6);
    stopped.open();
    await vi.waitFor(() => expect(stopped.stream.writableLength).toBe(0));
    write(n, n + 9);
    const { result: ofSlow } = { result: await slow.session.close() };
    const ofFast = await fast.session.close();
    const { events, checked } = await readSession(stopped.bytes());
    expect(ofSlow.events + ofSlow.dropped).toBe(n + 10);
    expect({ events: events.length, dropped: checked.dropped }).toEqual({
      events: ofSlow.events,
      dropped: ofSlow.dropped,
    });
    expect(events.at(-1)?.payload.n).toBe(n + 9);
    expect(ofFast.events + ofFast.dropped).toBe(n + 10);
    expect((await readSession(flowing.bytes())).checked.dropped).toBe(ofFast.dropped);
    expect(ofFast.events).toBeGreaterThan(ofSlow.events);
  });

  it('name their process at their own ends', async () => {
    const options = { nettraceVersion, rundown: true };
    const first = record(options);
    write(1, 1);
    const second = record(options);
    const ofFirst = await first.stop();
    write(2, 2);
    const ofSecond = await second.stop();
    const namesOf = ({ events }: Recorded) => events.map(({ name }) => name);
    expect(namesOf(ofFirst)).toEqual(['Plain', 'ProcessInfo']);
    expect(namesOf(ofSecond)).toEqual(['Plain', 'ProcessInfo']);
    expect([ofFirst.checked.dropped, ofSecond.checked.dropped]).toEqual([0, 0]);
  });
});

describe('sessions with the same requests', () => {
  it('encode an event once for all of them', async () => {
    const readsWith = async (count: number) => {
      const sessions = Array.from({ length: count }, () => record());
      let reads = 0;
      const counted = {
        get n() {
          return ++reads;
        },
      };
      log.Plain(counted);
      for (const { stop } of sessions) expect((await stop()).events.length).toBe(1);
      return reads;
    };
    expect(await readsWith(8)).toBe(await readsWith(1));
  });

  it('continue if one of them fails', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const failing = startSession({
      providers: PROVIDER,
      output: new Writable({ write: (_, __, done) => done(new Error('gone')) }),
    });
    const sound = record();
    write(1, 2);
    await vi.waitFor(() => expect(failing.result.problem).toContain('gone'));
    write(3, 4);
    expect(numbersOf(await sound.stop())).toEqual([1, 2, 3, 4]);
    expect((await failing.close()).problem).toContain('gone');
    expect(warned).toHaveBeenCalledTimes(1);
    expect(log.Plain.enabled).toBe(false);
  });

  it('are reported to the source one by one', async () => {
    const heard: string[] = [];
    const source = defineEventSource('Session-Group-Commands', { Told: event({ who: 'string' }) });
    source.onCommand(({ kind }) => {
      heard.push(kind);
      if (kind === 'enable') source.Told({ who: 'everybody' });
    });
    const first = record({ providers: source.name });
    const second = record({ providers: source.name });
    expect(heard).toEqual(['enable', 'enable']);
    const ofFirst = await first.stop();
    expect(heard).toEqual(['enable', 'enable', 'disable']);
    expect(source.Told.enabled).toBe(true);
    const ofSecond = await second.stop();
    expect(heard).toEqual(['enable', 'enable', 'disable', 'disable']);
    expect([ofFirst.events.length, ofSecond.events.length]).toEqual([2, 1]);
  });

  it('are completed when the process exits', async () => {
    const program = join(import.meta.dirname, 'programs/exits.mjs');
    const file = join(folder, 'exits.nettrace');
    const { stdout } = spawnSync(process.execPath, [program, file, 'several'], { encoding: 'utf8' });
    const results = JSON.parse(stdout) as { events: number; dropped: number }[];
    expect(results).toMatchObject(Array.from({ length: 3 }, () => ({ events: 50_000, dropped: 2 })));
    for (const path of [file, `${file}-1`, `${file}-2`]) {
      expect((await readSession(readFileSync(path))).events.length).toBe(50_000);
    }
  });
});

describe('sessions with other requests', () => {
  const shop = defineEventSource(
    'Session-Group-Keywords',
    {
      Paid: event({ n: 'int32' }, { keywords: 'money' }),
      Sent: event({ n: 'int32' }, { keywords: 'parcels' }),
      Detail: event({ n: 'int32' }, { keywords: 'money', level: 6 }),
    },
    { keywords: { money: 0x1n, parcels: 0x2n } },
  );

  it.each([
    ['names of keywords', ['money', 'parcels'], [[1], [2]]],
    [
      'levels of their keywords',
      ['3:0', '1:4,Session-Group-Keywords:2:0'],
      [
        [1, 2, 3],
        [1, 2],
      ],
    ],
  ] as const)('each contain what they request: %s', async (_by, requests, expected) => {
    const sessions = requests.map((request) => record({ providers: `Session-Group-Keywords:${request}` }));
    shop.Paid({ n: 1 });
    shop.Sent({ n: 2 });
    shop.Detail({ n: 3 });
    const numbers = [];
    for (const { stop } of sessions) numbers.push(numbersOf(await stop()));
    expect(numbers).toEqual(expected);
  });
});
