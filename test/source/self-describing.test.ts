/** Self-describing events: their fields, their receivers, and those that cannot be described. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import {
  DefinitionError,
  defineEventSource,
  event,
  Level,
  listen,
  Opcode,
  type Subscription,
  type WrittenEvent,
} from '../../lib/index.ts';
import { Subscriptions, subscriptionsOf } from '../../lib/listen/subscriptions.ts';
import { LISTENABLE } from '../../lib/listen/written-event.ts';
import { Tracer } from '../../lib/platform/tracer.ts';
import { Account } from '../../lib/source/account.ts';
import { definitionsText, parseDefinitions } from '../../lib/source/payload-definitions.ts';
import {
  MAX_AUDIENCES,
  MAX_DESCRIPTIONS,
  SelfDescribingEvents,
  type SelfDescribingOptions,
} from '../../lib/source/self-describing.ts';
import { TraceLoggingFormat, tracepointOf, UserEventsFormat } from '../../lib/source/tracer-format.ts';
import { payloadOf } from '../../lib/wire/decoded-field.ts';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { decodeEventHeader } from '../wire/eventheader/decode-event.ts';
import { FakeAddon } from './fake-addon.ts';

const definitionsOf = (payload: object) => parseDefinitions(definitionsText(payload));
const KEYWORDS = { money: 0x1n, parcels: 0x2n };

/** The self-describing events of a source whose tracepoints a fake kernel records. */
class Recorded {
  readonly addon: FakeAddon;
  readonly account = new Account();
  readonly events: SelfDescribingEvents;
  readonly subscriptions = new Subscriptions('Provider', () => {});

  constructor({ platform = 'user_events' as 'user_events' | 'etw', throwOnErrors = false } = {}) {
    this.addon = new FakeAddon({ platform, words: 2 * MAX_AUDIENCES });
    const tracer = new Tracer(this.addon);
    tracer.open();
    const provider = { name: 'Provider', guid: providerGuid('Provider') };
    const source = { ...provider, [LISTENABLE]: this.subscriptions };
    this.events = new SelfDescribingEvents(
      {
        provider,
        tracer,
        account: this.account,
        throwOnErrors,
        subscriptions: this.subscriptions,
        source: () => source,
      },
      platform === 'etw' ? new TraceLoggingFormat(provider) : new UserEventsFormat({ name: 'Provider' }),
      KEYWORDS,
      1,
      sharedActivities(),
    );
  }

  /** Writes twice: the kernel records a tracepoint only after it has heard of it. */
  write(name: string, payload?: object, options?: SelfDescribingOptions): void {
    this.events.write(name, undefined, options);
    this.addon.record(true);
    this.events.write(name, payload as Record<string, unknown>, options);
  }

  get decoded() {
    const bytes = this.addon.events.at(-1);
    if (bytes === undefined) throw new Error('No event was written.');
    const schema = this.events.schemas.at(-1);
    if (schema === undefined) throw new Error('No tracepoint was registered.');
    return decodeEventHeader(tracepointOf({ name: 'Provider' }, schema), bytes);
  }
}

