/** `tracewright record` on Windows: the system's ETW events of some providers into an .etl file. */
import { EtwRecording, type EtwRecordingResult } from '../session/record/etw-recording.ts';
import { dataSize } from './data-size.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/** @throws RecorderError */
export function recordEtw({ file, selected, stacks, bufferSize }: RecordArguments): RunningRecording {
  const recording = new EtwRecording({ ...selected, file, stacks, bufferSize });
  return {
    // ETW enables a provider when it is registered.
    address: '',
    progress: () => `Recording into ${file}`,
    hasEnded: () => false,
    stop: async () => ({ summary: summaryOf(recording.stop(), file), problems: [] }),
  };
}

function summaryOf({ bytes, eventsLost, buffersLost }: EtwRecordingResult, file: string): string {
  const lost = [
    ...(eventsLost > 0 ? [`${eventsLost} events`] : []),
    ...(buffersLost > 0 ? [`${buffersLost} buffers`] : []),
  ];
  const losses =
    lost.length === 0 ? 'none lost' : `${lost.join(' and ')} lost, which a larger --buffer-size may keep`;
  return `Recorded into ${file} (${dataSize(bytes)}), ${losses}.`;
}
