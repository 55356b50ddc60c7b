/** Commands to event sources: their senders, times, contents and handlers. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  defineEventSource,
  EventListener,
  type EventListenerHandlers,
  event,
  Level,
  listen,
  type SourceCommand,
  sendCommand,
} from '../../lib/index.ts';

let number = 0;
const newSource = () =>
  defineEventSource(`Commands-Test-${++number}`, {
    Warned: event({}, { level: Level.Warning, keywords: 0x1n }),
    Told: event(),
  });

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

/** The commands that a handler which is attached now hears from now on, in short. */
function heardBy(source: ReturnType<typeof newSource>): string[] {
  const heard: string[] = [];
  source.onCommand(({ kind, code, level, anyKeyword, arguments: args }) => {
    heard.push(`${kind} ${code} ${level} ${anyKeyword} ${JSON.stringify(args)}`);
  });
  return heard;
}

describe('a listener', () => {
  it('sends an enable command with its level, keywords and arguments, as text', () => {
    const source = newSource();
    const heard = heardBy(source);
    listenerWith().enableEvents(source, Level.Warning, 0x3n, { EventCounterIntervalSec: 0.5, other: 'x' });
    expect(heard).toEqual(['enable -2 3 3 {"EventCounterIntervalSec":"0.5","other":"x"}']);
  });

  it('sends an enable command for each new request, and a disable command when it ends', () => {
    const source = newSource();
    const heard = heardBy(source);
    const listener = listenerWith();
    listener.enableEvents(source, Level.Error);
    listener.enableEvents(source, Level.Verbose);
    listener.disableEvents(source);
    listener.disableEvents(source);
    expect(heard).toEqual(['enable -2 2 0 {}', 'enable -2 5 0 {}', 'disable -3 0 0 {}']);
  });

  it('of one source, created by listen, does the same', () => {
    const source = newSource();
    const heard = heardBy(source);
    listen(source, () => {}, { level: Level.Error, keywords: 0x1n }).close();
    expect(heard).toEqual(['enable -2 2 1 {}', 'disable -3 0 0 {}']);
  });

  it('is reported when it leaves although others stay: isEnabled returns what those want', () => {
    const source = newSource();
    const wanted: boolean[] = [];
    source.onCommand(({ kind }) => {
      if (kind === 'disable') wanted.push(source.isEnabled());
    });
    const [first, second] = [listenerWith(), listenerWith()];
    first.enableEvents(source, 0);
    second.enableEvents(source, 0);
    first.close();
    second.close();
    expect(wanted).toEqual([true, false]);
  });
});

describe('the combined request of listeners', () => {
  it('has the most verbose level, and any of all keywords', () => {
    const source = newSource();
    expect(source.isEnabled()).toBe(false);
    listenerWith().enableEvents(source, Level.Error, 0x1n);
    listenerWith().enableEvents(source, Level.Error, 0x2n);
    expect(source.isEnabled(Level.Error, 0x1n)).toBe(true);
    expect(source.isEnabled(Level.Error, 0x2n)).toBe(true);
    expect(source.isEnabled(Level.Error, 0x4n)).toBe(false);
    expect(source.isEnabled(Level.Warning, 0x1n)).toBe(false);
    listenerWith().enableEvents(source, Level.Verbose, 0x1n);
    expect(source.isEnabled(Level.Verbose, 0x1n)).toBe(true);
  });

  it('does not mix them: the level of one with the keywords of another passes nothing', () => {
    const source = newSource();
    listenerWith().enableEvents(source, Level.Verbose, 0x1n);
    listenerWith().enableEvents(source, Level.Error, 0x2n);
    expect(source.isEnabled(Level.Verbose, 0x2n)).toBe(false);
  });

  it('is everything once anybody requests level 0 and keywords 0', () => {
    const source = newSource();
    listenerWith().enableEvents(source, 0);
    listenerWith().enableEvents(source, Level.Error, 0x1n);
    expect(source.isEnabled(255, 0x8000n)).toBe(true);
  });
});

describe('a command handler', () => {
  it('is called after the events are enabled: listeners receive what it writes', () => {
    const source = newSource();
    source.onCommand(({ kind }) => {
      if (kind === 'enable') source.Told();
    });
    const onEventWritten = vi.fn();
    listenerWith({ onEventWritten }).enableEvents(source, 0);
    expect(onEventWritten).toHaveBeenCalledTimes(1);
  });

  it('added late receives the enable commands still in effect, once per listener', () => {
    const source = newSource();
    const [first, second, third] = [listenerWith(), listenerWith(), listenerWith()];
    first.enableEvents(source, Level.Error);
    second.enableEvents(source, Level.Error);
    third.enableEvents(source, Level.Error);
    first.enableEvents(source, Level.Verbose, 0n, { a: 1 });
    second.close();
    expect(heardBy(source)).toEqual(['enable -2 2 0 {}', 'enable -2 5 0 {"a":"1"}']);
  });

  it('receives everything sent before there could be a handler', () => {
    listenerWith({
      onEventSourceCreated: (source, listener) => {
        if (!source.name.startsWith('Commands-Test-')) return;
        listener.enableEvents(source, Level.Error);
        sendCommand(source, 7, { early: true });
      },
    });
    const source = newSource();
    const early = ['enable -2 2 0 {}', 'user 7 0 0 {"early":"true"}'];
    expect(heardBy(source)).toEqual(early);
    expect(heardBy(source)).toEqual(early);
  });

  it('receives no earlier user command if it could have been there', () => {
    const source = newSource();
    sendCommand(source, 7);
    expect(heardBy(source)).toEqual([]);
  });

  it('that throws affects neither the sender nor other handlers, and is reported as a warning', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    const source = newSource();
    source.onCommand(() => {
      throw new Error('not now');
    });
    const heard = heardBy(source);
    expect(() => listenerWith().enableEvents(source, 0)).not.toThrow();
    expect(heard).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings[0]).toMatch(/^A command handler of Commands-Test-\d+ threw: Error: not now\n/);
  });

  it('may close the listener that it is notified of', () => {
    const source = newSource();
    const listener = listenerWith();
    source.onCommand(() => listener.close());
    listener.enableEvents(source, 0);
    expect(source.isEnabled()).toBe(false);
  });
});

describe('sendCommand', () => {
  it("sends an application's own command with arguments, without changing what is enabled", () => {
    const source = newSource();
    const commands: SourceCommand[] = [];
    source.onCommand((command) => commands.push(command));
    sendCommand(source, 1, { path: '/tmp', count: 2 });
    sendCommand(source, 'sendManifest');
    expect(commands).toEqual([
      {
        kind: 'user',
        code: 1,
        level: 0,
        anyKeyword: 0n,
        allKeyword: 0n,
        arguments: { path: '/tmp', count: '2' },
        filter: new Uint8Array(0),
      },
      expect.objectContaining({ kind: 'sendManifest', code: -1 }),
    ]);
    expect(source.isEnabled()).toBe(false);
  });

  it.each([0, -2, -3, 1.5, Number.NaN])('rejects %s, which nobody may send', (command) => {
    expect(() => sendCommand(newSource(), command)).toThrow(
      new RangeError(`A command must be an integer of at least 1, or 'sendManifest', not ${command}.`),
    );
  });
});
