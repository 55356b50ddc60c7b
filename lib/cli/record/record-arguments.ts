/** The command line of `tracewright record`. */
import type { CpuOptions } from '../../record/cpu-sampling.ts';
import type { EtwRecordingSession } from '../../record/etw-recording.ts';
import type { SelectionOptions, Tracepoint } from '../../record/tracepoint-selection.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import {
  durationArgument,
  given,
  keywordsArgument,
  levelArgument,
  sizeArgument,
} from '../argument-values.ts';
import { UNPREPARED_OPTIONS, UNPREPARED_USAGE, type UnpreparedValues } from '../collect/unprepared.ts';
import { commandArguments, processIdArgument, splitCommand } from '../command-arguments.ts';
import { UsageError } from '../parse-options.ts';
import { ACTIVITY_RUNS, ACTIVITY_SWITCHES, sessionProviders, TASKS } from '../trace/provider-argument.ts';
import { ETW_OPTIONS, ETW_USAGE, etwArguments } from './record-etw-arguments.ts';
import { modeArgument, type RecordMode } from './record-mode.ts';

const LINUX_FILE = 'perf.data';
const WINDOWS_FILE = 'trace.etl';
const EVENTPIPE_FILE = 'trace.nettrace';
const DEFAULT_RING_BYTES = 2 << 20;
/** No page is larger. */
const MIN_RING_BYTES = 64 << 10;
const MAX_RING_BYTES = 2 ** 30;
/** No multiple of what timers use, so that it is not in step with them. */
const DEFAULT_FREQUENCY = 999;
const MAX_FREQUENCY = 100_000;
const DEFAULT_MAX_BYTES = 2 ** 30;
/** ETW takes 32 bits of KiB. */
const LARGEST_MAX_BYTES = (2 ** 32 - 1) * 1024;

export const RECORD_USAGE = `Usage: tracewright record [OPTION]... [-- COMMAND [ARGUMENT]...]
       tracewright record --user-events --provider NAME... [OPTION]... -p PID

Records the events that programs write, on the whole system, into a file for "tracewright" and other tools: on Linux
user_events into a perf.data, on Windows ETW events into an .etl. Ends with COMMAND, after --duration, or
with Ctrl-C.

  -o, --output FILE         the file (${LINUX_FILE}, ${WINDOWS_FILE}); an existing one becomes FILE.old
  --provider NAME           only events of this provider; can be repeated. On Windows a name or a GUID, and
                            required; on Linux, the default is all of user_events
  --tracepoint SYSTEM:NAME  Linux: this tracepoint, of any system; can be repeated. user_events:Provider_L4K1 is
                            created if no program has registered it yet, so that no event is missed
  --level N                 only levels up to N of the providers: a number or a name, such as Warning
  --keywords HEX            only events of the providers with one of these keywords, or without keywords
  --stacks                  Windows: adds a stack to each event
  --max-size SIZE           Windows: stops when the file has this size (1GiB). With --ring: writes no more
                            when all files together have it
  --end-left-behind         Windows: first ends the ETW session of a recording that was killed
  --duration TIME           stops after this time, such as 10s or 5min, and ends COMMAND, too
  --user NAME               Linux, as root: runs COMMAND as this user, who owns the file; under sudo, the default
                            is the user who ran sudo
  --buffer-size SIZE        buffer size per processor (2MiB)
  --cpu                     also samples what the processors do, with stacks: of COMMAND and all it starts, of the
                            process of -p, or of the whole system, and records what activities they are for.
                            "tracewright view --cpu" shows them. Windows: always of the whole system
  --ring                    a flight recorder. The latest events, and samples of --cpu, stay in memory, and are written
                            to FILE.TIME on SIGUSR2 (Windows: Ctrl-Break), and at the end; --buffer-size limits the
                            memory
  --frequency HZ            for --cpu: samples per second of each processor (${DEFAULT_FREQUENCY}; Windows: as it is set)

On Linux, a COMMAND that uses tracewright waits until each of its tracepoints is recorded, so nothing is missed.
New tracepoints of other programs are noticed within 50 ms.

${ETW_USAGE}
"tracewright collect" records a single process through its diagnostic port, without the kernel and any rights but those
of the process's user. A COMMAND is recorded so, into ${EVENTPIPE_FILE}, if the kernel has no tracer. With access to it:

  --user-events             Linux 6.4 or later: the events of one process. Only the recorder needs access to the kernel's
                            tracer, which it passes on to the process; --provider is then NAME[:KEYWORDS[:LEVEL]]
  -p, --process-id PID      the process; "tracewright ps" lists them. On Windows also without --user-events: only its
                            events
${UNPREPARED_USAGE}`;

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
  'user-events': { type: 'boolean' },
  'process-id': { type: 'string', short: 'p' },
  ...UNPREPARED_OPTIONS,
  'max-size': { type: 'string' },
  cpu: { type: 'boolean' },
  frequency: { type: 'string' },
  ring: { type: 'boolean' },
  'end-left-behind': { type: 'boolean' },
  ...ETW_OPTIONS,
  help: { type: 'boolean', short: 'h' },
} as const;

