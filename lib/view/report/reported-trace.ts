/** What a report says of a trace besides its events. */
import { timeText } from '../../trace/time-text.ts';
import type { Trace } from '../../trace/trace.ts';
import { FLIGHT_RECORDER_REASON } from '../../wire/nettrace/constants.ts';
import { mergeTexts } from '../merge/merge-texts.ts';
import { MergedTrace } from '../merge/merged-trace.ts';
import type { ReportedTrace } from './trace-report.ts';

/** Call this when all events have been read. */
export function reportedTrace(trace: Trace, name: string): ReportedTrace {
  const { format, formatVersion, hasWallTime, startTime } = trace.info;
  const origins = trace instanceof MergedTrace ? mergeTexts(trace) : [];
  const said = [...origins, flightText(trace), lossText(trace)];
  return {
    name,
    format: formatVersion === undefined ? format : `${format} ${formatVersion}`,
    startTime: hasWallTime ? timeText(startTime) : undefined,
    processNames: trace.processNames,
    mappings: trace.mappings,
    notices: said.filter((text) => text !== undefined),
  };
}

/** Why a flight recorder has written the trace, as a sentence. */
export function flightText({ info }: Trace): string | undefined {
  const reason = info.properties[FLIGHT_RECORDER_REASON];
  return reason && `A flight recorder wrote this: ${reason}`;
}

/** What the recorder lost, as a sentence. */
export function lossText({ lostEvents, lostBuffers }: Trace): string | undefined {
  const parts = [
    ...(lostEvents > 0 ? [`${lostEvents} event${lostEvents === 1 ? '' : 's'}`] : []),
    ...(lostBuffers > 0 ? [`${lostBuffers} buffer${lostBuffers === 1 ? '' : 's'}`] : []),
  ];
  return parts.length === 0 ? undefined : `The recorder lost ${parts.join(' and ')}.`;
}