describe('the fields of an event', () => {
  it.each([
    ['a boolean', true, 'bool'],
    ['a number', 5, 'double'],
    ['a bigint', 5n, 'int64'],
    ['a negative bigint', -5n, 'int64'],
    ['a bigint that only 64 unsigned bits hold', 2n ** 64n - 1n, 'uint64'],
    ['a string', 'x', 'string'],
    ['a Date', new Date(0), 'time'],
    ['null', null, 'json'],
    ['a Buffer', Buffer.alloc(1), 'binary'],
    ['a Uint8Array', new Uint8Array(1), 'binary'],
    ['an Int8Array', new Int8Array(1), 'int8[]'],
    ['a Uint8ClampedArray', new Uint8ClampedArray(1), 'uint8[]'],
    ['an Int16Array', new Int16Array(1), 'int16[]'],
    ['a Uint16Array', new Uint16Array(1), 'uint16[]'],
    ['an Int32Array', new Int32Array(1), 'int32[]'],
    ['a Uint32Array', new Uint32Array(1), 'uint32[]'],
    ['a Float32Array', new Float32Array(1), 'float[]'],
    ['a Float64Array', new Float64Array(1), 'double[]'],
    ['a BigInt64Array', new BigInt64Array(1), 'int64[]'],
    ['a BigUint64Array', new BigUint64Array(1), 'uint64[]'],
    ['a DataView', new DataView(new ArrayBuffer(1)), 'json'],
    ['an array of strings', ['x', 'y'], 'string[]'],
    ['an array of numbers', [1, 0.5], 'double[]'],
    ['an array of booleans', [true], 'bool[]'],
    ['an array of bigints', [1n], 'int64[]'],
    ['an array of bigints with a large one', [1n, 2n ** 63n], 'uint64[]'],
    ['an array of Dates', [new Date(0)], 'time[]'],
    ['an empty array', [], 'json'],
    ['an array of several kinds', [1, 'x'], 'json'],
    ['an array of a bigint and a number', [1n, 1], 'json'],
    ['an array with a hole', [1, undefined], 'json'],
    ['an array of objects', [{ a: 1 }], 'json'],
    ['a longer array than events can be', new Array(100_000_000), 'bool[]'],
    ['an empty object', {}, 'json'],
    ['a Map', new Map(), 'json'],
    ['a URL', new URL('http://x/'), 'json'],
  ])('have types that follow from the values: %s', (_, value, type) => {
    expect(definitionsOf({ value })).toEqual({ value: type });
  });

  it('are empty for values that JSON omits, too', () => {
    expect(definitionsOf({ a: undefined, b: () => {}, c: Symbol('c'), d: 1 })).toEqual({ d: 'double' });
  });

  it('are a struct for a plain object, down to the limit for structs; then JSON', () => {
    expect(definitionsOf({ user: { name: 'x', home: { zip: 1 } } })).toEqual({
      user: { name: 'string', home: { zip: 'double' } },
    });
    let deep: object = { end: 1 };
    for (let depth = 0; depth < 9; depth++) deep = { deep };
    expect(JSON.stringify(definitionsOf({ deep }))).toBe(`${'{"deep":'.repeat(9)}"json"${'}'.repeat(9)}`);
  });

  it('are JSON for an object with more members than a struct may have', () => {
    const wide = Object.fromEntries(Array.from({ length: 128 }, (_, index) => [`f${index}`, index]));
    expect(definitionsOf({ wide })).toEqual({ wide: 'json' });
  });
});

describe('an event recorded by the kernel', () => {
  it('has its fields and their values', () => {
    const recorded = new Recorded();
    recorded.write('Sale', { item: 'tea', price: 2.5, tags: ['a', 'b'], buyer: { id: 7n }, note: null });
    expect(recorded.decoded).toMatchObject({ provider: 'Provider', name: 'Sale', id: 0, version: 0 });
    expect(payloadOf(recorded.decoded.fields)).toEqual({
      item: 'tea',
      price: 2.5,
      tags: ['a', 'b'],
      buyer: { id: 7n },
      note: 'null',
    });
    expect(recorded.account.stats()).toMatchObject({ dropped: {}, badValues: 0 });
  });

  it('has the level Verbose by default, and an opcode that follows from its name, as in .NET', () => {
    const recorded = new Recorded();
    recorded.write('Sale');
    expect(recorded.decoded).toMatchObject({ level: Level.Verbose, keyword: 0n, opcode: Opcode.Info });
    recorded.write('SaleStart');
    expect(recorded.decoded.opcode).toBe(Opcode.Start);
    recorded.write('SaleStop');
    expect(recorded.decoded.opcode).toBe(Opcode.Stop);
  });

  it('has the given options; keywords also by name', () => {
    const recorded = new Recorded();
    recorded.write('Sale', {}, { level: 2, keywords: 0x8n, opcode: 11, tag: 0xbeef });
    expect(recorded.decoded).toMatchObject({ level: 2, keyword: 0x8n, opcode: 11, tag: 0xbeef });
    recorded.write('Sale', {}, { keywords: ['money', 'parcels'] });
    expect(recorded.decoded.keyword).toBe(0x3n);
  });

  it('has the given ids', () => {
    const recorded = new Recorded();
    const activityId = '00000011-0000-0000-0000-0000be999d59';
    recorded.write('Sale', {}, { activityId });
    expect(recorded.decoded.activityId).toBe(activityId);
  });

  it('is described again if a field has another type, without affecting other events', () => {
    const recorded = new Recorded();
    recorded.write('Sale', { item: 'tea' });
    recorded.write('Sale', { item: 5 });
    expect(payloadOf(recorded.decoded.fields)).toEqual({ item: 5 });
    recorded.write('Sale', { item: 'coffee' });
    expect(payloadOf(recorded.decoded.fields)).toEqual({ item: 'coffee' });
    expect(recorded.account.stats().badValues).toBe(0);
  });

  it('shares its tracepoint with others of the same level and keywords', () => {
    const recorded = new Recorded();
    for (const name of ['A', 'B', 'C']) recorded.write(name, { [name]: 1 });
    recorded.write('D', {}, { level: 1 });
    expect([...recorded.addon.definitions.values()].map((text) => text.split(' ')[0])).toEqual([
      'Provider_L5K0',
      'Provider_L1K0',
    ]);
  });

  it('is a TraceLogging event on Windows', () => {
    const recorded = new Recorded({ platform: 'etw' });
    recorded.write('Sale', { item: 'tea' });
    expect(Buffer.from(recorded.addon.events.at(-1) ?? []).toString('latin1')).toContain('Sale\0item\0');
  });
});

