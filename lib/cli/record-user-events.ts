/** `tracewright record` on Linux: the system's user events into a perf.data file. */
import { readFileSync } from 'node:fs';
import { Recording, type RecordingResult } from '../session/record/recording.ts';
import { Selection } from '../session/record/selection.ts';
import { dataSize } from './data-size.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/**
 * @param args the command line, which the file tells
 * @throws RecorderError
 */
export async function recordUserEvents(
  given: RecordArguments,
  args: readonly string[],
): Promise<RunningRecording> {
  const selection = new Selection(given.selected);
  return running(await Recording.start({ ...optionsOf(given, args), selection }), given.file);
}

/** What every recording into a perf.data is told. */
export function optionsOf({ file, bufferSize }: RecordArguments, args: readonly string[]) {
  return {
    file,
    ringSize: bufferSize,
    commandLine: ['tracewright', 'record', ...args],
    version: packageVersion(),
  };
}

export function running(recording: Recording, file: string): RunningRecording {
  if (recording.notice !== undefined) process.stderr.write(`${recording.notice}\n`);
  return {
    address: recording.address,
    progress: () => {
      const { events, bytes, lost } = recording.counts;
      return `Recording: ${events} events, ${dataSize(bytes)}, ${lost} lost`;
    },
    hasEnded: () => recording.counts.done,
    stop: async () => {
      const result = await recording.stop();
      return { summary: summaryOf(result, file), problems: result.problems };
    },
  };
}

function summaryOf({ events, bytes, lost, tracepoints }: RecordingResult, file: string): string {
  const of = tracepoints.length === 1 ? '1 tracepoint' : `${tracepoints.length} tracepoints`;
  const losses = lost === 0 ? 'none lost' : `${lost} lost, which a larger --buffer-size may keep`;
  const hint = tracepoints.length === 0 ? ' No program had registered any that was asked for.' : '';
  return `Recorded ${events} events of ${of} into ${file} (${dataSize(bytes)}), ${losses}.${hint}`;
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
