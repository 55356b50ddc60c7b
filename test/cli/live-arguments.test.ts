import { describe, expect, it } from 'vitest';
import { type LiveArguments, liveArguments } from '../../lib/cli/live/live-arguments.ts';
import { UsageError } from '../../lib/cli/parse-options.ts';
import { Selection } from '../../lib/record/tracepoint-selection.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';

const selectionOf = (given: LiveArguments | undefined) => new Selection(given?.selected ?? {});
const tracepoint = (name: string) => ({ system: 'user_events', name });
/** All that a filter asks of an event. */
const eventOf = (provider: string, name = 'Tick', level = 4) => ({ provider, name, level }) as TraceEvent;

describe('the command line of live', () => {
  it('may be empty, and then shows everything', () => {
    const given = liveArguments([]);
    expect(given).toMatchObject({ json: false, command: [] });
    expect(selectionOf(given).has(tracepoint('Any_L5K0'))).toBe(true);
    expect(given?.events.has(eventOf('Any'))).toBe(true);
  });

  it('makes the kernel record only the requested providers and levels', () => {
    const given = liveArguments(['--provider', 'My-Company', '--level', 'warning', '--', 'node', '--level']);
    const recorded = ['My_Company_L3K0', 'My_Company_L4K0', 'Other_L3K0'].map((name) =>
      selectionOf(given).has(tracepoint(name)),
    );
    expect(recorded).toEqual([true, false, false]);
    expect(given?.events.has(eventOf('My_Company', 'Tick', 3))).toBe(true);
    expect(given?.command).toEqual(['node', '--level']);
  });

  it('accepts patterns, for which the kernel records everything', () => {
    const given = liveArguments(['--provider', 'My-C*', '--provider', 'Other-One', '--event', 'T*']);
    expect(selectionOf(given).has(tracepoint('Third_L5K0'))).toBe(true);
    const shown = ['My_Company', 'Other_One', 'Third'].map((name) => given?.events.has(eventOf(name)));
    expect(shown).toEqual([true, true, false]);
    expect(given?.events.has(eventOf('Other_One', 'Stop'))).toBe(false);
  });

  it.each([
    [['--level', 'loud'], /--level takes a number from 0 to 255, or a name such as Warning, not "loud"/],
    [['--provider', '082256f5-7e74-534a-d7aa-b5a2c4825e57'], 'providers have no GUID on Linux'],
    [['--from', '1s'], /--from/],
    [['--json', '--web'], 'live takes --json or --web, not both.'],
    [['-p', '1', '--', 'node'], 'live takes a --process-id, a --session or a COMMAND, not several of them.'],
    [['--leave'], '--leave is for a --process-id.'],
    [['--session', 'Any'], '--session takes an ETW session: it is for Windows.'],
    [['--'], 'There is no command after --.'],
  ])('is rejected as %j', (args, message) => {
    expect(() => liveArguments(args)).toThrow(UsageError);
    expect(() => liveArguments(args)).toThrow(message);
  });

  it('asks the port of a process for what it shows, by names or for everything', () => {
    const ofProcess = (...args: string[]) => liveArguments(['-p', '4711', '--yes', ...args]);
    const given = ofProcess('--provider', 'My-Company', '--level', 'warning');
    expect(given?.process).toMatchObject({
      target: { 'process-id': 4711, yes: true },
      providers: [{ name: 'My-Company', level: 3 }],
    });
    expect(given?.events.has(eventOf('My-Company', 'Tick', 3))).toBe(true);
    const ofPattern = ofProcess('--provider', 'My-*');
    expect(ofPattern?.process?.providers).toMatchObject([{ name: '*' }]);
    expect(['My-Company', 'Other'].map((name) => ofPattern?.events.has(eventOf(name)))).toEqual([
      true,
      false,
    ]);
  });

  it('names providers or a session on Windows', () => {
    const given = liveArguments(['--provider', 'My-Company', '--level', '3'], 'win32');
    expect(given?.selected).toEqual({ providers: ['My-Company'], level: 3 });
    expect(given?.events.has(eventOf('My-Company', 'Tick', 3))).toBe(true);
    const ofSession = liveArguments(['--session', 'EventLog-System'], 'win32');
    expect(ofSession?.session).toBe('EventLog-System');
    expect(ofSession?.events.has(eventOf('Any'))).toBe(true);
  });

  it.each([
    [[], 'live needs --provider NAME or --session NAME on Windows'],
    [['--provider', 'My-*'], '--provider takes a name or a GUID on Windows, not "My-*"'],
    [['--session', ''], '--session takes the name of an ETW session, not "".'],
  ])('is rejected on Windows as %j', (args, message) => {
    expect(() => liveArguments(args, 'win32')).toThrow(message);
  });

  it('prints help on request', () => {
    expect(liveArguments(['--help', '--', 'node'])).toBeUndefined();
  });
});
