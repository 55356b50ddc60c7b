/** The options of `tracewright record` that only ETW sessions have. */
import type { EtwRecordingSession } from '../../record/etw-recording.ts';
import { UsageError } from '../parse-options.ts';
import type { RecordValues } from './record-options.ts';

const MAX_IDS = 64;

/** @throws UsageError */
export function etwArguments(values: RecordValues, processId: number | undefined): EtwRecordingSession {
  const { event, exe, stacks = false, independent = false } = values;
  const eventIds = idsArgument('event-id', values);
  const exceptEventIds = idsArgument('not-event-id', values);
  if (eventIds !== undefined && exceptEventIds !== undefined) {
    throw new UsageError('--event-id and --not-event-id exclude each other.');
  }
  return {
    mode: modeOf(values),
    independent,
    capturesState: values['capture-state'] === true,
    filters: {
      ...(processId !== undefined && { processIds: [processId] }),
      ...(exe && { executables: exe }),
      ...(eventIds && { eventIds }),
      ...(exceptEventIds && { exceptEventIds }),
      ...(event && { eventNames: event }),
      ignoresKeyword0: values['ignore-keyword-0'] === true,
      stacks: idsArgument('stacks-for', values) ?? stacks,
    },
  };
}

function modeOf({ mode, ring, output = '' }: RecordValues): EtwRecordingSession['mode'] {
  if (mode !== undefined && ring === true) throw new UsageError('--mode and --ring exclude each other.');
  if (ring === true) return 'memory';
  if (mode === 'newFile' && !output.includes('%d')) {
    throw new UsageError(
      `--mode newfile needs an --output with %d, which each file's number replaces, not "${output}".`,
    );
  }
  return mode ?? 'sequential';
}

function idsArgument(
  option: 'event-id' | 'not-event-id' | 'stacks-for',
  { [option]: ids }: RecordValues,
): readonly number[] | undefined {
  if (ids === undefined || ids.length <= MAX_IDS) return ids;
  throw new UsageError(`--${option} can be given ${MAX_IDS} times, not ${ids.length}.`);
}
