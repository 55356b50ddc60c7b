import { describe, expect, it } from 'vitest';
import { UsageError } from '../../lib/cli/parse-options.ts';
import { recordArguments } from '../../lib/cli/record/record-arguments.ts';
import { Selection } from '../../lib/record/tracepoint-selection.ts';

const linux = (args: readonly string[]) => recordArguments(args, 'linux');
const windows = (args: readonly string[]) => recordArguments(args, 'win32');

const ALL = 0xffff_ffff_ffff_ffffn;

describe('the command line of record', () => {
  it('may be empty', () => {
    expect(linux([])).toMatchObject({
      file: 'perf.data',
      bufferBytes: 2 << 20,
      duration: undefined,
      command: [],
    });
  });

  it('has options before the command, which has its own', () => {
    const given = linux(['-o', 'a', '--duration', '1.5', '--', 'node', '-o', '--', 'b']);
    expect(given).toMatchObject({ file: 'a', duration: 1500, command: ['node', '-o', '--', 'b'] });
  });

  it('accepts any buffer size, and rounds it to what the kernel supports', () => {
    const sizes = ['1KiB', '64KiB', '65KiB', '3MB'].map(
      (size) => linux(['--buffer-size', size])?.bufferBytes,
    );
    expect(sizes).toEqual([64, 64, 128, 4096].map((kibibytes) => kibibytes * 1024));
  });

  it('samples the CPU of a command, of one process, or of all', () => {
    const sampled = (...args: string[]) => linux(['--cpu', ...args])?.cpu;
    expect(sampled()).toEqual({ frequency: 999, of: 'system' });
    expect(sampled('-p', '42')).toEqual({ frequency: 999, of: 42 });
    expect(sampled('--frequency', '99', '--', 'node')).toEqual({ frequency: 99, of: 'command' });
    expect(linux([])?.cpu).toBeUndefined();
    expect(() => recordArguments(['--cpu'], 'darwin')).toThrow(/only on Linux and Windows/);
  });

  it('can keep the latest events only', () => {
    expect(linux(['--ring', '--max-size', '5MB'])).toMatchObject({ isRing: true, maxBytes: 5e6 });
    expect(linux([])?.isRing).toBe(false);
    expect(windows(['--provider', 'A', '--ring'])).toMatchObject({ isRing: true, etw: { mode: 'memory' } });
    expect(() => recordArguments(['--ring'], 'darwin')).toThrow(/only on Linux and Windows/);
  });

  it('accepts keywords with and without 0x', () => {
    for (const keywords of ['2', '0x2']) {
      const selection = new Selection(linux(['--keywords', keywords])?.selected ?? {});
      expect(selection.has({ system: 'user_events', name: 'P_L4K2' })).toBe(true);
      expect(selection.has({ system: 'user_events', name: 'P_L4K1' })).toBe(false);
    }
  });

  it.each([
    [['--level', '0'], '--level takes a number from 1 to 255, or a name such as Warning, not "0".'],
    [['--keywords', '0xg'], '--keywords takes 64 bits in hex, not "0xg".'],
    [['--duration', '-1s'], /--duration/],
    [['--duration', '0'], '--duration takes a duration such as 10s or 500ms, not "0".'],
    [['--buffer-size', '64'], '--buffer-size takes a size such as 64MB or 512KiB, not "64".'],
    [['--tracepoint', 'name'], '--tracepoint takes SYSTEM:NAME, not "name".'],
    [['--tracepoint', '../x:name'], '--tracepoint takes SYSTEM:NAME, not "../x:name".'],
    [['--tracepoint', 'sched:..'], '--tracepoint takes SYSTEM:NAME, not "sched:..".'],
    [['node', 'app.js'], /node/],
    [['--stacks'], '--stacks is supported only on Windows.'],
    [['--max-size', '5MB'], '--max-size is supported only on Windows.'],
    [['--end-left-behind'], '--end-left-behind is supported only on Windows.'],
    [['--'], 'There is no command after --.'],
    [
      ['-p', '1'],
      '--process-id needs --user-events or --cpu: "tracewright collect -p PID" records the events of one process.',
    ],
    [['--frequency', '99'], '--frequency needs --cpu.'],
    [['--ring', '--stacks'], '--stacks is supported only on Windows.'],
    [['--cpu', '--frequency', '0'], '--frequency takes a number from 1 to 100000, not "0".'],
    [['--cpu', '-p', '1', '--', 'a'], '--process-id and a COMMAND exclude each other.'],
    [['--eventpipe', '-p', '1'], 'There is no option --eventpipe; --help lists the options.'],
    [['--cpu', '-p', '0'], '--process-id takes a process id, not "0".'],
    [['--user-events', '-p', '1', '--stacks'], '--stacks cannot be combined with --user-events.'],
    [
      ['--user-events', '-p', '1', '--tracepoint', 'a:b'],
      '--tracepoint cannot be combined with --user-events.',
    ],
    [
      ['--user-events', '-p', '1', '--provider', 'A:x'],
      /^--provider: The keywords of A must be up to 64 bits/,
    ],
    [['--user-events', '--provider', 'A'], /^--user-events needs a --process-id and takes no COMMAND/],
    [['--user-events', '-p', '1', '--', 'a'], /^--user-events needs a --process-id and takes no COMMAND/],
    [['--user-events', '-p', '1'], '--user-events needs a --provider for each tracepoint to create.'],
  ])('is rejected as %j', (args, message) => {
    expect(() => linux(args)).toThrow(UsageError);
    expect(() => linux(args)).toThrow(message);
  });

  it('can select one process by its diagnostic port', () => {
    const options = ['--user-events', '-p', '4711', '--provider', 'A:2:3', '--provider', 'B', '--level', '4'];
    const given = linux(options);
    expect(given).toMatchObject({ mode: 'user_events', file: 'perf.data', processId: 4711 });
    expect(given?.providers).toEqual([
      { name: 'A', keywords: 2n, level: 3, arguments: '' },
      { name: 'B', keywords: ALL, level: 4, arguments: '' },
    ]);
  });

  it('leaves options of the command alone', () => {
    expect(linux(['--', 'node', '--eventpipe'])?.command).toEqual(['node', '--eventpipe']);
  });

  it('requests of a process everything that it would have requested of the system', () => {
    const providersOf = (...args: readonly string[]) => linux(args)?.providers;
    expect(providersOf()).toEqual([{ name: '*', keywords: ALL, level: 5, arguments: '' }]);
    expect(providersOf('--level', '255', '--keywords', 'f')).toEqual([
      { name: '*', keywords: 15n, level: 0, arguments: '' },
    ]);
    // Of the system, a provider has no more than a name.
    expect(providersOf('--provider', 'A:B')).toEqual([
      { name: 'A:B', keywords: ALL, level: 5, arguments: '' },
    ]);
  });

  it('rejects user events through a passed descriptor outside Linux', () => {
    expect(() => windows(['--user-events', '-p', '1', '--provider', 'A'])).toThrow(
      '--user-events is supported only on Linux.',
    );
  });

  it('gives help when asked', () => {
    expect(linux(['--help', '--', 'node'])).toBeUndefined();
  });

  it('on Windows, selects providers by name or GUID, and writes an .etl', () => {
    expect(windows(['--provider', 'P', '--stacks', '--level', '4', '--keywords', '2'])).toMatchObject({
      file: 'trace.etl',
      selected: { providers: ['P'], level: 4, keywords: 2n },
      etw: { filters: { stacks: true } },
    });
    expect(() => windows([])).toThrow('On Windows, record needs a --provider, by name or GUID.');
    expect(() => windows(['--provider', 'P', '--tracepoint', 's:n'])).toThrow(
      '--tracepoint is supported only on Linux.',
    );
  });
});

