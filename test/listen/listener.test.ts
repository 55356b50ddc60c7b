/** Listening inside the process: who receives which event, when, and what a handler may do. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  type EventHandler,
  event,
  Level,
  type ListenerFilter,
  listen,
  Opcode,
  type Subscription,
  type WrittenEvent,
} from '../../lib/index.ts';

const source = defineEventSource(
  'Listener-Test',
  {
    Critical: event({ n: 'uint32' }, { level: Level.Critical, keywords: 0x1n }),
    Error: event({ n: 'uint32' }, { level: Level.Error, keywords: 0x2n }),
    Warning: event({ n: 'uint32' }, { level: Level.Warning, keywords: 0x3n }),
    Info: event({ n: 'uint32' }),
    Verbose: event({ n: 'uint32' }, { level: Level.Verbose, keywords: 1n << 47n }),
    Beyond: event({ n: 'uint32' }, { level: 255 }),
  },
  { keywords: { money: 0x1n, parcels: 0x2n, far: 1n << 47n } },
);

let subscriptions: Subscription[] = [];
const listenWith = (handler: EventHandler, filter?: ListenerFilter): Subscription => {
  const subscription = listen(source, handler, filter);
  subscriptions.push(subscription);
  return subscription;
};
afterEach(() => {
  for (const subscription of subscriptions) subscription.close();
  subscriptions = [];
});

function writeAll(): void {
  source.Critical({ n: 1 });
  source.Error({ n: 2 });
  source.Warning({ n: 3 });
  source.Info({ n: 4 });
  source.Verbose({ n: 5 });
  source.Beyond({ n: 255 });
}

/** The numbers of the events that a listener with the filter hears. */
function heardWith(filter?: ListenerFilter): unknown[] {
  const heard: unknown[] = [];
  const subscription = listenWith(({ payload }) => heard.push(payload.n), filter);
  writeAll();
  subscription.close();
  return heard;
}

