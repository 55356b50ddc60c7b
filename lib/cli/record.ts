/** `tracewright record`: the system's user events into a perf.data file. Linux only. */
import { readFileSync } from 'node:fs';
import { Recording, type RecordingResult } from '../session/record/recording.ts';
import { RECORD_USAGE, type RecordArguments, recordArguments } from './record-arguments.ts';
import { RecordedCommand } from './recorded-command.ts';
import { StopRequest } from './stop-request.ts';

const PROGRESS_MS = 200;

/** @throws UsageError, RecorderError */
export async function recordCommand(args: readonly string[]): Promise<void> {
  const given = recordArguments(args);
  if (given === undefined) {
    process.stdout.write(RECORD_USAGE);
    return;
  }
  const recording = await Recording.start({
    file: given.file,
    selection: given.selection,
    ringSize: given.ringSize,
    commandLine: ['tracewright', 'record', ...args],
    version: packageVersion(),
  });
  const command =
    given.command.length === 0 ? undefined : new RecordedCommand(given.command, recording.address);
  let failure: unknown;
  let outcome: string | undefined;
  try {
    outcome = await untilEnd(recording, given, command);
  } catch (error) {
    failure = error;
  }
  const result = await recording.stop();
  if (failure !== undefined) throw failure;
  say(summary(result, given.file));
  // Its last words may come when the recording has ended.
  command?.end();
  outcome ??= await command?.ended;
  if (outcome !== undefined) say(`${outcome}.`);
  if (result.problems.length > 0) throw new Error(result.problems.join('\n'));
}

/**
 * Waits for whatever ends the recording first, and shows meanwhile how much there is.
 *
 * @returns how the command ended, if it was that
 */
async function untilEnd(
  recording: Recording,
  { duration }: RecordArguments,
  command: RecordedCommand | undefined,
): Promise<string | undefined> {
  const stop = new StopRequest();
  if (duration !== undefined) stop.after(duration);
  let progress: NodeJS.Timeout | undefined;
  const failed = new Promise<void>((resolve) => {
    progress = setInterval(() => {
      showProgress(recording);
      if (recording.counts.done) resolve();
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

function showProgress(recording: Recording): void {
  if (process.stderr.isTTY !== true) return;
  const { events, bytes, lost } = recording.counts;
  process.stderr.write(`\r\x1b[KRecording: ${events} events, ${megabytes(bytes)}, ${lost} lost`);
}

function summary({ events, bytes, lost, tracepoints }: RecordingResult, file: string): string {
  const of = tracepoints.length === 1 ? '1 tracepoint' : `${tracepoints.length} tracepoints`;
  const losses = lost === 0 ? 'none lost' : `${lost} lost, which a larger --buffer-size may keep`;
  const hint = tracepoints.length === 0 ? ' No program had registered any that was asked for.' : '';
  return `Recorded ${events} events of ${of} into ${file} (${megabytes(bytes)}), ${losses}.${hint}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
