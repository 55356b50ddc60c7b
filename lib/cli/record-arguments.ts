/** The command line of `tracewright record`. */
import type { SelectionOptions, Tracepoint } from '../session/record/selection.ts';
import { commandArguments } from './command-arguments.ts';
import { keywordsArgument } from './event-filter.ts';
import { UsageError } from './usage-error.ts';

const LINUX_FILE = 'perf.data';
const WINDOWS_FILE = 'trace.etl';
const DEFAULT_RING_KIB = 2048;
/** No page is larger, and the kernel counts a ring in powers of two of pages. */
const MIN_RING_KIB = 64;
const MAX_RING_KIB = 1 << 20;
const MAX_LEVEL = 255;

export const RECORD_USAGE = `Usage: tracewright record [OPTION]... [-- COMMAND [ARGUMENT]...]

Records the events that programs write, on the whole system, into a file for "tracewright" and other tools: on Linux
those of user_events into a perf.data, on Windows those of ETW into an .etl. Ends with COMMAND, after --duration, or
with Ctrl-C.

  -o, --output FILE         the file (${LINUX_FILE}, ${WINDOWS_FILE}); one that is there becomes FILE.old
  --provider NAME           the events of this provider; may be repeated. On Windows its name or its GUID, and never
                            left out; on Linux all of user_events is recorded without it
  --tracepoint SYSTEM:NAME  Linux: this tracepoint, of any system; may be repeated. user_events:Provider_L4K1 is made
                            if no program has registered it yet, so that nothing of it is missed
  --level N                 of providers, levels up to N
  --keywords HEX            of providers, events with one of these keywords, or without any
  --stacks                  Windows: each event with its stack
  --duration SECONDS        ends after so long, and ends COMMAND too
  --buffer-size KIB         of the buffers of each processor (${DEFAULT_RING_KIB})

On Linux, a COMMAND that uses tracewright waits until each of its tracepoints is recorded, so its first event is too.
Other programs' new tracepoints are noticed within 50 ms.
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  provider: { type: 'string', multiple: true },
  tracepoint: { type: 'string', multiple: true },
  level: { type: 'string' },
  keywords: { type: 'string' },
  stacks: { type: 'boolean' },
  duration: { type: 'string' },
  'buffer-size': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export interface RecordArguments {
  readonly file: string;
  readonly selected: SelectionOptions;
  /** Each event with its stack; Windows. */
  readonly stacks: boolean;
  /** Of the buffers of each processor, in bytes; a power of two. */
  readonly bufferSize: number;
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
  const { provider: providers, tracepoint, stacks = false } = values;
  const isWindows = platform === 'win32';
  if (isWindows && tracepoint !== undefined) throw new UsageError('--tracepoint is for Linux.');
  if (isWindows && providers === undefined) {
    throw new UsageError('On Windows, record takes the name or the GUID of a --provider.');
  }
  if (!isWindows && stacks) throw new UsageError('--stacks is for Windows.');
  return {
    file: values.output ?? (isWindows ? WINDOWS_FILE : LINUX_FILE),
    selected: {
      ...(providers === undefined ? {} : { providers }),
      ...(tracepoint === undefined ? {} : { tracepoints: tracepoint.map(tracepointArgument) }),
      ...(values.level === undefined ? {} : { level: levelArgument(values.level) }),
      ...(values.keywords === undefined ? {} : { keywords: keywordsArgument(values.keywords) }),
    },
    stacks,
    bufferSize: bufferSizeArgument(values['buffer-size']),
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
