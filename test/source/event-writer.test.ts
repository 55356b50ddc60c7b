/** Which written events reach the kernel, and how the others are counted, with the reason. */
import { describe, expect, it, vi } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';
import type { WrittenEvent } from '../../lib/index.ts';
import { Listener } from '../../lib/listen/listener.ts';
import { BadValueError } from '../../lib/source/bad-value-error.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { RecordedEvent } from './recorded-event.ts';

const ACTIVITY = Guid.parse('00010203-0405-0607-0809-0a0b0c0d0e0f');
const RELATED = Guid.parse('10111213-1415-1617-1819-1a1b1c1d1e1f');
const NOTHING_DROPPED = { dropped: {}, tooLargeForFtrace: 0, badValues: 0 };

const noLinuxErrors = missingOnWindows('error numbers of a kernel');

/** Adds a listener to an event, as `listen` does, and gives what it will have heard. */
function heardBy(event: RecordedEvent): WrittenEvent[] {
  const heard: WrittenEvent[] = [];
  event.writer.audience.join(new Listener((written) => heard.push(written)));
  return heard;
}

describe('an event recorded by the kernel', () => {
  it('is registered as its tracepoint', () => {
    const event = new RecordedEvent({}, { level: 2, keywords: 0x10n });
    expect([...event.addon.definitions.values()]).toEqual([
      'Provider_L2K10 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level',
    ]);
  });

  it('carries everything in its definition', () => {
    const options = { name: 'Sale', level: 3, keywords: 0x8n, opcode: 9, tag: 0xbeef, id: 77, version: 5 };
    const event = new RecordedEvent({ item: 'string', price: 'double' }, options);
    event.write({ item: 'tea', price: 2.5 });
    expect(event.decoded).toMatchObject({
      provider: 'Provider',
      name: 'Sale',
      level: 3,
      keyword: 8n,
      opcode: 9,
      tag: 0xbeef,
      id: 77,
      version: 5,
      fields: [{ value: 'tea' }, { value: 2.5 }],
    });
    expect(event.decoded).not.toHaveProperty('activityId');
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 1 });
  });

  it('carries the ids with which it is written', () => {
    const event = new RecordedEvent({});
    event.write({}, ACTIVITY);
    expect(event.decoded.activityId).toBe(ACTIVITY.toString());
    expect(event.decoded.relatedActivityId).toBeUndefined();
    event.write({}, ACTIVITY, RELATED);
    expect(event.decoded.relatedActivityId).toBe(RELATED.toString());
  });

  it('carries an empty activity id if it has only a related one', () => {
    const event = new RecordedEvent({});
    event.write({}, undefined, RELATED);
    expect(event.decoded.activityId).toBe('00000000-0000-0000-0000-000000000000');
    expect(event.decoded.relatedActivityId).toBe(RELATED.toString());
  });

  it('carries explicit ids in place of its own', () => {
    const event = new RecordedEvent({});
    event.write({}, ACTIVITY, undefined, { activityId: RELATED.toString().toUpperCase() });
    expect(event.decoded.activityId).toBe(RELATED.toString());
    event.write({}, ACTIVITY, undefined, { relatedActivityId: RELATED.toString() });
    expect(event.decoded).toMatchObject({
      activityId: ACTIVITY.toString(),
      relatedActivityId: RELATED.toString(),
    });
  });

  it('keeps its own id if the explicit one is not a GUID, which is counted and reported', () => {
    const event = new RecordedEvent({});
    for (const bad of ['request 7', 7, null, {}, Object.create(null)]) {
      event.write({}, ACTIVITY, undefined, { activityId: bad as string });
      expect(event.decoded.activityId).toBe(ACTIVITY.toString());
    }
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 5, badValues: 5 });
    expect(event.account.problems).toEqual(["Provider.Event: 'request 7' is not a GUID for activityId."]);
  });

  it('accepts null for options, as is common in JavaScript', () => {
    const event = new RecordedEvent({});
    event.write({}, ACTIVITY, undefined, null as never);
    expect(event.decoded.activityId).toBe(ACTIVITY.toString());
  });
});

