/** The process that a command works on: a running one, one that it waits for, or one that it starts. */
import type { ArrivedProcess } from '../../diagnostics/client/arrived-process.ts';
import type { TracingSession } from '../../diagnostics/client/tracing-session.ts';
import { PROCESS_ID, text } from '../argument-values.ts';
import { sentenceOf, warn } from '../messages.ts';
import { type OptionRows, type OptionValues, UsageError } from '../parse-options.ts';
import { withFailure } from '../record/recorded-command.ts';
import { StopRequest } from '../stop-request.ts';
import { type OpenedTarget, running, started, type Target, targetOf, waitedFor } from './target.ts';
import { UNPREPARED_OPTIONS } from './unprepared.ts';

/** The options of a command that works on a running process. */
export const PROCESS_OPTIONS = {
  'process-id': PROCESS_ID.option(
    `the process; "tracewright ps" lists those with a port. Linux: a Node.js process that was not prepared is given
      one through its inspector`,
    { short: 'p' },
  ),
  ...UNPREPARED_OPTIONS,
} as const satisfies OptionRows;

export const TARGET_OPTIONS = {
  ...PROCESS_OPTIONS,
  'diagnostic-port': text('ADDRESS', 'the address of a socket').option(`listens on this socket (Windows: pipe)
      for a process started with DOTNET_DiagnosticPorts=ADDRESS, and resumes it once its events are recorded`),
} as const satisfies OptionRows;

export interface TargetValues extends OptionValues<typeof TARGET_OPTIONS> {
  /** The command has its arguments; it is empty or omitted if there is none. */
  readonly command?: readonly string[];
  /** Says where the output of the command goes; `stderr` if our own stdout is for something else. */
  readonly commandOutput?: 'stdout' | 'stderr';
}

/** Called with each later process, which waits. Must not reject. */
type OnLater = (later: OpenedTarget, stop: StopRequest) => Promise<void>;

/**
 * Works on the process, unless the user cancels while waiting for it.
 *
 * A command that we started is not ended by a failure of ours: it goes on, unrecorded.
 *
 * @param onLater without it, later processes continue as if not recorded
 * @returns the exit status of the command; 0 without one
 * @throws UsageError, DiagnosticsClientError
 */
export async function withTarget(
  values: TargetValues,
  work: (target: OpenedTarget, stop: StopRequest) => Promise<void>,
  onLater: OnLater = letGo,
): Promise<number> {
  const { 'process-id': processId, 'diagnostic-port': address } = values;
  const { command = [], commandOutput: output = 'stdout' } = values;
  const given = [processId !== undefined, address !== undefined, command.length > 0];
  if (given.filter(Boolean).length !== 1) {
    throw new UsageError(
      'Specify the process with either --process-id, --diagnostic-port or a COMMAND after --.',
    );
  }
  const stop = new StopRequest();
  const later: Promise<void>[] = [];
  const toLater = (arrived: ArrivedProcess) => {
    later.push(onLater(targetOf(arrived), stop));
  };
  try {
    let target: Target | number | undefined;
    if (processId !== undefined) target = await running(processId, values);
    else if (address !== undefined) target = await waitedFor(address, stop, toLater);
    else target = await started(command, output, stop, toLater);
    if (target === undefined) return 0;
    if (typeof target === 'number') return target;
    let hasFailed = false;
    let status = 0;
    try {
      try {
        await work(target, stop);
      } catch (error) {
        if (target.isOurs !== true) throw error;
        hasFailed = true;
        warn(`${sentenceOf(error)} The command goes on.`);
        // It may still wait for us.
        await letGo(target);
      }
      await Promise.race([target.allArrived, stop.requested]);
      // More processes may connect meanwhile.
      for (const each of later) await each;
    } finally {
      status = await target.close();
    }
    return hasFailed ? withFailure(status) : status;
  } finally {
    stop.dispose();
  }
}

/**
 * Reads a session until the process, the user or the time limit ends it.
 *
 * @param read consumes the session's stream to its end
 * @param duration in ms
 * @throws DiagnosticsClientError
 */
export async function readSession(
  session: TracingSession,
  target: OpenedTarget,
  stop: StopRequest,
  duration: number | undefined,
  read: () => Promise<void>,
): Promise<void> {
  if (duration !== undefined) stop.after(duration);
  // If stopping fails, the stream still ends, and the failure is reported below.
  stop.requested.then(() => session.stop()).catch(() => {});
  try {
    await Promise.all([read(), target.resume()]);
    if (session.isCutOff) target.onStuck?.();
    else if (session.isStopped) await session.stop();
  } finally {
    session.close();
  }
}

async function letGo(later: OpenedTarget): Promise<void> {
  // A process that has exited meanwhile needs nothing.
  await later.resume().catch(() => {});
}
