/** The process that a command is about: one that runs, one that is waited for, or one that is started. */
import type { ArrivedProcess } from '../diagnostics/client/arrived-process.ts';
import type { TracingSession } from '../diagnostics/client/tracing-session.ts';
import { splitCommand } from './command-arguments.ts';
import { optionArguments } from './file-arguments.ts';
import { type OpenedTarget, running, started, type Target, targetOf, waitedFor } from './opened-target.ts';
import { processIdArgument } from './process-id-argument.ts';
import { StopRequest } from './stop-request.ts';
import { UsageError } from './usage-error.ts';

export const TARGET_OPTIONS = {
  'process-id': { type: 'string', short: 'p' },
  'diagnostic-port': { type: 'string' },
} as const;

export const TARGET_USAGE = `  -p, --process-id PID      the process; "tracewright ps" lists them
  --diagnostic-port ADDRESS listens at this socket (of Windows: pipe) for a process that was started with
                            DOTNET_DiagnosticPorts=ADDRESS, and has it go on when its events are recorded
`;

export interface TargetValues {
  readonly 'process-id'?: string | undefined;
  readonly 'diagnostic-port'?: string | undefined;
  /** With its arguments; empty, or left out: none. */
  readonly command?: readonly string[];
  /** Where goes what the command prints; `stderr` where our own stdout is for something else. */
  readonly commandOutput?: 'stdout' | 'stderr';
}

/** Is given each process that comes after the first one, and waits. Must not be rejected. */
type OnLater = (later: OpenedTarget, stop: StopRequest) => Promise<void>;

/**
 * The command line of a command that is about a process: OPTIONS [-- COMMAND [ARGUMENT]...].
 *
 * @param options those of its own; see `optionArguments`
 * @returns undefined when help was asked for, and has been given
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
 * Works on the process; does not where the user gives up waiting for it.
 *
 * @param onLater without it, processes that come later go on as if nobody had asked them to connect
 * @throws UsageError, DiagnosticsClientError
 */
export async function withTarget(
  values: TargetValues,
  work: (target: OpenedTarget, stop: StopRequest) => Promise<void>,
  onLater: OnLater = letGo,
): Promise<void> {
  const { 'process-id': processId, 'diagnostic-port': address } = values;
  const { command = [], commandOutput: output = 'stdout' } = values;
  const given = [processId !== undefined, address !== undefined, command.length > 0];
  if (given.filter(Boolean).length !== 1) {
    throw new UsageError('Either --process-id, --diagnostic-port or a COMMAND behind -- says which process.');
  }
  const stop = new StopRequest();
  const later: Promise<void>[] = [];
  const toLater = (arrived: ArrivedProcess) => {
    later.push(onLater(targetOf(arrived), stop));
  };
  try {
    let target: Target | undefined;
    if (processId !== undefined) target = await running(processIdArgument(processId));
    else if (address !== undefined) target = await waitedFor(address, stop, toLater);
    else target = await started(command, output, stop, toLater);
    if (target === undefined) return;
    try {
      await work(target, stop);
      await Promise.race([target.allArrived, stop.requested]);
      // Meanwhile others may still come.
      for (const each of later) await each;
    } finally {
      await target.close();
    }
  } finally {
    stop.dispose();
  }
}

/**
 * Reads a session to its end, which the process, the user or the time may bring.
 *
 * @param read takes the session's stream, to its end
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
  // Where stopping fails, the stream ends all the same, and the failure is told below.
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
  // One that has ended meanwhile needs nothing any more.
  await later.resume().catch(() => {});
}
