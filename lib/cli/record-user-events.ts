/** `tracewright record` on Linux: records the system's user_events into a perf.data file. */
import { packageVersion } from '../base/package-files.ts';
import { Recording, type RecordingResult } from '../record/recording.ts';
import { Selection } from '../record/tracepoint-selection.ts';
import { dataSize } from '../view/number-text.ts';
import { commandUser, programsUser } from './command-user.ts';
import { say } from './messages.ts';
import type { RecordArguments } from './record-arguments.ts';
import type { RunningRecording } from './running-recording.ts';

/**
 * @param args the command line, which is stored in the file
 * @throws RecorderError
 */
export async function recordUserEvents(
  given: RecordArguments,
  args: readonly string[],
): Promise<RunningRecording> {
  const selection = new Selection(given.selected);
  const programsOf = programsUser(given.command, commandUser(given.user));
  const options = { ...optionsOf(given, args), selection, ...(programsOf && { programsOf }) };
  return running(await Recording.start(options), given.file);
}

/** The options of every recording into a perf.data. */
export function optionsOf(given: RecordArguments, args: readonly string[]) {
  const { file, bufferSize } = given;
  const owner = commandUser(given.user);
  return {
    file,
    ...(owner && { owner }),
    ringSize: bufferSize,
    commandLine: ['tracewright', 'record', ...args],
    version: packageVersion(),
  };
}

export function running(recording: Recording, file: string): RunningRecording {
  if (recording.notice !== undefined) say(recording.notice);
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

function summaryOf(result: RecordingResult, file: string): string {
  const { events, bytes, lost, tracepoints, unrecordable } = result;
  const of = tracepoints.length === 1 ? '1 tracepoint' : `${tracepoints.length} tracepoints`;
  const losses = lost === 0 ? 'none lost' : `${lost} lost, which a larger --buffer-size may avoid`;
  const hint = tracepoints.length === 0 ? ' No program had registered a matching tracepoint.' : '';
  const rest = unrecordable === undefined ? '' : `\n${unrecordable}`;
  return `Recorded ${events} events of ${of} into ${file} (${dataSize(bytes)}), ${losses}.${hint}${rest}`;
}
