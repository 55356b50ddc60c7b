/** Requests for the state of what a source reports on: who asks when, and what comes of the answers. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  currentActivityId,
  defineEventSource,
  event,
  keepActivities,
  listen,
  Opcode,
  type StateRequest,
  sendCommand,
  startSession,
  type WrittenEvent,
} from '../../lib/index.ts';
import { Audience } from '../../lib/listen/audience.ts';
import { namedCommand } from '../../lib/listen/commands.ts';
import { Subscriptions } from '../../lib/listen/subscriptions.ts';
import { LISTENABLE } from '../../lib/listen/written-event.ts';
import { Tracer } from '../../lib/platform/tracer.ts';
import { Account } from '../../lib/source/account.ts';
import { StateRequests } from '../../lib/source/state-requests.ts';
import { scratch } from '../../lib/wire/scratch.ts';
import { readSession } from '../eventpipe/session-trace.ts';
import { FakeAddon } from './fake-addon.ts';

const EVENTS = {
  ConnectionOpened: event({ host: 'string' }),
  ConnectionDCStart: event({ host: 'string' }, { opcode: Opcode.DataCollectionStart }),
  ConnectionDCStop: event({ host: 'string' }, { opcode: Opcode.DataCollectionStop }),
  WorkStart: event(),
  WorkStop: event(),
};
const HOSTS = ['db', 'cache'];

let names = 0;
const closing: { close(): unknown }[] = [];
afterEach(() => {
  for (const closable of closing.splice(0).reverse()) closable.close();
  vi.useRealTimers();
});

/** A source that writes its two connections whenever it is asked, and what it was asked. */
function connections() {
  const log = defineEventSource(`State-${++names}`, EVENTS);
  closing.push(log);
  const asked: StateRequest[] = [];
  const answer = (request: StateRequest) => {
    asked.push(request);
    const write = request.kind === 'start' ? log.ConnectionDCStart : log.ConnectionDCStop;
    for (const host of HOSTS) write({ host });
  };
  return { log, asked, answer };
}

function heardBy(log: Parameters<typeof listen>[0], filter = {}) {
  const events: WrittenEvent[] = [];
  const listener = listen(log, (written) => events.push(written), filter);
  closing.push(listener);
  return { events, listener, lines: () => events.map(({ name, payload }) => `${name} ${payload.host}`) };
}
const STATE = ['ConnectionDCStart db', 'ConnectionDCStart cache'];
const END = ['ConnectionDCStop db', 'ConnectionDCStop cache'];

describe('a source is asked for its state', () => {
  it('in the turn after a listener came, with what that wants', async () => {
    const { log, asked, answer } = connections();
    log.onStateRequest(answer);
    const { lines } = heardBy(log, { level: 4, keywords: 2n });
    expect(lines()).toEqual([]);
    await nextTurn();
    expect(lines()).toEqual(STATE);
    expect(asked).toEqual([{ kind: 'start', level: 4, keywords: 2n }]);
  });

  it('when it has a handler, if somebody listened before', async () => {
    const { log, answer } = connections();
    const { lines } = heardBy(log);
    await nextTurn();
    log.onStateRequest(answer);
    await nextTurn();
    expect(lines()).toEqual(STATE);
    log.onStateRequest(answer);
    await nextTurn();
    expect(lines()).toHaveLength(6);
  });

  it('once for all who come in one turn, for everything that they want together', async () => {
    const { log, asked, answer } = connections();
    log.onStateRequest(answer);
    heardBy(log, { level: 3, keywords: 1n });
    heardBy(log, { level: 4, keywords: 2n });
    sendCommand(log, 'sendManifest');
    await nextTurn();
    expect(asked).toEqual([{ kind: 'start', level: 0, keywords: 0n }]);
    heardBy(log, { level: 3, keywords: 1n });
    heardBy(log, { level: 4, keywords: 2n });
    await nextTurn();
    expect(asked.slice(1)).toEqual([{ kind: 'start', level: 4, keywords: 3n }]);
  });

  it('by the command sendManifest', async () => {
    const { log, answer } = connections();
    log.onStateRequest(answer);
    const { lines } = heardBy(log);
    await nextTurn();
    sendCommand(log, 'sendManifest');
    await nextTurn();
    expect(lines()).toEqual([...STATE, ...STATE]);
  });

  it('not while nobody takes its events: when all have left, when activities are kept, when it is closed', async () => {
    const { log, asked, answer } = connections();
    log.onStateRequest(answer);
    sendCommand(log, 'sendManifest');
    closing.push(keepActivities());
    heardBy(log).listener.close();
    await nextTurn();
    heardBy(log);
    log.close();
    log.onStateRequest(answer);
    await nextTurn();
    expect(asked).toEqual([]);
  });

  it('outside of activities and of the code that listens', async () => {
    const { log } = connections();
    const contexts: unknown[] = [];
    const storage = new AsyncLocalStorage<string>();
    log.activity('Work', {}, () =>
      log.onStateRequest(() => contexts.push([currentActivityId(), storage.getStore()])),
    );
    heardBy(log);
    log.activity('Work', {}, () => storage.run('a request', () => heardBy(log)));
    const work = log.activity('Work', {}, async () => {
      await nextTurn();
      return currentActivityId();
    });
    expect(await work).toBeDefined();
    expect(contexts).toEqual([[undefined, undefined]]);
  });

  it('and what its handlers throw is counted, and keeps nobody from answering', async () => {
    const { log, answer } = connections();
    log.onStateRequest(() => {
      throw new Error('no state');
    });
    log.onStateRequest(async () => {
      await nextTurn();
      throw new Error('later');
    });
    log.onStateRequest(answer);
    const { lines } = heardBy(log);
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(lines()).toEqual(STATE);
    expect(log.stats().dropped).toEqual({ stateThrew: 2 });
    expect(log.status.problems).toEqual([`${log.name}: a handler of onStateRequest threw Error: no state`]);
  });
});