describe('a payload', () => {
  it('can be a function, which is called once', () => {
    const event = new RecordedEvent({ n: 'uint8' });
    const make = vi.fn(() => ({ n: 7 }));
    event.write(make);
    expect(event.decoded.fields[0]?.value).toBe(7);
    expect(make).toHaveBeenCalledTimes(1);
  });

  it('can be omitted if there are no fields', () => {
    const event = new RecordedEvent({});
    for (const payload of [undefined, null, 'text', () => undefined]) event.write(payload as never);
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 4 });
  });

  it('that is missing lacks every field', () => {
    const event = new RecordedEvent({ a: 'uint8', b: 'string', c: 'uint8?' });
    event.write(undefined);
    expect(event.account.stats()).toMatchObject({ written: 1, badValues: 2 });
  });

  it.each([
    [
      'a function that throws',
      () => {
        throw new Error('no payload');
      },
      'Error: no payload',
    ],
    [
      'a getter that throws',
      {
        get n() {
          throw new Error('no n');
        },
      },
      'Error: no n',
    ],
    [
      'a function that throws what has no text',
      () => {
        throw Object.create(null);
      },
      '[Object: null prototype] {}',
    ],
    [
      'a proxy',
      new Proxy(
        {},
        {
          get() {
            throw new TypeError('trap');
          },
        },
      ),
      'TypeError: trap',
    ],
  ])('that is %s drops the event, which is counted and reported', (_, payload, text) => {
    const event = new RecordedEvent({ n: 'uint8' });
    expect(() => event.write(payload as never)).not.toThrow();
    expect(event.addon.events).toEqual([]);
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 0, dropped: { payloadThrew: 1 } });
    expect(event.account.problems).toEqual([`Provider.Event: reading the payload threw ${text}`]);
    // The next event is whole.
    event.write({ n: 3 });
    expect(event.decoded.fields[0]?.value).toBe(3);
  });

  it('that writes another event while it is read leaves both intact', () => {
    const outer = new RecordedEvent({ a: 'uint8', b: 'string', c: 'uint8' });
    const inner = new RecordedEvent({ text: 'string', n: 'uint8' });
    outer.write(
      {
        a: 1,
        get b() {
          inner.write({ text: 'x'.repeat(100), n: -1 }, ACTIVITY);
          return 'text';
        },
        c: 3,
      },
      RELATED,
    );
    expect(outer.decoded).toMatchObject({
      activityId: RELATED.toString(),
      fields: [{ value: 1 }, { value: 'text' }, { value: 3 }],
    });
    expect(inner.decoded).toMatchObject({
      activityId: ACTIVITY.toString(),
      fields: [{ value: 'x'.repeat(100) }, { value: 0 }],
    });
    expect(outer.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 1 });
    expect(inner.account.stats()).toMatchObject({ written: 1, badValues: 1 });
  });
});

describe('bad values', () => {
  it('are counted each time, and reported once per event', () => {
    const event = new RecordedEvent({ n: 'uint8', s: 'string' });
    event.write({ n: 256, s: 5 });
    event.write({ n: -1, s: '' });
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 2, badValues: 3 });
    expect(event.account.problems).toEqual([
      'Provider.Event: the field n is a uint8 and cannot hold 256 (and 1 more).',
    ]);
  });

  it('throw nothing and break nothing, however hostile', () => {
    const hostile = {
      get [Symbol.toStringTag](): string {
        throw new Error('tag');
      },
      toString() {
        throw new Error('text');
      },
      [Symbol.for('nodejs.util.inspect.custom')]() {
        throw new Error('inspect');
      },
    };
    const event = new RecordedEvent({ n: 'int32', s: 'string', b: 'bool', g: 'guid', i: 'ipAddress' });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const value of [hostile, proxy, Object.create(null), Symbol('s'), 1n]) {
      expect(() => event.write({ n: value, s: value, b: true, g: value, i: value })).not.toThrow();
    }
    expect(event.addon.events).toHaveLength(4);
    expect(event.account.problems.length).toBeGreaterThan(0);
  });

  it('throw with throwOnErrors, after the event has been written', () => {
    const event = new RecordedEvent({ n: 'uint8', at: [{ x: 'int8' }] }, { throwOnErrors: true });
    const heard = heardBy(event);
    const write = (payload: object) => () => event.write(payload as never);
    expect(write({ n: 1, at: [] })).not.toThrow();
    expect(write({ n: 'one', at: [] })).toThrow(BadValueError);
    expect(write({ n: 'one', at: [] })).toThrow(
      "Provider.Event: the field n is a uint8 and cannot hold 'one'.",
    );
    expect(write({ n: 1, at: [{ x: 1 }, { x: 128 }] })).toThrow(
      'Provider.Event: the field at[1].x is an int8 and cannot hold 128.',
    );
    expect(event.addon.events).toHaveLength(4);
    expect(heard).toHaveLength(4);
  });
});

