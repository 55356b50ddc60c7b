/** `tracewright record`: the whole system's events into a file, until something ends it. */
import { RECORDER_VARIABLE } from '../platform/recorder-notice.ts';
import { RECORD_USAGE, type RecordArguments, recordArguments } from './record-arguments.ts';
import { recordEtw } from './record-etw.ts';
import { recordUserEvents } from './record-user-events.ts';
import { RecordedCommand } from './recorded-command.ts';
import type { RunningRecording } from './running-recording.ts';
import { StopRequest } from './stop-request.ts';

const PROGRESS_MS = 200;

/** @throws UsageError, RecorderError */
export async function recordCommand(args: readonly string[]): Promise<void> {
  const given = recordArguments(args);
  if (given === undefined) {
    process.stdout.write(RECORD_USAGE);
    return;
  }
  const recording = process.platform === 'win32' ? recordEtw(given) : await recordUserEvents(given, args);
  const variables = { [RECORDER_VARIABLE]: recording.address };
  const command = given.command.length === 0 ? undefined : new RecordedCommand(given.command, variables);
  let failure: unknown;
  let outcome: string | undefined;
  try {
    outcome = await untilEnd(recording, given, command);
  } catch (error) {
    failure = error;
  }
  const { summary, problems } = await recording.stop();
  if (failure !== undefined) throw failure;
  say(summary);
  // Its last words may come when the recording has ended.
  command?.end();
  outcome ??= await command?.ended;
  if (outcome !== undefined) say(`${outcome}.`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/**
 * Waits for whatever ends the recording first, and shows meanwhile how much there is.
 *
 * @returns how the command ended, if it was that
 */
async function untilEnd(
  recording: RunningRecording,
  { duration }: RecordArguments,
  command: RecordedCommand | undefined,
): Promise<string | undefined> {
  const stop = new StopRequest();
  if (duration !== undefined) stop.after(duration);
  let progress: NodeJS.Timeout | undefined;
  const failed = new Promise<void>((resolve) => {
    progress = setInterval(() => {
      showProgress(recording);
      if (recording.hasEnded()) resolve();
    }, PROGRESS_MS);
  });
  const stopped = Promise.race([stop.requested, failed]).then(() => undefined);
  try {
    return await (command === undefined ? stopped : Promise.race([stopped, command.ended]));
  } finally {
    stop.dispose();
    clearInterval(progress);
    if (process.stderr.isTTY === true) process.stderr.write('\r\x1b[K');
  }
}

function showProgress(recording: RunningRecording): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r\x1b[K${recording.progress()}`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