describe('while no event is enabled', () => {
  it('its payload is neither read nor created', () => {
    const recorded = new Recorded();
    const payload = vi.fn(() => ({}));
    recorded.events.write('Sale', payload);
    recorded.events.write('Sale', new Proxy({}, { ownKeys: payload as never }));
    expect(payload).not.toHaveBeenCalled();
    expect(recorded.events.isWanted(Level.Verbose, 0n)).toBe(false);
  });
});

describe('an event that cannot be described', () => {
  it.each([
    ['without a name', '', {}, {}, 'Provider: the event name "" is empty.'],
    ['with a field that has no name', 'Sale', { '': 1 }, {}, 'Provider.Sale: the field name "" is empty.'],
    [
      'with a level that is none',
      'Sale',
      {},
      { level: 256 },
      'Provider.write: the level must be an integer from 1 to 255, not 256.',
    ],
    [
      'with a keyword that is none',
      'Sale',
      {},
      { keywords: 'mony' },
      'Provider.write: the source does not define the keyword "mony" (it has: money, parcels).',
    ],
    [
      'with keywords of ETW',
      'Sale',
      {},
      { keywords: 1n << 48n },
      'Provider.write: the keywords 0x1000000000000 are outside bits 0 to 47; ETW reserves the others.',
    ],
    [
      'with a tag that is none',
      'Sale',
      {},
      { tag: -1 },
      'Provider.Sale: the tag must be an integer from 0 to 268435455, not -1.',
    ],
  ])('%s is counted and reported, and throws only on request', (_, name, payload, options, problem) => {
    const recorded = new Recorded();
    recorded.write('Other', {});
    recorded.events.write(name, payload, options);
    expect(recorded.account.stats().dropped).toEqual({ notDescribable: 1 });
    expect(recorded.account.problems).toEqual([problem]);
    const strict = new Recorded({ throwOnErrors: true });
    strict.write('Other', {});
    expect(() => strict.events.write(name, payload, options)).toThrow(DefinitionError);
  });

  it('because it has too many fields is reported as such', () => {
    const recorded = new Recorded();
    recorded.write(
      'Sale',
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, index])),
    );
    expect(recorded.account.problems).toEqual([
      'Provider.Sale: an event may have at most 255 fields, but this one has 256.',
    ]);
  });

  it('because its payload throws is counted as such', () => {
    const recorded = new Recorded();
    recorded.write('Sale', () => {
      throw new Error('no payload');
    });
    recorded.write('Sale', {
      get item() {
        throw new Error('no item');
      },
    });
    expect(recorded.account.stats().dropped).toEqual({ payloadThrew: 2 });
    expect(recorded.account.problems).toEqual(['Provider.Sale: reading the payload threw Error: no payload']);
  });

  it('has a name that is not a string', () => {
    const recorded = new Recorded();
    recorded.events.write(Symbol('Sale') as never);
    expect(recorded.account.problems).toEqual([
      "Provider.write: an event's name must be a string, not Symbol(Sale).",
    ]);
  });
});

