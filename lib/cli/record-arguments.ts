/** The command line of `tracewright record`. */
import type { SelectionOptions, Tracepoint } from '../record/selection.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { commandArguments } from './command-arguments.ts';
import { keywordsArgument } from './event-filter.ts';
import { processIdArgument } from './process-id-argument.ts';
import { sessionProviders } from './provider-argument.ts';
import { type RecordRoad, roadArgument } from './record-road.ts';
import { UsageError } from './usage-error.ts';

const LINUX_FILE = 'perf.data';
const WINDOWS_FILE = 'trace.etl';
const EVENTPIPE_FILE = 'trace.nettrace';
const DEFAULT_RING_KIB = 2048;
/** No page is larger, and the kernel counts a ring in powers of two of pages. */
const MIN_RING_KIB = 64;
const MAX_RING_KIB = 1 << 20;
const MAX_LEVEL = 255;
const DEFAULT_MAX_MIB = 1024;
/** ETW counts in 32 bits. */
const LARGEST_MAX_MIB = 2 ** 32 - 1;

export const RECORD_USAGE = `Usage: tracewright record [OPTION]... [-- COMMAND [ARGUMENT]...]
       tracewright record --eventpipe [OPTION]... (-p PID | -- COMMAND [ARGUMENT]...)
       tracewright record --user-events --provider NAME... [OPTION]... -p PID

Records the events that programs write, on the whole system, into a file for "tracewright" and other tools: on Linux
those of user_events into a perf.data, on Windows those of ETW into an .etl. Ends with COMMAND, after --duration, or
with Ctrl-C.

  -o, --output FILE         the file (${LINUX_FILE}, ${WINDOWS_FILE}, ${EVENTPIPE_FILE}); one that is there becomes FILE.old
  --provider NAME           the events of this provider; may be repeated. On Windows its name or its GUID, and never
                            left out; on Linux all of user_events is recorded without it
  --tracepoint SYSTEM:NAME  Linux: this tracepoint, of any system; may be repeated. user_events:Provider_L4K1 is made
                            if no program has registered it yet, so that nothing of it is missed
  --level N                 of providers, levels up to N
  --keywords HEX            of providers, events with one of these keywords, or without any
  --stacks                  Windows: each event with its stack
  --max-size MIB            Windows: the recording ends when the file is as large (${DEFAULT_MAX_MIB})
  --end-left-behind         Windows: first ends the ETW session of a recording that was killed
  --duration SECONDS        ends after so long, and ends COMMAND too
  --user NAME               Linux, as root: runs COMMAND as this user, who gets the file; under sudo, that is the
                            user who ran sudo unless another is named
  --buffer-size KIB         of the buffers of each processor (${DEFAULT_RING_KIB})

On Linux, a COMMAND that uses tracewright waits until each of its tracepoints is recorded, so its first event is too.
Other programs' new tracepoints are noticed within 50 ms.

One process can be recorded through its diagnostic port, and a --provider is NAME[:KEYWORDS[:LEVEL]] then:

  --eventpipe               into a .nettrace, as "tracewright collect" does. Needs no kernel, and no rights but those of
                            the process's user. A COMMAND is recorded so by itself where the kernel has no tracer
  --user-events             Linux, 6.4 or later: into a perf.data. Only the recorder needs rights on the kernel's tracer,
                            which it passes to the process
  -p, --process-id PID      the process; "tracewright ps" lists them
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  provider: { type: 'string', multiple: true },
  tracepoint: { type: 'string', multiple: true },
  level: { type: 'string' },
  keywords: { type: 'string' },
  stacks: { type: 'boolean' },
  duration: { type: 'string' },
  user: { type: 'string' },
  'buffer-size': { type: 'string' },
  eventpipe: { type: 'boolean' },
  'user-events': { type: 'boolean' },
  'process-id': { type: 'string', short: 'p' },
  'max-size': { type: 'string' },
  'end-left-behind': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export interface RecordArguments {
  readonly road: RecordRoad;
  readonly file: string;
  /** The file of a recording by EventPipe, whatever the road. */
  readonly eventPipeFile: string;
  readonly selected: SelectionOptions;
  /** The same as a session of a process is asked for it. */
  readonly providers: readonly TracingProvider[];
  /** Of the process that is recorded. */
  readonly processId: number | undefined;
  /** Each event with its stack; Windows. */
  readonly stacks: boolean;
  /** Of the file, in MiB; Windows. */
  readonly maxSize: number;
  /** Whether to end the session of a recording that was killed; Windows. */
  readonly endsLeftBehind: boolean;
  /** Of the buffers of each processor, in bytes; a power of two. */
  readonly bufferSize: number;
  /** Whose COMMAND and file are. */
  readonly user: string | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
  /** With its arguments; empty: none. */
  readonly command: readonly string[];
}

/**
 * @param platform Node's name of the system that is to be recorded
 * @returns undefined when help was asked for
 * @throws UsageError
 */
export function recordArguments(
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): RecordArguments | undefined {
  const { values, command } = commandArguments(args, OPTIONS);
  if (values.help === true) return undefined;
  const road = roadArgument(values, command, platform);
  const { provider: names, tracepoint, stacks = false } = values;
  const filter = {
    ...(values.level === undefined ? {} : { level: levelArgument(values.level) }),
    ...(values.keywords === undefined ? {} : { keywords: keywordsArgument(values.keywords) }),
  };
  const eventPipeFile = values.output ?? EVENTPIPE_FILE;
  const systemFile = values.output ?? (platform === 'win32' ? WINDOWS_FILE : LINUX_FILE);
  return {
    road,
    file: road === 'eventpipe' ? eventPipeFile : systemFile,
    eventPipeFile,
    selected: {
      ...(names === undefined ? {} : { providers: names }),
      ...(tracepoint === undefined ? {} : { tracepoints: tracepoint.map(tracepointArgument) }),
      ...filter,
    },
    providers: sessionProviders(names, filter, road !== 'system'),
    processId: values['process-id'] === undefined ? undefined : processIdArgument(values['process-id']),
    stacks,
    maxSize: maxSizeArgument(values['max-size']),
    endsLeftBehind: values['end-left-behind'] === true,
    bufferSize: bufferSizeArgument(values['buffer-size']),
    user: values.user,
    duration: durationArgument(values.duration),
    command,
  };
}

/** Names of systems and tracepoints are names of folders: no path may be made of them. */
function tracepointArgument(text: string): Tracepoint {
  const { system, name } = /^(?<system>[^:/.]+):(?<name>[^:/]+)$/.exec(text)?.groups ?? {};
  if (system === undefined || name === undefined || name === '..') {
    throw new UsageError(`--tracepoint takes SYSTEM:NAME, not "${text}".`);
  }
  return { system, name };
}

function levelArgument(text: string): number {
  const level = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (level >= 1 && level <= MAX_LEVEL) return level;
  throw new UsageError(`--level takes a number from 1 to ${MAX_LEVEL}, not "${text}".`);
}

/** @returns milliseconds */
export function durationArgument(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  // What a timer can wait for.
  if (seconds > 0 && seconds * 1000 < 2 ** 31) return seconds * 1000;
  throw new UsageError(`--duration takes seconds, not "${text}".`);
}

/** Rounded up to what the kernel takes. */
function bufferSizeArgument(text: string | undefined): number {
  if (text === undefined) return DEFAULT_RING_KIB * 1024;
  const kibibytes = /^\d+$/.test(text) ? Number(text) : 0;
  if (kibibytes >= 1 && kibibytes <= MAX_RING_KIB) {
    return 1024 * 2 ** Math.ceil(Math.log2(Math.max(kibibytes, MIN_RING_KIB)));
  }
  throw new UsageError(`--buffer-size takes KiB, from 1 to ${MAX_RING_KIB}, not "${text}".`);
}

function maxSizeArgument(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MAX_MIB;
  const size = /^\d+$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= LARGEST_MAX_MIB) return size;
  throw new UsageError(`--max-size takes MiB, from 1 to ${LARGEST_MAX_MIB}, not "${text}".`);
}