describe('an event with a listener', () => {
  it('is delivered with everything in its definition, before the writing call returns', () => {
    const heard: WrittenEvent[] = [];
    listenWith((written) => heard.push(written));
    const payload = { n: 7 };
    source.Warning(payload);
    expect(heard).toEqual([
      {
        provider: 'Listener-Test',
        name: 'Warning',
        level: 3,
        keywords: 3n,
        opcode: Opcode.Info,
        id: 3,
        activityId: undefined,
        relatedActivityId: undefined,
        payload: { n: 7 },
        timestamp: expect.any(BigInt),
      },
    ]);
    expect(heard[0]?.payload).toBe(payload);
  });

  it('has the payload created by a function, which is not called while nothing listens', () => {
    const heard: unknown[] = [];
    const make = vi.fn(() => ({ n: 8 }));
    source.Info(make);
    expect(make).not.toHaveBeenCalled();
    listenWith(({ payload }) => heard.push(payload));
    source.Info(make);
    expect(make).toHaveBeenCalledTimes(1);
    expect(heard).toEqual([{ n: 8 }]);
  });

  it('has the time in nanoseconds, near that of the clock and never before an earlier one', () => {
    const times: bigint[] = [];
    listenWith(({ timestamp }) => times.push(timestamp));
    const before = BigInt(Date.now()) * 1_000_000n;
    for (let n = 0; n < 1000; n++) source.Info({ n });
    const distance = Number((times[0] ?? 0n) - before) / 1e6;
    expect(Math.abs(distance)).toBeLessThan(1000);
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('cannot be modified for others if it was written without a payload', () => {
    const heard: unknown[] = [];
    const bare = defineEventSource('Listener-Test-Bare', { Ping: event() });
    const first = listen(bare, ({ payload }) => {
      Reflect.set(payload, 'mine', 1);
    });
    const second = listen(bare, ({ payload }) => heard.push({ ...payload }));
    bare.Ping();
    first.close();
    second.close();
    expect(heard).toEqual([{}]);
  });
});

describe('a filter', () => {
  it('passes everything if absent, or if it requests 0', () => {
    expect(heardWith()).toEqual([1, 2, 3, 4, 5, 255]);
    expect(heardWith({})).toEqual([1, 2, 3, 4, 5, 255]);
    expect(heardWith({ level: 0, keywords: 0n })).toEqual([1, 2, 3, 4, 5, 255]);
  });

  it('passes a level and the more severe ones', () => {
    expect(heardWith({ level: Level.Critical })).toEqual([1]);
    expect(heardWith({ level: Level.Warning })).toEqual([1, 2, 3]);
    expect(heardWith({ level: Level.Verbose })).toEqual([1, 2, 3, 4, 5]);
    expect(heardWith({ level: 255 })).toEqual([1, 2, 3, 4, 5, 255]);
  });

  it('passes events with any of its keywords, and those without keywords', () => {
    expect(heardWith({ keywords: 0x1n })).toEqual([1, 3, 4, 255]);
    expect(heardWith({ keywords: 0x2n })).toEqual([2, 3, 4, 255]);
    expect(heardWith({ keywords: 0x4n })).toEqual([4, 255]);
    expect(heardWith({ keywords: 1n << 47n })).toEqual([4, 5, 255]);
    expect(heardWith({ keywords: 0xffff_ffff_ffff_ffffn })).toEqual([1, 2, 3, 4, 5, 255]);
  });

  it('takes keywords by the names that the source has for them', () => {
    expect(heardWith({ keywords: 'money' })).toEqual([1, 3, 4, 255]);
    expect(heardWith({ keywords: ['parcels', 'far'] })).toEqual([2, 3, 4, 5, 255]);
    expect(() => listenWith(() => {}, { keywords: ['money', 'parcel'] })).toThrow(
      new RangeError(
        'Listener-Test: the source does not define the keyword "parcel" (it has: money, parcels, far).',
      ),
    );
    expect(source.isEnabled()).toBe(false);
  });

  it('passes what matches both level and keywords', () => {
    expect(heardWith({ level: Level.Error, keywords: 0x2n })).toEqual([2]);
  });

  it('enables exactly the events that pass', () => {
    listenWith(() => {}, { level: Level.Error });
    expect(source.Critical.enabled).toBe(true);
    expect(source.Warning.enabled).toBe(false);
  });
});

describe('several listeners', () => {
  it('are called in the order in which they were added, each with its own filter', () => {
    const heard: string[] = [];
    listenWith(({ name }) => heard.push(`first ${name}`), { level: Level.Error });
    listenWith(({ name }) => heard.push(`second ${name}`));
    source.Error({ n: 1 });
    source.Info({ n: 1 });
    expect(heard).toEqual(['first Error', 'second Error', 'second Info']);
  });

  it('keep each other enabled when one leaves', () => {
    const first = listenWith(() => {});
    const second = listenWith(() => {});
    first.close();
    expect(source.Info.enabled).toBe(true);
    first.close();
    expect(source.Info.enabled).toBe(true);
    second.close();
    expect(source.Info.enabled).toBe(false);
  });
});

describe('a subscription', () => {
  it('ends with close, or with the block that owns it', () => {
    const handler = vi.fn();
    const subscription = listenWith(handler);
    subscription[Symbol.dispose]();
    source.Info({ n: 1 });
    expect(handler).not.toHaveBeenCalled();
    expect(source.Info.enabled).toBe(false);
  });

  it('may be closed by its own handler', () => {
    const subscription = listenWith(() => {
      heard++;
      subscription.close();
    });
    let heard = 0;
    source.Info({ n: 1 });
    source.Info({ n: 2 });
    expect(heard).toBe(1);
  });

  it('closed by another handler receives nothing more, not even the current event', () => {
    const late = vi.fn();
    const listeners: Subscription[] = [];
    listenWith(() => listeners[0]?.close());
    listeners.push(listenWith(late));
    source.Info({ n: 1 });
    expect(late).not.toHaveBeenCalled();
  });

  it('opened by a handler receives events from the next one on', () => {
    const late = vi.fn();
    const first = listenWith(() => {
      first.close();
      listenWith(late);
    });
    source.Info({ n: 1 });
    expect(late).not.toHaveBeenCalled();
    source.Info({ n: 2 });
    expect(late).toHaveBeenCalledTimes(1);
  });
});

describe('a handler that throws', () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  beforeEach(() => {
    warnings.length = 0;
    process.on('warning', onWarning);
  });
  afterEach(() => {
    process.off('warning', onWarning);
  });
  const warned = () => new Promise((resolve) => setImmediate(resolve));

  it('affects neither the writer nor others; it is counted, and reported once', async () => {
    const other = vi.fn();
    const subscription = listenWith(() => {
      throw new Error('handler broke');
    });
    listenWith(other);
    for (let n = 0; n < 3; n++) expect(() => source.Info({ n })).not.toThrow();
    expect(subscription.failures).toBe(3);
    expect(other).toHaveBeenCalledTimes(3);
    await warned();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^TracewrightWarning: A listener of Listener-Test threw on the event Info: Error: handler broke\n\s+at /,
    );
  });

  const hostileError = new Error('x');
  Object.defineProperty(hostileError, 'stack', {
    get() {
      throw new Error('stack');
    },
  });
  it.each([
    ['undefined', undefined, 'undefined'],
    ['text', 'text', 'text'],
    ['an object that has no text', Object.create(null), '[Object: null prototype] {}'],
    ['an error whose stack throws', hostileError, 'Error: x'],
  ])('may throw %s', async (_, thrown, text) => {
    const subscription = listenWith(() => {
      throw thrown;
    });
    expect(() => source.Info({ n: 1 })).not.toThrow();
    expect(subscription.failures).toBe(1);
    await warned();
    expect(warnings).toEqual([
      `TracewrightWarning: A listener of Listener-Test threw on the event Info: ${text}`,
    ]);
  });
});

describe('a handler that writes', () => {
  it('is not called inside its own call; what it missed is counted', () => {
    const heard: unknown[] = [];
    const subscription = listenWith(({ payload }) => {
      heard.push(payload.n);
      source.Warning({ n: 100 });
    });
    source.Info({ n: 1 });
    source.Info({ n: 2 });
    expect(heard).toEqual([1, 2]);
    expect(subscription.skipped).toBe(2);
  });

  it('reaches other listeners', () => {
    const heard: unknown[] = [];
    listenWith(({ payload }) => {
      if (payload.n === 1) source.Warning({ n: 100 });
    });
    listenWith(({ payload }) => heard.push(payload.n));
    source.Info({ n: 1 });
    expect(heard).toContain(1);
    expect(heard).toContain(100);
    expect(heard).toHaveLength(2);
  });
});