describe('limits', () => {
  it('only so many combinations reach the kernel; listeners receive events of all', () => {
    const recorded = new Recorded();
    for (let keywords = 0n; keywords < BigInt(MAX_AUDIENCES) + 10n; keywords++) {
      recorded.events.write('Sale', {}, { keywords });
    }
    expect(recorded.addon.definitions.size).toBe(MAX_AUDIENCES);
    expect(recorded.account.problems).toEqual([
      'Provider.write: only the first 64 combinations of level, keywords and opcode reach the kernel; ' +
        'events of others go to listeners alone.',
    ]);
    const deliver = vi.fn();
    recorded.subscriptions.enable({ deliver }, { level: 5 });
    recorded.events.write('Sale', {}, { keywords: 0x4000n });
    recorded.events.write('Sale', {}, { keywords: 0x4000n, level: 6 });
    expect(deliver).toHaveBeenCalledTimes(1);
  });

  it('only so many descriptions are cached; an older one is recreated', () => {
    const recorded = new Recorded();
    recorded.write('Sale', { first: 1 });
    for (let index = 0; index <= MAX_DESCRIPTIONS; index++)
      recorded.events.write('Sale', { [`f${index}`]: 1 });
    recorded.events.write('Sale', { first: 2 });
    expect(payloadOf(recorded.decoded.fields)).toEqual({ first: 2 });
    expect(recorded.account.stats().dropped).toEqual({});
  });
});

describe('source.write', () => {
  const source = defineEventSource('Self-Describing-Test', { Ping: event() }, { keywords: KEYWORDS });
  let subscriptions: Subscription[] = [];
  const hear = (filter = {}): WrittenEvent[] => {
    const heard: WrittenEvent[] = [];
    subscriptions.push(listen(source, (written) => heard.push(written), filter));
    return heard;
  };
  afterEach(() => {
    for (const subscription of subscriptions) subscription.close();
    subscriptions = [];
  });

  it('reaches listeners, even those added before its first event, by their own filters', () => {
    const all = hear();
    const severe = hear({ level: Level.Error });
    const money = hear({ keywords: 0x1n });
    source.write('Sale', { item: 'tea' }, { keywords: 'parcels' });
    source.write('Theft', () => ({ item: 'tea' }), { level: Level.Critical, keywords: 0x1n });
    expect(all.map(({ name }) => name)).toEqual(['Sale', 'Theft']);
    expect(severe.map(({ name }) => name)).toEqual(['Theft']);
    expect(money.map(({ name }) => name)).toEqual(['Theft']);
    expect(all[0]).toMatchObject({
      provider: 'Self-Describing-Test',
      id: 0,
      task: 0,
      level: Level.Verbose,
      keywords: 0x2n,
      payload: { item: 'tea' },
      payloadNames: ['item'],
    });
  });

  it('has one schema per name and fields', () => {
    const schemas: unknown[] = [];
    const subscriber = { deliver: (_: unknown, schema: unknown) => schemas.push(schema) };
    subscriptionsOf(source).enable(subscriber, {});
    for (const payload of [{ a: 1 }, { a: 0.5 }, { a: 'x' }]) source.write('Sale', payload);
    subscriptionsOf(source).disable(subscriber);
    expect(schemas[0]).toBe(schemas[1]);
    expect(schemas[2]).not.toBe(schemas[0]);
  });

  it('starts and stops activities by the end of the name', () => {
    const heard = hear();
    source.write('OrderStart', { number: 1 });
    source.write('Sale');
    source.Ping();
    source.write('OrderStop');
    source.write('Sale');
    const [start, ...inside] = heard.map(({ activityId }) => activityId);
    expect(start).toEqual(expect.any(String));
    expect(inside).toEqual([start, start, start, undefined]);
  });

  it('starts nothing with an explicit id, or if told not to', () => {
    const heard = hear();
    const activityId = '00000011-0000-0000-0000-0000be999d59';
    source.write('OrderStart', {}, { activityId });
    source.write('OrderStart', {}, { activityOptions: 2 });
    source.write('Sale');
    expect(heard.map((written) => written.activityId)).toEqual([activityId, undefined, undefined]);
  });

  it('lists its tracepoints once it has any', () => {
    expect(source.tracepoints).toContain('Self_Describing_Test_L4K0');
    source.write('Sale', {}, { level: 9 });
    expect(source.tracepoints).toContain('Self_Describing_Test_L9K0');
  });

  it('never throws, whatever it is passed', () => {
    hear();
    const cycle: Record<string, unknown> = {};
    cycle.cycle = cycle;
    const payloads = [
      cycle,
      null,
      5,
      'text',
      ['x'],
      { ['__proto__']: 1 },
      Object.create(null),
      new Date(Number.NaN),
    ];
    for (const payload of payloads) expect(() => source.write('Odd', payload as object)).not.toThrow();
  });
});