describe('an oversized event', () => {
  // Header 8, head 4, "Event" and NUL 6, "b", NUL and type 3, length 2.
  const FIXED = 23;

  it('for perf is dropped and counted, from 8185 bytes on', () => {
    const event = new RecordedEvent({ b: 'binary' });
    event.write({ b: new Uint8Array(8184 - FIXED) });
    expect(event.bytes).toHaveLength(8184);
    event.write({ b: new Uint8Array(8185 - FIXED) });
    expect(event.addon.events).toHaveLength(1);
    expect(event.account.stats()).toMatchObject({ written: 1, dropped: { tooLarge: 1 }, badValues: 0 });
    expect(event.account.problems).toEqual([
      'Provider.Event: an event of 8185 bytes was dropped; perf accepts 8184, ftrace 4064.',
    ]);
  });

  it('only for ftrace is written and counted, from 4065 bytes on', () => {
    const event = new RecordedEvent({ b: 'binary' });
    event.write({ b: new Uint8Array(4064 - FIXED) });
    expect(event.account.stats()).toMatchObject({ written: 1, tooLargeForFtrace: 0 });
    event.write({ b: new Uint8Array(4065 - FIXED) });
    expect(event.account.stats()).toMatchObject({ written: 2, tooLargeForFtrace: 1, dropped: {} });
  });

  it('for any tracer is dropped and counted', () => {
    const event = new RecordedEvent({ b: 'string' });
    event.write({ b: 'x'.repeat(1_000_000) });
    expect(event.addon.events).toEqual([]);
    expect(event.account.stats()).toMatchObject({ written: 0, dropped: { tooLarge: 1 } });
    expect(event.account.problems).toEqual([
      'Provider.Event: an event of more than 65536 bytes was dropped; perf accepts 8184, ftrace 4064.',
    ]);
  });

  it('reaches listeners completely, and is not counted while no kernel records', () => {
    const event = new RecordedEvent({ b: 'string' });
    event.addon.record(false);
    const heard = heardBy(event);
    for (const length of [10_000, 100_000]) event.write({ b: 'x'.repeat(length) });
    expect(heard.map(({ payload }) => (payload.b as string).length)).toEqual([10_000, 100_000]);
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 0 });
  });
});

describe("the kernel's answer to a write", () => {
  it.each([
    ['nobodyListens', 1004],
    ['fileClosed', 1002],
    ['notRegistered', 1003],
    ['Unknown system error -4711', 4711],
  ])('is counted as %s', expectCounted);

  it.skipIf(noLinuxErrors !== undefined).each([
    ['EFAULT', 14],
    ['ENOMEM', 12],
  ])(named('is counted as %s', noLinuxErrors), expectCounted);

  function expectCounted(reason: string, error: number): void {
    const event = new RecordedEvent({});
    event.addon.writeError = error;
    event.write({});
    event.write({});
    expect(event.account.stats()).toEqual({ ...NOTHING_DROPPED, written: 0, dropped: { [reason]: 2 } });
  }
});

describe('whether somebody wants an event', () => {
  it('depends on whether the kernel records it or a listener listens', () => {
    const event = new RecordedEvent({});
    expect(event.writer.enabled).toBe(true);
    event.addon.record(false);
    expect(event.writer.enabled).toBe(false);
    const listener = new Listener(() => {});
    event.writer.audience.join(listener);
    expect(event.writer.enabled).toBe(true);
    event.addon.record(true);
    event.writer.audience.leave(listener);
    expect(event.writer.enabled).toBe(true);
    event.addon.record(false);
    expect(event.writer.enabled).toBe(false);
  });

  it('is answered separately for kernel and listeners', () => {
    const event = new RecordedEvent({ n: 'uint8' });
    event.addon.record(false);
    const heard = heardBy(event);
    event.write({ n: 1 });
    expect(event.addon.events).toEqual([]);
    expect(heard).toHaveLength(1);
  });
});

describe('problems', () => {
  it('are reported up to fifty times: a repetition only differs in numbers', () => {
    const event = new RecordedEvent({});
    for (let number = 0; number < 60; number++)
      event.account.tell(`kind ${number}`, () => `sentence ${number}`);
    expect(event.account.problems).toHaveLength(50);
  });
});
