/** The process that a command is about: one that runs, or one that is waited for. */

import { DiagnosticsClientError } from '../session/diagnostics/client/client-error.ts';
import { DiagnosticsClient } from '../session/diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../session/diagnostics/client/reverse-server.ts';
import type { TracingSession } from '../session/diagnostics/client/tracing-session.ts';
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
}

export interface OpenedTarget {
  readonly client: DiagnosticsClient;
  /** For messages: `Process 4711`. */
  readonly name: string;
  /** Has a process that waited for us go on. */
  resume(): Promise<void>;
  close(): void;
}

/**
 * Works on the process; does not where the user gives up waiting for it.
 *
 * @throws UsageError, DiagnosticsClientError
 */
export async function withTarget(
  values: TargetValues,
  work: (target: OpenedTarget, stop: StopRequest) => Promise<void>,
): Promise<void> {
  const { 'process-id': processId, 'diagnostic-port': address } = values;
  if ((processId === undefined) === (address === undefined)) {
    throw new UsageError('Either --process-id or --diagnostic-port says which process.');
  }
  const stop = new StopRequest();
  try {
    const target =
      processId === undefined
        ? await waitedFor(address as string, stop)
        : await running(processIdArgument(processId));
    if (target === undefined) return;
    try {
      await work(target, stop);
    } finally {
      target.close();
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
    if (session.isStopped) await session.stop();
  } finally {
    session.close();
  }
}

async function running(processId: number): Promise<OpenedTarget> {
  const client = await DiagnosticsClient.ofProcess(processId);
  return { client, name: `Process ${processId}`, resume: async () => {}, close: () => {} };
}

async function waitedFor(address: string, stop: StopRequest): Promise<OpenedTarget | undefined> {
  const server = await ReverseServer.listen(address);
  process.stderr.write(`Waiting for a process with DOTNET_DiagnosticPorts=${address}.\n`);
  const target = await Promise.race([server.arrived(), stop.requested]);
  if (target === undefined) {
    server.close();
    return undefined;
  }
  const client = new DiagnosticsClient(target);
  return { client, name: target.name, resume: () => resume(client), close: () => server.close() };
}

/** Of a process that knows no waiting, there is nothing to do. */
async function resume(client: DiagnosticsClient): Promise<void> {
  try {
    await client.resumeRuntime();
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
  }
}

function processIdArgument(text: string): number {
  const processId = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (processId >= 1 && processId < 2 ** 32) return processId;
  throw new UsageError(`--process-id takes the number of a process, not "${text}".`);
}
