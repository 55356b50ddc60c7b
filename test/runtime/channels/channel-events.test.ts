/** Channels as events of Microsoft-Diagnostics-DiagnosticSource, as a listener with .NET's argument receives them. */
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from 'vitest';
import {
  activityPath,
  defineEventSource,
  EventListener,
  event,
  eventSources,
  type Listenable,
  type SourceCommand,
  type WrittenEvent,
} from '../../../lib/index.ts';
import { namedCommand } from '../../../lib/listen/commands.ts';
import { subscriptionsOf } from '../../../lib/listen/subscriptions.ts';
import { enableRuntimeEvents } from '../../../lib/runtime/index.ts';

enableRuntimeEvents();
const source = eventSources().find(
  ({ name }) => name === 'Microsoft-Diagnostics-DiagnosticSource',
) as Listenable;
const inner = defineEventSource('Test-Inner', { Note: event({ text: 'string' }) });

const open: EventListener[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.close();
});

const EVENTS = 2n;
const MESSAGES = 1n;

function hear(specs: string, keywords = EVENTS, level = 5) {
  const events: WrittenEvent[] = [];
  const listener = new EventListener({ onEventWritten: (written) => void events.push(written) });
  open.push(listener);
  listener.enableEvents(source, level, keywords, specs === '' ? {} : { FilterAndPayloadSpecs: specs });
  listener.enableEvents(inner, 5);
  return { events, listener };
}

/** Each event on a line: name, path, what it says. */
function lines(events: readonly WrittenEvent[]): string[] {
  return events
    .filter(({ name }) => name !== 'NewDiagnosticListener')
    .map(({ name, activityId, payload }) => {
      const { SourceName, EventName, Arguments, Message, text } = payload as Record<string, string>;
      const pairs = ((Arguments ?? []) as unknown as { Key: string; Value: string }[]).map(
        ({ Key, Value }) => `${Key}=${Value}`,
      );
      const path = activityId === undefined ? '' : activityPath(activityId);
      return [name, path, SourceName, EventName, ...pairs, Message, text].filter(Boolean).join(' ');
    });
}

describe('a channel', () => {
  it('is an event for each message, with the requested fields', () => {
    const { events } = hear('test:plain/message:-order.id');
    channel('test:plain').publish({ order: { id: 7, total: 9 } });
    expect(lines(events)).toEqual(['Event test:plain message id=7']);
    expect(events.find(({ name }) => name === 'Event')).toMatchObject({ id: 2, level: 4, keywords: EVENTS });
  });

  it('is announced once', () => {
    const { events } = hear('test:announced/message');
    for (let index = 0; index < 3; index++) channel('test:announced').publish({});
    const [first, ...others] = events.map(({ name, id }) => `${name} ${id}`);
    expect(first).toBe('NewDiagnosticListener 10');
    expect(others).toEqual(['Event 2', 'Event 2', 'Event 2']);
  });

  it('costs its publisher nothing unless somebody requests it', () => {
    const asked = channel('test:asked');
    expect(asked.hasSubscribers).toBe(false);
    const { listener } = hear('test:asked/message');
    const other = hear('test:asked/message\ntest:more/message').listener;
    expect(asked.hasSubscribers).toBe(true);
    listener.close();
    expect(asked.hasSubscribers).toBe(true);
    other.close();
    expect(asked.hasSubscribers).toBe(false);
    expect(channel('test:more').hasSubscribers).toBe(false);
  });

  it('is not affected by requests for other levels and keywords', () => {
    hear('test:level/message', EVENTS, 3);
    hear('test:level/message', MESSAGES);
    expect(channel('test:level').hasSubscribers).toBe(false);
    hear('test:level/message', 0n, 0);
    expect(channel('test:level').hasSubscribers).toBe(true);
  });

  it('never notices: getters that throw or publish, messages of any kind', () => {
    const { events } = hear('test:hostile/message:-a;b;deep.x');
    const hostile = channel('test:hostile');
    const message = {
      get a(): string {
        hostile.publish({ a: 'inside' });
        return 'outside';
      },
      get b(): string {
        throw new Error('no');
      },
      deep: new Proxy({}, {}),
    };
    hostile.publish(message);
    hostile.publish(null);
    hostile.publish('text');
    expect(lines(events)).toEqual([
      'Event test:hostile message a=outside',
      'Event test:hostile message',
      'Event test:hostile message',
    ]);
  });
});

