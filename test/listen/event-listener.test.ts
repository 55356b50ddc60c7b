/**
 * EventListener: which sources it is shown, what it requests of them, and what it receives. .NET's semantics, one by
 * one.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  EventListener,
  type EventListenerHandlers,
  event,
  eventSources,
  Level,
  type Listenable,
  Opcode,
  type SourceCommand,
  type WrittenEvent,
} from '../../lib/index.ts';

const log = defineEventSource('EventListener-Test', {
  Failed: event(
    { code: 'int32', text: 'string' },
    { level: Level.Error, keywords: 0x1n, task: 77, version: 3, tag: 5, message: 'Failed with {0}' },
  ),
  Done: event({}, { keywords: 0x2n }),
  Noise: event({}, { level: Level.Verbose }),
});
const other = defineEventSource('EventListener-Test-Other', { Ping: event() });

let listeners: EventListener[] = [];
const listenerWith = (handlers: EventListenerHandlers = {}): EventListener => {
  const listener = new EventListener(handlers);
  listeners.push(listener);
  return listener;
};
afterEach(() => {
  for (const listener of listeners) listener.close();
  listeners = [];
});

let number = 0;
const newSource = () => defineEventSource(`EventListener-Test-${++number}`, { Ping: event() });

/** A listener, and the names of the events that it has got. */
function hearing(): { listener: EventListener; heard: string[] } {
  const heard: string[] = [];
  const listener = listenerWith({ onEventWritten: ({ name }) => heard.push(name) });
  return { listener, heard };
}

function writeAll(): void {
  log.Failed({ code: 5, text: 'x' });
  log.Done();
  log.Noise();
}

describe('an event source', () => {
  it('that exists is shown before the constructor returns', () => {
    const shown: Listenable[] = [];
    listenerWith({ onEventSourceCreated: (source) => shown.push(source) });
    expect(shown).toEqual(eventSources());
    expect(shown).toContain(log);
    expect(shown).toContain(other);
  });

  it('that is defined later is shown before the definition returns', () => {
    const shown: string[] = [];
    listenerWith({ onEventSourceCreated: ({ name }) => shown.push(name) });
    shown.length = 0;
    const source = newSource();
    expect(shown).toEqual([source.name]);
    expect(eventSources().at(-1)).toBe(source);
  });

  it('can be enabled as soon as it is shown, so that no event is missed', () => {
    const heard: string[] = [];
    listenerWith({
      onEventSourceCreated: (source, listener) => {
        if (source.name.startsWith('EventListener-Test-')) listener.enableEvents(source, Level.Verbose);
      },
      onEventWritten: ({ provider, name }) => heard.push(`${provider} ${name}`),
    });
    const source = newSource();
    expect(source.Ping.enabled).toBe(true);
    source.Ping();
    other.Ping();
    expect(heard).toEqual([`${source.name} Ping`, 'EventListener-Test-Other Ping']);
  });

  it('is shown once, even if sources and listeners are created meanwhile', () => {
    const shown: string[] = [];
    let isNested = false;
    listenerWith({
      onEventSourceCreated: () => {
        if (isNested) return;
        isNested = true;
        listenerWith({ onEventSourceCreated: ({ name }) => shown.push(name) });
        newSource();
      },
    });
    const source = newSource();
    expect(shown).toEqual(eventSources().map(({ name }) => name));
    expect(shown.filter((name) => name === source.name)).toHaveLength(1);
  });

  it('is not shown to a closed listener', () => {
    const onEventSourceCreated = vi.fn();
    const listener = listenerWith({ onEventSourceCreated });
    listener.close();
    onEventSourceCreated.mockClear();
    newSource();
    expect(onEventSourceCreated).not.toHaveBeenCalled();
  });

  it('is no longer shown to a listener that closed itself when one was shown', () => {
    const onEventSourceCreated = vi.fn((_: Listenable, listener: EventListener) => listener.close());
    listenerWith({ onEventSourceCreated });
    newSource();
    expect(onEventSourceCreated).toHaveBeenCalledTimes(1);
  });
});

describe('enableEvents', () => {
  it('requests a level and the more severe ones', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, Level.Error);
    writeAll();
    expect(heard).toEqual(['Failed']);
  });

  it('requests events with any of the keywords, and those without keywords', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, Level.Verbose, 0x2n);
    writeAll();
    expect(heard).toEqual(['Done', 'Noise']);
  });

  it('requests everything with level 0 and no keywords', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, 0);
    writeAll();
    expect(heard).toEqual(['Failed', 'Done', 'Noise']);
  });

  it('replaces its request when it is called again: wider or narrower', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, Level.Error);
    listener.enableEvents(log, Level.Verbose);
    writeAll();
    listener.enableEvents(log, Level.Error);
    expect(log.Noise.enabled).toBe(false);
    writeAll();
    expect(heard).toEqual(['Failed', 'Done', 'Noise', 'Failed']);
  });

  it('applies to each source separately', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(other, Level.Verbose);
    writeAll();
    other.Ping();
    expect(heard).toEqual(['Ping']);
  });

  it.each([
    [1.5, 0n, "A listener's level must be an integer from 0 to 255, not 1.5."],
    [256, 0n, "A listener's level must be an integer from 0 to 255, not 256."],
    [4, 2, `${log.name}: keywords must be a bigint (0x2n) or names, not 2.`],
    [4, 'Money', `${log.name}: the source does not define the keyword "Money" (it has: none).`],
    [4, -1n, "A listener's keywords must be a bigint of 64 bits (0x2n), not -1."],
    [4, 1n << 64n, "A listener's keywords must be a bigint of 64 bits (0x2n), not 18446744073709551616."],
  ])('rejects level %s with keywords %s', (level, keywords, message) => {
    const { listener } = hearing();
    expect(() => listener.enableEvents(log, level, keywords as bigint)).toThrow(new RangeError(message));
    expect(log.isEnabled()).toBe(false);
  });

  it('rejects anything that is not an event source', () => {
    const { listener } = hearing();
    expect(() => listener.enableEvents({} as Listenable, 0)).toThrow(
      new TypeError('{} is not an event source as returned by defineEventSource.'),
    );
  });

  it('has no effect once the listener is closed', () => {
    const { listener } = hearing();
    listener.close();
    listener.enableEvents(log, 0);
    expect(log.isEnabled()).toBe(false);
  });
});

