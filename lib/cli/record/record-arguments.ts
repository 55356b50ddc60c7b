/** The command line of `tracewright record`. */

import { ACTIVITY_RUNS, CHARGES } from '../../known/session-requests.ts';
import type { CpuOptions } from '../../record/cpu-sampling.ts';
import type { EtwRecordingSession } from '../../record/etw-recording.ts';
import type { SelectionOptions } from '../../record/tracepoint-selection.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import type { UnpreparedValues } from '../collect/unprepared.ts';
import { sessionProviders } from '../trace/provider-argument.ts';
import { etwArguments } from './record-etw-arguments.ts';
import { modeArgument, type RecordMode } from './record-mode.ts';
import {
  commandLine,
  DEFAULT_FREQUENCY,
  EVENTPIPE_FILE,
  LINUX_FILE,
  WINDOWS_FILE,
} from './record-options.ts';

const DEFAULT_RING_BYTES = 2 << 20;
/** No page is larger. */
const MIN_RING_BYTES = 64 << 10;
const DEFAULT_MAX_BYTES = 2 ** 30;

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
 * @returns undefined if help was requested, after printing it
 * @throws UsageError
 */
export function recordArguments(
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): RecordArguments | undefined {
  const given = commandLine.command(args);
  if (given === undefined) return undefined;
  const { values, command } = given;
  const mode = modeArgument(values, command, platform);
  const { provider: names, tracepoint, level, keywords, 'process-id': processId } = values;
  const filter = { ...(level !== undefined && { level }), ...(keywords !== undefined && { keywords }) };
  return {
    mode,
    file: values.output ?? (platform === 'win32' ? WINDOWS_FILE : LINUX_FILE),
    eventPipeFile: values.output ?? EVENTPIPE_FILE,
    selected: {
      ...(names === undefined ? {} : { providers: names }),
      ...(tracepoint === undefined ? {} : { tracepoints: tracepoint }),
      ...filter,
      ...(values.cpu === true && { activityRuns: true }),
    },
    providers: [
      ...sessionProviders(names, filter, mode !== 'system'),
      ...(values.cpu === true ? [...CHARGES, ACTIVITY_RUNS] : []),
    ],
    processId,
    unprepared: { yes: values.yes, leave: values.leave },
    isRing: values.ring === true,
    cpu:
      values.cpu === true
        ? {
            frequency: values.frequency ?? DEFAULT_FREQUENCY,
            of: processId ?? (command.length > 0 ? 'command' : 'system'),
          }
        : undefined,
    etw: {
      ...etwArguments(values, processId),
      ...(values.cpu === true && { cpu: sampleInterval(values.frequency) }),
    },
    maxBytes: values['max-size'] ?? DEFAULT_MAX_BYTES,
    endsLeftBehind: values['end-left-behind'] === true,
    bufferBytes: kernelSize(values['buffer-size'] ?? DEFAULT_RING_BYTES),
    user: values.user,
    duration: values.duration,
    command,
  };
}

/** ETW's unit is 100 ns. */
function sampleInterval(frequency: number | undefined): { readonly sampleIntervalMs?: number } {
  return frequency === undefined ? {} : { sampleIntervalMs: Math.round(10_000_000 / frequency) / 10_000 };
}

/** Rounded up to a size that the kernel accepts: it sizes a ring in powers of two pages. */
function kernelSize(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes, MIN_RING_BYTES)));
}