it.each(['warning', 'Warning', 'WARNING', '3'])('takes the level %s as collect does', (level) => {
  expect(recordArguments(['--provider', 'P', '--level', level])?.selected).toMatchObject({ level: 3 });
});

describe('the command line of record on Windows', () => {
  const etw = (...args: string[]) => windows(['--provider', 'A', ...args])?.etw;

  it('records all of the providers into one file by default', () => {
    expect(etw()).toEqual({
      mode: 'sequential',
      independent: false,
      capturesState: false,
      filters: { ignoresKeyword0: false, stacks: false },
    });
  });

  it('has a kind of file', () => {
    expect(etw('--mode', 'circular')?.mode).toBe('circular');
    expect(etw('--mode', 'newfile', '-o', 'a%d.etl')?.mode).toBe('newFile');
  });

  it("has ETW's filters", () => {
    const filters = etw(
      ...['-p', '42', '--exe', 'node.exe', '--exe', 'a.exe', '--not-event-id', '7', '--not-event-id', '8'],
      ...['--event', 'Start', '--ignore-keyword-0', '--stacks-for', '1'],
    )?.filters;
    expect(filters).toEqual({
      processIds: [42],
      executables: ['node.exe', 'a.exe'],
      exceptEventIds: [7, 8],
      eventNames: ['Start'],
      ignoresKeyword0: true,
      stacks: [1],
    });
    expect(etw('--event-id', '0', '--stacks')?.filters).toMatchObject({ eventIds: [0], stacks: true });
    expect(etw('--independent', '--capture-state')).toMatchObject({ independent: true, capturesState: true });
  });

  it('samples the CPU, as often as Windows does or as asked', () => {
    expect(etw('--cpu')?.cpu).toEqual({});
    expect(etw('--cpu', '--frequency', '4000')?.cpu).toEqual({ sampleIntervalMs: 0.25 });
  });

  it.each([
    [['--mode', 'ring'], '--mode takes sequential, circular or newfile, not "ring".'],
    [
      ['--mode', 'newfile', '-o', 'a.etl'],
      '--mode newfile needs an --output with %d, which each file\'s number replaces, not "a.etl".',
    ],
    [['--mode', 'circular', '--ring'], '--mode and --ring exclude each other.'],
    [['--event-id', '1', '--not-event-id', '2'], '--event-id and --not-event-id exclude each other.'],
    [['--event-id', '65536'], '--event-id takes the id of an event, from 0 to 65535, not "65536".'],
    [['--stacks-for', 'x'], '--stacks-for takes the id of an event, from 0 to 65535, not "x".'],
    [Array.from({ length: 65 }, () => '--event-id=1'), '--event-id can be given 64 times, not 65.'],
    [['--exe', 'a;b'], '--exe takes the name of a program, not "a;b".'],
    [['--event', ''], '--event takes the name of an event, not "".'],
    [['--cpu', '--frequency', '8001'], '--frequency takes at most 8000 on Windows, not "8001".'],
  ])('refuses %j', (args, message) => {
    expect(() => etw(...args)).toThrow(new UsageError(message));
  });

  it.each(['--mode=circular', '--event-id=1', '--exe=a', '--capture-state', '--independent'])(
    'has %s alone',
    (option) => {
      const name = option.replace(/=.*/, '');
      expect(() => linux([option])).toThrow(`${name} is supported only on Windows.`);
    },
  );
});