describe('disableEvents', () => {
  it('disables the events of one source, and leaves the others', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, 0);
    listener.enableEvents(other, 0);
    listener.disableEvents(log);
    writeAll();
    other.Ping();
    expect(heard).toEqual(['Ping']);
    expect(log.isEnabled()).toBe(false);
  });
});

describe('several listeners', () => {
  it('each receive what they requested, and the source writes what any of them wants', () => {
    const first = hearing();
    const second = hearing();
    first.listener.enableEvents(log, Level.Error);
    second.listener.enableEvents(log, Level.Verbose, 0x2n);
    expect([log.Failed.enabled, log.Done.enabled, log.Noise.enabled]).toEqual([true, true, true]);
    writeAll();
    expect(first.heard).toEqual(['Failed']);
    expect(second.heard).toEqual(['Done', 'Noise']);
  });

  it('keep what they requested when another leaves: no more and no less is written', () => {
    const first = hearing();
    const second = hearing();
    first.listener.enableEvents(log, 0);
    second.listener.enableEvents(log, Level.Error);
    first.listener.close();
    expect([log.Failed.enabled, log.Done.enabled, log.Noise.enabled]).toEqual([true, false, false]);
  });
});

describe('an event', () => {
  it("has everything that .NET's has", () => {
    const events: WrittenEvent[] = [];
    const listener = listenerWith({ onEventWritten: (written) => events.push(written) });
    listener.enableEvents(log, Level.Error);
    const ids = {
      activityId: '00000011-0000-0000-0000-0000be999d59',
      relatedActivityId: '00000012-0000-0000-0000-0000be999d59',
    };
    log.Failed({ code: 5, text: 'x' }, ids);
    const [written] = events;
    expect(written).toMatchObject({
      source: log,
      provider: 'EventListener-Test',
      name: 'Failed',
      id: 1,
      version: 3,
      level: Level.Error,
      keywords: 0x1n,
      opcode: Opcode.Info,
      task: 77,
      tag: 5,
      channel: 0,
      message: 'Failed with {0}',
      payload: { code: 5, text: 'x' },
      payloadNames: ['code', 'text'],
      timestamp: expect.any(BigInt),
      ...ids,
    });
    if (process.platform === 'linux') expect(written?.osThreadId).toBeGreaterThan(0);
  });

  it('carries the current activity unless given one, and has no message without a format', () => {
    const events: WrittenEvent[] = [];
    const source = defineEventSource('EventListener-Test-Activity', {
      WorkStart: event(),
      WorkStop: event({ success: 'bool' }),
      Step: event(),
    });
    listenerWith({ onEventWritten: (written) => events.push(written) }).enableEvents(source, 0);
    source.activity('Work', {}, () => source.Step());
    expect(events[1]?.activityId).toBe(events[0]?.activityId);
    expect(events[1]?.activityId).toEqual(expect.any(String));
    expect(events[1]?.message).toBeUndefined();
  });
});

describe('a handler', () => {
  it('that throws affects neither the writer nor other listeners; it is counted, and reported once', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    const failing = listenerWith({
      onEventSourceCreated: () => {
        throw new Error('no sources, please');
      },
      onEventWritten: () => {
        throw new Error('no events, please');
      },
    });
    const before = failing.failures;
    expect(before).toBe(eventSources().length);
    failing.enableEvents(log, 0);
    const { listener, heard } = hearing();
    listener.enableEvents(log, 0);
    expect(() => writeAll()).not.toThrow();
    expect(failing.failures).toBe(before + 3);
    expect(heard).toHaveLength(3);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^A listener threw when it was shown the event source \S+: Error: no sources, please\n/,
    );
  });

  it('that writes is not called inside its own call, for any source; what it missed is counted', () => {
    const listener = listenerWith({
      onEventWritten: () => {
        log.Done();
        other.Ping();
      },
    });
    listener.enableEvents(log, 0);
    listener.enableEvents(other, 0);
    log.Done();
    expect(listener.skipped).toBe(2);
  });
});

describe('a closed listener', () => {
  it('receives nothing more from any source, and leaves nothing enabled', () => {
    const { listener, heard } = hearing();
    listener.enableEvents(log, 0);
    listener.enableEvents(other, 0);
    listener[Symbol.dispose]();
    writeAll();
    other.Ping();
    expect(heard).toEqual([]);
    expect([log.isEnabled(), other.isEnabled()]).toEqual([false, false]);
  });

  it('notifies the sources once', () => {
    const commands: SourceCommand[] = [];
    const source = newSource();
    source.onCommand((command) => commands.push(command));
    const { listener } = hearing();
    listener.enableEvents(source, 0);
    listener.close();
    listener.close();
    expect(commands.map(({ kind }) => kind)).toEqual(['enable', 'disable']);
  });
});
