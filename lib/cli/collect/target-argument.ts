/** The process that a command works on: a running one, one that it waits for, or one that it starts. */
import type { ArrivedProcess } from '../../diagnostics/client/arrived-process.ts';
import type { TracingSession } from '../../diagnostics/client/tracing-session.ts';
import { processIdArgument, splitCommand } from '../command-arguments.ts';
import { optionArguments } from '../file-arguments.ts';
import { sentenceOf, warn } from '../messages.ts';
import { UsageError } from '../parse-options.ts';
import { withFailure } from '../record/recorded-command.ts';
import { StopRequest } from '../stop-request.ts';
import { type OpenedTarget, running, started, type Target, targetOf, waitedFor } from './target.ts';
import { UNPREPARED_OPTIONS, UNPREPARED_USAGE, type UnpreparedValues } from './unprepared.ts';

const TARGET_OPTIONS = {
  'process-id': { type: 'string', short: 'p' },
  'diagnostic-port': { type: 'string' },
  ...UNPREPARED_OPTIONS,
} as const;

export const TARGET_USAGE = `  -p, --process-id PID      the process; "tracewright ps" lists those with a port. Linux: a Node.js process that was not
                            prepared is given one through its inspector
${UNPREPARED_USAGE}  --diagnostic-port ADDRESS listens on this socket (Windows: pipe) for a process started with
                            DOTNET_DiagnosticPorts=ADDRESS, and resumes it once its events are recorded
`;

export interface TargetValues extends UnpreparedValues {
  readonly 'process-id'?: string | undefined;
  readonly 'diagnostic-port'?: string | undefined;
  /** The command has its arguments; it is empty or omitted if there is none. */
  readonly command?: readonly string[];
  /** Says where the output of the command goes; `stderr` if our own stdout is for something else. */
  readonly commandOutput?: 'stdout' | 'stderr';
}

/** Called with each later process, which waits. Must not reject. */
type OnLater = (later: OpenedTarget, stop: StopRequest) => Promise<void>;

/**
 * The command line of a command that works on a process: OPTIONS [-- COMMAND [ARGUMENT]...].
 *
 * @param options the command's own; see `optionArguments`
 * @returns undefined if help was requested, after printing it
 * @throws UsageError
 */
export function targetArguments<const O extends Parameters<typeof optionArguments>[3]>(
  name: string,
  usage: string,
  args: readonly string[],
  options: O,
) {
  const { own, command } = splitCommand(args);
  const values = optionArguments(name, usage, own, { ...TARGET_OPTIONS, ...options });
  return values && { ...values, command };
}

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
    if (processId !== undefined) target = await running(processIdArgument(processId), values);
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