describe('a request of ETW, which has one for all sessions together', () => {
  it('is in effect until the next one', () => {
    const send = (command: SourceCommand) => subscriptionsOf(source).send(command);
    const ask = (specs: string) =>
      send(namedCommand('enable', { level: 5, anyKeyword: 3n, arguments: { FilterAndPayloadSpecs: specs } }));
    const isAsked = () => ['test:e1', 'test:e2'].map((name) => channel(name).hasSubscribers);
    ask('test:e1/message\ntest:e2/message');
    expect(isAsked()).toEqual([true, true]);
    ask('test:e2/message');
    expect(isAsked()).toEqual([false, true]);
    send(namedCommand('disable'));
    expect(isAsked()).toEqual([false, false]);
  });
});

describe('activities', () => {
  it('begin and end with two messages, through the given events', () => {
    const { events } = hear('test:begin/message@Activity1Start:-n\ntest:end/message@Activity1Stop:-n');
    channel('test:begin').publish({ n: 1 });
    inner.Note({ text: 'inside' });
    channel('test:end').publish({ n: 2 });
    inner.Note({ text: 'outside' });
    const [start, note, stop, last] = lines(events);
    expect(start).toMatch(/^Activity1Start \S+ test:begin message n=1$/);
    const path = start?.split(' ')[1];
    expect([note, stop, last]).toEqual([
      `Note ${path} inside`,
      `Activity1Stop ${path} test:end message n=2`,
      'Note outside',
    ]);
  });

  it('are the calls of a TracingChannel: to the end of a function that returns or throws', () => {
    const { events } = hear('test:sync@RecursiveActivity1:-n;result;error');
    const calls = tracingChannel('test:sync');
    calls.traceSync(() => calls.traceSync(() => 'inner', { n: 2 }), { n: 1 });
    expect(() =>
      calls.traceSync(
        () => {
          throw new Error('bad');
        },
        { n: 3 },
      ),
    ).toThrow('bad');
    inner.Note({ text: 'outside' });
    expect(lines(events).map((line) => line.replace(/ \/\/\S+/, ''))).toEqual([
      'RecursiveActivity1Start test:sync start n=1',
      'RecursiveActivity1Start test:sync start n=2',
      'RecursiveActivity1Stop test:sync end n=2 result=inner',
      'RecursiveActivity1Stop test:sync end n=1 result=inner',
      'RecursiveActivity1Start test:sync start n=3',
      'Event test:sync error n=3 error=Error: bad',
      'RecursiveActivity1Stop test:sync end n=3 error=Error: bad',
      'Note outside',
    ]);
  });

  it('last until a promise is settled or a callback has run, each with what it causes', async () => {
    const { events } = hear('test:async@Activity1:-n;result');
    const calls = tracingChannel('test:async');
    const query = (n: number) =>
      calls.tracePromise(
        async () => {
          await new Promise(setImmediate);
          inner.Note({ text: `in ${n}` });
          return n;
        },
        { n },
      );
    await Promise.all([query(1), query(2)]);
    await new Promise<void>((done) => {
      calls.traceCallback(
        (callback: () => void) => setImmediate(callback),
        0,
        { n: 3 },
        undefined,
        () => done(),
      );
    });
    inner.Note({ text: 'outside' });
    const written = lines(events);
    for (const n of [1, 2]) {
      const path = written.find((line) => line.endsWith(`start n=${n}`))?.split(' ')[1];
      expect(path).toMatch(/^\/\/1\/\d+$/);
      expect(written.filter((line) => line.includes(` ${path}`))).toEqual([
        `Activity1Start ${path} test:async start n=${n}`,
        `Note ${path} in ${n}`,
        `Activity1Stop ${path} test:async asyncEnd n=${n} result=${n}`,
      ]);
    }
    expect(written.filter((line) => line.includes('n=3'))).toHaveLength(2);
    expect(written.at(-1)).toBe('Note outside');
  });
});

describe('messages for the user', () => {
  it('list the subscriptions, and what cannot be subscribed to', () => {
    expect(lines(hear('a/start\n[AS]*\nb/message@Activity9Start', MESSAGES | EVENTS).events)).toEqual([
      "Message DiagnosticSource: Enabling 'a/start'",
      "Message DiagnosticSource: Ignoring '[AS]*': Node.js has channels, but no ActivitySource.",
      "Message DiagnosticSource: Enabling 'b/message'",
      "Message DiagnosticSource: There is no event 'Activity9Start' for activities.",
    ]);
    expect(lines(hear('', MESSAGES | EVENTS).events)).toEqual([
      'Message DiagnosticSource: FilterAndPayloadSpecs names no channel, and Node.js has no list of them.',
    ]);
  });
});
