/** Reads a trace given to a command, and where the time of its activities went. */
import { openTrace } from '../../trace/open-trace.ts';
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { CpuProfile } from '../../view/cpu/cpu-profile.ts';
import { ExplainedActivities, type ExplainOptions } from '../../view/explain/explained-activities.ts';
import type { FramesOf } from '../../view/explain/hot-code.ts';
import { untilInterrupted } from '../interruption.ts';
import type { OptionValues } from '../parse-options.ts';
import { type FRAME_OPTIONS, frameNames } from './frame-options.ts';
import { readWithProgress, type TraceValues } from './trace-argument.ts';
import { closeTraceFiles, openTraceFiles, type TraceFiles } from './trace-files.ts';

export interface ExplainedTraceOptions extends Omit<ExplainOptions, 'profile' | 'frames'> {
  /** Called before its events are read. */
  readonly onOpen?: ((trace: Trace) => void) | undefined;
  /** Called with each event, once its activity is known. */
  readonly onEvent?: ((event: TraceEvent, explained: ExplainedActivities) => void) | undefined;
}

export interface ExplainedTrace {
  readonly explained: ExplainedActivities;
  /** The trace is undefined if it cannot be opened. */
  readonly trace: Trace | undefined;
  readonly framesOf: FramesOf;
  /** The time of the last event, since the start. */
  readonly durationNs: number;
  /** Why it was not read to its end, to be thrown once what was read has been shown. */
  readonly failure: unknown;
}

/** What a process sends ends when its session does, which is what Ctrl-C ends. */
function batchesOf(
  files: TraceFiles | AsyncIterable<Uint8Array>,
  trace: Trace,
): AsyncIterable<readonly TraceEvent[]> {
  if (Symbol.asyncIterator in files) return trace.batches();
  const batches = readWithProgress(trace, { isShownMeanwhile: false });
  return untilInterrupted(batches, () => closeTraceFiles(files, trace));
}

export async function explainTrace(
  files: TraceFiles | AsyncIterable<Uint8Array>,
  values: TraceValues & OptionValues<typeof FRAME_OPTIONS>,
  { onOpen, onEvent, ...options }: ExplainedTraceOptions,
): Promise<ExplainedTrace> {
  const frames = frameNames(values);
  const profile = new CpuProfile(frames);
  const explained = new ExplainedActivities({ ...options, profile, frames });
  let trace: Trace | undefined;
  let failure: unknown;
  try {
    trace = Symbol.asyncIterator in files ? await openTrace(files) : await openTraceFiles(files, values);
    onOpen?.(trace);
    for await (const batch of batchesOf(files, trace)) {
      for (const event of batch) {
        explained.add(event);
        onEvent?.(event, explained);
      }
    }
  } catch (error) {
    failure = error;
  }
  explained.end();
  const framesOf: FramesOf = (stack) => profile.framesOf(stack, trace?.mappings);
  return { explained, trace, framesOf, durationNs: explained.activities.nowNs, failure };
}