export interface RecordArguments {
  readonly mode: RecordMode;
  readonly file: string;
  /** The file if a COMMAND is recorded through EventPipe, for want of a tracer. */
  readonly eventPipeFile: string;
  readonly selected: SelectionOptions;
  /** The providers request the same for a session of one process. */
  readonly providers: readonly TracingProvider[];
  /** The process to record or sample. */
  readonly processId: number | undefined;
  /** What to do if it has no port. */
  readonly unprepared: UnpreparedValues;
  /** The options for sampling the CPU, if that was requested. */
  readonly cpu: CpuOptions | undefined;
  /** Keeps the latest events in memory, and writes them on request. */
  readonly isRing: boolean;
  /** What the session is; Windows. */
  readonly etw: EtwRecordingSession;
  /** The size of the file, or of all files of a ring. */
  readonly maxBytes: number;
  /** Whether to end the session of a killed recording; Windows. */
  readonly endsLeftBehind: boolean;
  /** Buffer size per processor in bytes; a power of two. */
  readonly bufferBytes: number;
  /** Runs COMMAND and owns the file. */
  readonly user: string | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
  /** The command has its arguments; it is empty if there is none. */
  readonly command: readonly string[];
}

/**
 * @param platform Node's name for the system to record
 * @returns undefined if help was requested
 * @throws UsageError
 */
export function recordArguments(
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): RecordArguments | undefined {
  if (splitCommand(args).own.includes('--eventpipe')) {
    throw new UsageError('There is no option --eventpipe: "tracewright collect" records through EventPipe.');
  }
  const { values, command } = commandArguments(args, OPTIONS);
  if (values.help === true) return undefined;
  const mode = modeArgument(values, command, platform);
  const { provider: names, tracepoint } = values;
  const filter = {
    ...(values.level === undefined ? {} : { level: levelArgument(values.level, 1) }),
    ...(values.keywords === undefined ? {} : { keywords: keywordsArgument(values.keywords) }),
  };
  const processId = values['process-id'] === undefined ? undefined : processIdArgument(values['process-id']);
  return {
    mode,
    file: values.output ?? (platform === 'win32' ? WINDOWS_FILE : LINUX_FILE),
    eventPipeFile: values.output ?? EVENTPIPE_FILE,
    selected: {
      ...(names === undefined ? {} : { providers: names }),
      ...(tracepoint === undefined ? {} : { tracepoints: tracepoint.map(tracepointArgument) }),
      ...filter,
      ...(values.cpu === true && { activityRuns: true }),
    },
    providers: [
      ...sessionProviders(names, filter, mode !== 'system'),
      ...(values.cpu === true ? [ACTIVITY_SWITCHES, ACTIVITY_RUNS, TASKS] : []),
    ],
    processId,
    unprepared: { yes: values.yes, leave: values.leave },
    isRing: values.ring === true,
    cpu:
      values.cpu === true
        ? {
            frequency: frequencyArgument(values.frequency),
            of: processId ?? (command.length > 0 ? 'command' : 'system'),
          }
        : undefined,
    etw: {
      ...etwArguments(values, processId),
      ...(values.cpu === true && { cpu: sampleInterval(values.frequency) }),
    },
    maxBytes: given(sizeArgument, '--max-size', values['max-size'], LARGEST_MAX_BYTES) ?? DEFAULT_MAX_BYTES,
    endsLeftBehind: values['end-left-behind'] === true,
    bufferBytes: bufferSizeArgument(values['buffer-size']),
    user: values.user,
    duration: given(durationArgument, '--duration', values.duration),
    command,
  };
}

/** Names of systems and tracepoints are folder names: they must not form a path. */
function tracepointArgument(text: string): Tracepoint {
  const { system, name } = /^(?<system>[^:/.]+):(?<name>[^:/]+)$/.exec(text)?.groups ?? {};
  if (system === undefined || name === undefined || name === '..') {
    throw new UsageError(`--tracepoint takes SYSTEM:NAME, not "${text}".`);
  }
  return { system, name };
}

function frequencyArgument(text: string | undefined): number {
  if (text === undefined) return DEFAULT_FREQUENCY;
  const frequency = /^\d+$/.test(text) ? Number(text) : 0;
  if (frequency >= 1 && frequency <= MAX_FREQUENCY) return frequency;
  throw new UsageError(`--frequency takes a number from 1 to ${MAX_FREQUENCY}, not "${text}".`);
}

/** ETW's unit is 100 ns. */
function sampleInterval(frequency: string | undefined): { readonly sampleIntervalMs?: number } {
  if (frequency === undefined) return {};
  return { sampleIntervalMs: Math.round(10_000_000 / frequencyArgument(frequency)) / 10_000 };
}

/** Rounded up to a size that the kernel accepts: it sizes a ring in powers of two pages. */
function bufferSizeArgument(text: string | undefined): number {
  if (text === undefined) return DEFAULT_RING_BYTES;
  return (
    2 ** Math.ceil(Math.log2(Math.max(sizeArgument('--buffer-size', text, MAX_RING_BYTES), MIN_RING_BYTES)))
  );
}
