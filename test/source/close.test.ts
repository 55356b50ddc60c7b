/** A closed source leaves nothing behind, and late events are counted. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  DefinitionError,
  defineEventSource,
  EventListener,
  event,
  eventSources,
  generateManifest,
  listen,
  startSession,
} from '../../lib/index.ts';
import { theTracer } from '../../lib/platform/tracer.ts';
import { readSession } from '../eventpipe/session-trace.ts';

afterEach(() => vi.restoreAllMocks());

let names = 0;
const newName = () => `Close-${++names}`;
const EVENTS = {
  Tick: event({ n: 'int32' }),
  RequestStart: event(),
  RequestStop: event({ success: 'bool' }),
};

describe('a closed source', () => {
  it('counts what is written to it, and does nothing else', () => {
    const log = defineEventSource(newName(), EVENTS);
    const heard: string[] = [];
    listen(log, ({ name }) => heard.push(name));
    const payload = vi.fn(() => ({ n: 1 }));
    log.close();
    log.Tick(payload);
    log.Tick({ n: 1 }, { activityId: 'none' });
    const started = log.RequestStart();
    started.stop({ success: true });
    log.RequestStop({ success: true });
    expect(log.activity('Request', {}, () => 'result')).toBe('result');
    log.write('Own', { n: 1 });
    expect(log.stats()).toEqual({ written: 0, dropped: { closed: 8 }, tooLargeForFtrace: 0, badValues: 0 });
    expect(log.status.problems).toEqual([
      `${log.name}.Tick: the event was written after its source had been closed.`,
    ]);
    expect(payload).not.toHaveBeenCalled();
    expect(heard).toEqual([]);
    expect([log.Tick.enabled, log.isEnabled(), log.isEnabled(5, 0n)]).toEqual([false, false, false]);
  });

  it('counts the end of an activity that it began, which ends anyway', () => {
    const log = defineEventSource(newName(), EVENTS);
    listen(log, () => {});
    const started = log.RequestStart();
    log.activity('Request', {}, () => log.close());
    started.stop({ success: true });
    expect(started.id).toBeDefined();
    expect(log.stats().dropped).toEqual({ closed: 2 });
  });

  it('is closed once, however often it is closed, or by leaving its block', () => {
    const tracer = vi.spyOn(theTracer(), 'release');
    const outer = (() => {
      using log = defineEventSource(newName(), EVENTS);
      log.close();
      return log;
    })();
    expect(tracer).toHaveBeenCalledTimes(3);
    outer.close();
    expect(tracer).toHaveBeenCalledTimes(3);
  });

  it('may be closed by a payload or a listener, during its event', () => {
    const log = defineEventSource(newName(), EVENTS);
    const heard: unknown[] = [];
    listen(log, ({ payload }) => {
      heard.push(payload.n);
      log.close();
    });
    log.Tick({ n: 1 });
    log.Tick({ n: 2 });
    const other = defineEventSource(newName(), EVENTS);
    listen(other, () => heard.push('other'));
    other.Tick(() => {
      other.close();
      return { n: 3 };
    });
    expect(heard).toEqual([1]);
    expect([log, other].map((source) => source.stats().dropped)).toEqual([{ closed: 1 }, { closed: 1 }]);
  });

  it('passes its enabled words on to others, whose listeners do not notice', () => {
    const old = defineEventSource(newName(), EVENTS);
    old.close();
    const next = defineEventSource(newName(), { A: event(), B: event(), C: event() });
    const heard: string[] = [];
    listen(next, ({ name }) => heard.push(name));
    old.Tick({ n: 1 });
    next.A();
    expect(heard).toEqual(['A']);
    expect(old.Tick.enabled).toBe(false);
  });

  it('is gone for listeners, whose requests have ended', () => {
    const log = defineEventSource(newName(), EVENTS);
    const commands: string[] = [];
    log.onCommand(({ kind }) => commands.push(kind));
    const listener = new EventListener({
      onEventSourceCreated: (source, self) => {
        if (source.name === log.name) self.enableEvents(source, 5);
      },
    });
    expect(eventSources()).toContain(log);
    log.close();
    expect(commands).toEqual(['enable', 'disable']);
    expect(eventSources()).not.toContain(log);
    listener.enableEvents(log, 5);
    listen(log, () => {});
    expect(commands).toEqual(['enable', 'disable']);
    listener.close();
    expect(generateManifest(log)).toContain(log.name);
  });

  it('can be defined again in a running session, with the same ids', async () => {
    const name = newName();
    const output = new PassThrough();
    const session = startSession({ providers: name, output });
    for (let n = 0; n < 3; n++) {
      using log = defineEventSource(name, EVENTS);
      log.Tick({ n });
      log.write('Own', { n });
    }
    // The session has told of the id, so no other event gets it.
    using other = defineEventSource(name, { Other: event() });
    other.Other();
    expect(() => defineEventSource(name, { Given: event({}, { id: 1 }) })).toThrow(DefinitionError);
    const result = await session.close();
    expect(result).toMatchObject({ events: 7, dropped: 0 });
    const { events } = await readSession(Buffer.concat(await output.toArray()));
    expect(events.map(({ id, name: event }) => [id, event])).toEqual([
      ...[0, 1, 2].flatMap(() => [
        [1, 'Tick'],
        [65533, 'Own'],
      ]),
      [2, 'Other'],
    ]);
    other.close();
    using given = defineEventSource(name, { Given: event({}, { id: 1 }) });
    expect(given.Given.identity.id).toBe(1);
  });
});

describe('an identical definition', () => {
  it('shares the existing registration until all have closed it', () => {
    const name = newName();
    const allocate = vi.spyOn(theTracer(), 'allocate');
    const [first, second] = [defineEventSource(name, EVENTS), defineEventSource(name, EVENTS)];
    expect(allocate).toHaveBeenCalledTimes(3);
    const heard: unknown[] = [];
    listen(second, ({ payload }) => heard.push(payload.n));
    first.close();
    first.close();
    second.Tick({ n: 1 });
    expect(heard).toEqual([1]);
    second.close();
    second.Tick({ n: 2 });
    expect(second.stats().dropped).toEqual({ closed: 1 });
    const third = defineEventSource(name, EVENTS);
    expect(third.stats().dropped).toEqual({});
    expect(third.Tick.identity.id).toBe(1);
  });

  it.each([
    ['other options of a source', { throwOnErrors: true }, EVENTS],
    ['another GUID', { guid: '00112233-4455-6677-8899-aabbccddeeff' }, EVENTS],
    ['names of keywords', { keywords: { Net: 1n } }, EVENTS],
    ['other options of an event', {}, { ...EVENTS, RequestStart: event({}, { activityOptions: 4 }) }],
  ])('is a different one with %s', (_, options, events) => {
    const name = newName();
    const allocate = vi.spyOn(theTracer(), 'allocate');
    defineEventSource(name, EVENTS);
    defineEventSource(name, events, options);
    expect(allocate).toHaveBeenCalledTimes(6);
  });
});

it('a definition that is rejected halfway leaves nothing behind', () => {
  const name = newName();
  const [allocate, release] = [vi.spyOn(theTracer(), 'allocate'), vi.spyOn(theTracer(), 'release')];
  const fields = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`${'long'.repeat(25)}${n}`, 'int32'] as const),
  );
  expect(() => defineEventSource(name, { A: event(), B: event(), Large: event(fields) })).toThrow(
    DefinitionError,
  );
  expect(allocate).toHaveBeenCalledTimes(2);
  expect(release).toHaveBeenCalledTimes(2);
  expect(eventSources().map((source) => source.name)).not.toContain(name);
  const log = defineEventSource(name, { Other: event({}, { id: 2 }) });
  expect(log.Other.identity.id).toBe(2);
});

it.each(['closed', 'same'])(
  'thousands of definitions do not accumulate (%s)',
  { timeout: 120_000 },
  (how) => {
    const program = join(import.meta.dirname, 'programs/reloads.mjs');
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, how], {
      encoding: 'utf8',
    });
    const { grownBytes, freshWords } = JSON.parse(stdout || stderr);
    // Of 3,000 definitions of 22 events.
    expect(grownBytes).toBeLessThan(1 << 20);
    expect(freshWords).toBeLessThanOrEqual(65_536);
    expect(freshWords).toBeGreaterThan(1);
  },
);