describe.each([4, 6] as const)('the trace of a session, nettrace %d,', (nettraceVersion) => {
  const traceOf = async (
    rundown: boolean,
    during: (log: ReturnType<typeof connections>['log']) => unknown,
  ) => {
    const { log, asked, answer } = connections();
    log.onStateRequest(answer);
    const output = new PassThrough();
    const providers = `${log.name}:0:Informational`;
    const session = startSession({ providers, output, rundown, nettraceVersion });
    await during(log);
    await session.close();
    const { events } = await readSession(Buffer.concat(await output.toArray()));
    const own = events.filter(({ provider }) => provider === log.name);
    return { asked, own, lines: own.map(({ name, payload }) => `${name} ${payload.host}`) };
  };

  it('has the state of its beginning, and of its end if it has a rundown', async () => {
    const during = async (log: ReturnType<typeof connections>['log']) => {
      await nextTurn();
      log.ConnectionOpened({ host: 'new' });
    };
    const opened = 'ConnectionOpened new';
    expect((await traceOf(false, during)).lines).toEqual([...STATE, opened]);
    const whole = await traceOf(true, during);
    expect(whole.lines).toEqual([...STATE, opened, ...END]);
    expect(whole.asked).toEqual([
      { kind: 'start', level: 4, keywords: 0n },
      { kind: 'stop', level: 4, keywords: 0n },
    ]);
    expect(whole.own.map(({ opcode, opcodeName }) => [opcode, opcodeName])).toEqual([
      [3, 'DC_Start'],
      [3, 'DC_Start'],
      [0, 'Info'],
      [4, 'DC_Stop'],
      [4, 'DC_Stop'],
    ]);
  });

  it('that is over at once has both, in this order', async () => {
    expect((await traceOf(true, () => {})).lines).toEqual([...STATE, ...END]);
  });
});

describe('a tracer asks for the state', () => {
  /** A source with two events that the tracer may record, and what it was asked. */
  function traced(platform: 'user_events' | 'etw') {
    const addon = new FakeAddon({ platform });
    const tracer = new Tracer(addon);
    tracer.open();
    const subscriptions = new Subscriptions('Provider', () => {});
    const provider = { name: 'Provider', guid: '00112233-4455-6677-8899-aabbccddeeff' };
    const source = { ...provider, [LISTENABLE]: subscriptions };
    const account = new Account();
    const context = { provider, tracer, account, throwOnErrors: false, subscriptions, source: () => source };
    const words = ['A', 'B'].map((name) => {
      const audience = new Audience(tracer.allocate(), 4, 0n);
      tracer.register(audience, name, Buffer.from(name), scratch);
      subscriptions.add(audience);
      return audience;
    });
    const states = new StateRequests(context);
    closing.push(states);
    const asked: StateRequest[] = [];
    return {
      addon,
      words,
      subscriptions,
      states,
      asked,
      answer: (request: StateRequest) => asked.push(request),
    };
  }

  it('on Linux, when it has begun to record an event, within a second', () => {
    vi.useFakeTimers();
    const { words, states, asked, answer } = traced('user_events');
    const record = (event: number, on: boolean) => {
      const { words: page, index } = words[event] as Audience;
      page[index] = on ? 1 : 0;
    };
    const counts = () => {
      vi.advanceTimersByTime(1001);
      return asked.length;
    };
    record(0, true);
    states.onRequest(answer);
    expect(counts()).toBe(1);
    expect(counts()).toBe(1);
    record(1, true);
    expect(counts()).toBe(2);
    record(1, false);
    expect(counts()).toBe(2);
    record(1, true);
    expect(counts()).toBe(3);
    expect(asked).toEqual(asked.map(() => ({ kind: 'start', level: 0, keywords: 0n })));
    states.close();
    record(0, false);
    counts();
    record(0, true);
    expect(counts()).toBe(3);
  });

  it('on Windows, by its request alone, not by each enable', async () => {
    const { addon, subscriptions, states, asked, answer } = traced('etw');
    states.onRequest(answer);
    addon.record(true);
    subscriptions.send(namedCommand('enable'));
    await nextTurn();
    expect(asked).toEqual([]);
    subscriptions.send(namedCommand('sendManifest', { level: 3, anyKeyword: 8n }));
    await nextTurn();
    expect(asked).toEqual([{ kind: 'start', level: 3, keywords: 8n }]);
  });
});
