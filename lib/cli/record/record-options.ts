/** The options of `tracewright record`. */

import type { Tracepoint } from '../../record/tracepoint-selection.ts';
import {
  choice,
  count,
  duration,
  FILE,
  KEYWORDS,
  level,
  PROCESS_ID,
  size,
  text,
} from '../argument-values.ts';
import { UNPREPARED_OPTIONS } from '../collect/unprepared.ts';
import { CommandLine } from '../command-line.ts';
import { flag, type OptionRows, type OptionValues, ValueKind } from '../parse-options.ts';

export const LINUX_FILE = 'perf.data';
export const WINDOWS_FILE = 'trace.etl';
export const EVENTPIPE_FILE = 'trace.nettrace';
/** No multiple of what timers use, so that it is not in step with them. */
export const DEFAULT_FREQUENCY = 999;
const MAX_FREQUENCY = 100_000;
const MAX_RING_BYTES = 2 ** 30;
/** ETW takes 32 bits of KiB. */
const LARGEST_MAX_BYTES = (2 ** 32 - 1) * 1024;

/** Names of systems and tracepoints are folder names: they must not form a path. */
const TRACEPOINT = new ValueKind<Tracepoint>('SYSTEM:NAME', 'SYSTEM:NAME', (given) => {
  const { system, name } = /^(?<system>[^:/.]+):(?<name>[^:/]+)$/.exec(given)?.groups ?? {};
  return system === undefined || name === undefined || name === '..' ? undefined : { system, name };
});

const MODE = choice('MODE', { sequential: 'sequential', circular: 'circular', newfile: 'newFile' } as const);

const EVENT_ID = count('ID', 0, 0xffff, 'the id of an event,');

const PROGRAM = new ValueKind('NAME', 'the name of a program', (given) =>
  /^[^;]{1,255}$/s.test(given) ? given : undefined,
);

const SYSTEM_OPTIONS = {
  output: FILE.option(`the file (${LINUX_FILE}, ${WINDOWS_FILE}); an existing one becomes FILE.old`, {
    short: 'o',
  }),
  provider: text('NAME', 'the name of a provider').repeated(`only events of this provider. On Windows a name
      or a GUID, and required; on Linux, the default is all of user_events`),
  tracepoint: TRACEPOINT.repeated(`Linux: this tracepoint, of any system. user_events:Provider_L4K1 is created
      if no program has registered it yet, so that no event is missed`),
  level: level(1).option('only levels up to this one of the providers: a number or a name, such as Warning'),
  keywords: KEYWORDS.option('only events of the providers with one of these keywords, or without keywords'),
  duration: duration().option('stops after this time, such as 10s or 5min, and ends COMMAND, too'),
  cpu: flag(`also samples what the processors do, with stacks: of COMMAND and all it starts, of the process of
      -p, or of the whole system, and records what activities they are for. "tracewright view --cpu" shows
      them. Windows: always of the whole system`),
  frequency: count('HZ', 1, MAX_FREQUENCY).option(`for --cpu: samples per second of each processor
      (${DEFAULT_FREQUENCY}; Windows: as it is set)`),
  ring: flag(`a flight recorder. The latest events, and samples of --cpu, stay in memory, and are written to
      FILE.TIME on SIGUSR2 (Windows: Ctrl-Break), and at the end; --buffer-size limits the memory`),
  'buffer-size': size(MAX_RING_BYTES).option('buffer size per processor (2MiB)'),
  user: text('NAME', 'the name of a user').option(`Linux, as root: runs COMMAND as this user, who owns the
      file; under sudo, the default is the user who ran sudo`),
} as const satisfies OptionRows;

/** Only ETW has these; with `--ring`, `--max-size` is for Linux, too. */
export const ETW_OPTIONS = {
  mode: MODE.option(`sequential (the default) stops at --max-size; circular then replaces the oldest events; newfile goes on with
      another file, whose number replaces %d in FILE`),
  'max-size': size(LARGEST_MAX_BYTES).option(`the size of the file (1GiB). With --ring, also on Linux: writes
      no more when all files together have it`),
  stacks: flag('adds a stack to each event'),
  'stacks-for': EVENT_ID.repeated('adds a stack to events with this id only'),
  exe: PROGRAM.repeated('only events of this program, such as node.exe'),
  'event-id': EVENT_ID.repeated('only events with this id, of up to 64'),
  'not-event-id': EVENT_ID.repeated('only events with other ids than these, of up to 64'),
  event: text('NAME', 'the name of an event').repeated(
    `only events with this name, for TraceLogging providers`,
  ),
  'ignore-keyword-0': flag('leaves out events without keywords'),
  'capture-state': flag('asks the providers for their state at the start'),
  independent: flag('loses no event because another session does'),
  'end-left-behind': flag('first ends the ETW session of a recording that was killed'),
} as const satisfies OptionRows;

const PROCESS_OPTIONS = {
  'user-events': flag(`Linux 6.4 or later: the events of one process. Only the recorder needs access to the
      kernel's tracer, which it passes on to the process; --provider is then NAME[:KEYWORDS[:LEVEL]]`),
  'process-id': PROCESS_ID.option(
    `the process; "tracewright ps" lists them. On Windows also without --user-events: only its events`,
    { short: 'p' },
  ),
  ...UNPREPARED_OPTIONS,
} as const satisfies OptionRows;

export type RecordValues = OptionValues<typeof SYSTEM_OPTIONS & typeof ETW_OPTIONS & typeof PROCESS_OPTIONS>;

export const commandLine = new CommandLine(
  'record',
  ['[OPTION]... [-- COMMAND [ARGUMENT]...]', '--user-events --provider NAME... [OPTION]... -p PID'],
  [
    `Records the events that programs write, on the whole system, into a file for "tracewright" and other tools: on Linux
    user_events into a perf.data, on Windows ETW events into an .etl. Ends with COMMAND, after --duration, or with
    Ctrl-C.`,
    SYSTEM_OPTIONS,
    `On Linux, a COMMAND that uses tracewright waits until each of its tracepoints is recorded, so nothing is missed. New
    tracepoints of other programs are noticed within 50 ms.`,
    'Windows records with an ETW session, which has more options:',
    ETW_OPTIONS,
    `"tracewright collect" records a single process through its diagnostic port, without the kernel and any rights but
    those of the process's user. A COMMAND is recorded so, into ${EVENTPIPE_FILE}, if the kernel has no tracer. With access
    to it:`,
    PROCESS_OPTIONS,
  ],
);
