/**
 * `tracewright record`: records the events of the whole system, or of one process, into a file until something ends it.
 */

import { RecorderError } from '../../platform/recorder-error.ts';
import { RECORDER_VARIABLE } from '../../platform/recorder-notice.ts';
import { missingTracer } from '../../record/tracefs.ts';
import { clearProgress, say, sentenceOf, showProgress, warn } from '../messages.ts';
import { StopRequest } from '../stop-request.ts';
import { commandUser } from './command-user.ts';
import { FunctionNames } from './function-names.ts';
import { type RecordArguments, recordArguments } from './record-arguments.ts';
import { recordEtw } from './record-etw.ts';
import { recordUserEvents } from './record-user-events.ts';
import { type CommandEnd, RecordedCommand, withFailure } from './recorded-command.ts';
import type { RunningRecording } from './running-recording.ts';

const PROGRESS_MS = 200;

export { commandLine } from './record-options.ts';

/** @returns the exit status @throws UsageError, RecorderError, DiagnosticsClientError */
export async function run(args: readonly string[]): Promise<number> {
  const given = recordArguments(args);
  if (given === undefined) return 0;
  const reason = canFallBack(given) ? missingTracer() : undefined;
  if (reason !== undefined) {
    say(`${reason} ${given.command[0]} is recorded through EventPipe instead, into ${given.eventPipeFile}.`);
  }
  if (reason === undefined) return recordToTracer(given, args);
  // Loaded when needed, like the commands; the ones below, too.
  const { recordEventPipe } = await import('./record-process.ts');
  return recordEventPipe(given);
}

/** Whether the system was to record a command that can be recorded without it. */
function canFallBack({ mode, command, selected, cpu, isRing }: RecordArguments): boolean {
  const isOfSystem = mode !== 'system' || process.platform === 'win32' || selected.tracepoints !== undefined;
  return command.length > 0 && !isOfSystem && cpu === undefined && !isRing;
}

async function recordToTracer(given: RecordArguments, args: readonly string[]): Promise<number> {
  const recording = await start(given, args);
  const user = commandUser(given.user);
  const names = given.cpu && given.command.length > 0 ? new FunctionNames(user) : undefined;
  if (names?.problem !== undefined) warn(names.problem);
  const variables = { [RECORDER_VARIABLE]: recording.address, ...names?.variables };
  const command =
    given.command.length === 0 ? undefined : new RecordedCommand(given.command, variables, 'stdout', user);
  const stop = new StopRequest(recording.dump === undefined ? [] : [DUMP_SIGNAL]);
  if (given.duration !== undefined) stop.after(given.duration);
  let failure: { readonly error: unknown } | undefined;
  let problems: readonly string[] = [];
  let end: CommandEnd | undefined;
  try {
    dumpOnSignal(recording);
    end = await untilEnd(recording, stop, command);
  } catch (error) {
    failure = { error };
  }
  const isOver = recording.hasEnded() && end === undefined && failure === undefined;
  try {
    const result = await recording.stop();
    say(result.summary);
    problems = result.problems;
  } catch (error) {
    problems = [sentenceOf(error)];
  }
  for (const problem of problems) warn(problem);
  if (command !== undefined && isOver) {
    // What has ended the recording, such as a full disk, is no reason to end the application.
    say(`The recording has ended; ${given.command[0]} goes on.`);
    end = await Promise.race([stop.requested.then(() => undefined), command.ended]);
  }
  stop.dispose();
  // Its last messages may come after the recording has ended.
  command?.end();
  if (failure !== undefined) throw failure.error;
  end ??= await command?.ended;
  names?.removeLogs();
  if (end !== undefined) say(`${end.text}.`);
  const status = end?.status ?? 0;
  return problems.length === 0 ? status : withFailure(status);
}

async function start(given: RecordArguments, args: readonly string[]): Promise<RunningRecording> {
  if (given.mode === 'user_events' && given.processId !== undefined) {
    const { recordPassed } = await import('./record-process.ts');
    return recordPassed(given, given.processId, args);
  }
  if (process.platform === 'win32') return await recordEtw(given);
  try {
    return await recordUserEvents(given, args);
  } catch (error) {
    if (!isPermission(error) || !canFallBack(given)) throw error;
    throw new Error(`${error.message} Without root: tracewright collect -- COMMAND`);
  }
}

/** Whether the user could record the system, given root. */
function isPermission(error: unknown): error is RecorderError {
  return error instanceof RecorderError && (error.code === 'EACCES' || error.code === 'EPERM');
}

/**
 * The signal is that of perf with --switch-output; on Windows, where Node.js has no signals to send, it is one that a
 * key has.
 */
const DUMP_SIGNAL = process.platform === 'win32' ? 'SIGBREAK' : 'SIGUSR2';

function dumpOnSignal({ dump }: RunningRecording): void {
  if (dump === undefined) return;
  process.on(DUMP_SIGNAL, () => {
    try {
      say(dump());
    } catch (error) {
      warn(sentenceOf(error));
    }
  });
}

/**
 * Waits for whatever ends the recording first, and shows progress meanwhile.
 *
 * @returns how the command ended, if that was it
 */
async function untilEnd(
  recording: RunningRecording,
  stop: StopRequest,
  command: RecordedCommand | undefined,
): Promise<CommandEnd | undefined> {
  let progress: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    progress = setInterval(() => {
      showProgress(recording.progress());
      if (recording.hasEnded()) resolve();
    }, PROGRESS_MS);
  });
  const stopped = Promise.race([stop.requested, ended]).then(() => undefined);
  try {
    return await (command === undefined ? stopped : Promise.race([stopped, command.ended]));
  } finally {
    clearInterval(progress);
    clearProgress();
  }
}
