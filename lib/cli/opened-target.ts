/** The process that a command is about, from when it is there: found, waited for, or started. */
import type { ArrivedProcess } from '../diagnostics/client/arrived-process.ts';
import { DiagnosticsClientError } from '../diagnostics/client/client-error.ts';
import { DiagnosticsClient } from '../diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../diagnostics/client/reverse-server.ts';
import { say } from './messages.ts';
import type { StopRequest } from './stop-request.ts';
import { TracedCommand } from './traced-command.ts';

export interface OpenedTarget {
  readonly client: DiagnosticsClient;
  readonly processId: number;
  /** For messages: `Process 4711`. */
  readonly name: string;
  /** Has a process that waited for us go on. */
  resume(): Promise<void>;
  /** It does not answer: a command of ours that does not end either is ended for it. */
  onStuck?(): void;
}

/** Of those above, one that can be given up again. */
export interface Target extends OpenedTarget {
  /** When no more processes come, though the first one may have ended. */
  readonly allArrived: Promise<unknown>;
  close(): Promise<void>;
}

/** Processes write their last events when they end, which is a moment before or after their command's end. */
const LAST_EVENTS_MS = 1000;
/** For a command that does not answer to end when it is asked to. */
const STUCK_MS = 5000;

/** @throws DiagnosticsClientError */
export async function running(processId: number): Promise<Target> {
  const client = await DiagnosticsClient.ofProcess(processId);
  const name = `Process ${processId}`;
  return {
    client,
    processId,
    name,
    resume: async () => {},
    allArrived: Promise.resolve(),
    close: async () => {},
  };
}

/** The first that connects; undefined where the user gives up before. @throws DiagnosticsClientError */
export async function waitedFor(
  address: string,
  stop: StopRequest,
  onLater: (arrived: ArrivedProcess) => void,
): Promise<Target | undefined> {
  const server = await ReverseServer.listen(address, onLater);
  say(`Waiting for a process with DOTNET_DiagnosticPorts=${address}.`);
  const arrived = await Promise.race([server.arrived(), stop.requested]);
  if (arrived === undefined) {
    server.close();
    return undefined;
  }
  return { ...targetOf(arrived), allArrived: Promise.resolve(), close: async () => server.close() };
}

/** The first process of a command that connects. What is recorded ends with the command, at the latest. */
export async function started(
  command: readonly string[],
  output: 'stdout' | 'stderr',
  stop: StopRequest,
  onLater: (arrived: ArrivedProcess) => void,
): Promise<Target> {
  const traced = await TracedCommand.start(command, output, onLater);
  let isStuck = false;
  const onStuck = () => {
    isStuck = true;
  };
  const close = async () => {
    const timer = isStuck ? setTimeout(() => traced.kill(), STUCK_MS) : undefined;
    try {
      say(`${await traced.end()}.`);
    } finally {
      clearTimeout(timer);
      traced.close();
    }
  };
  try {
    const first = await Promise.race([traced.arrived(), traced.ended, stop.requested]);
    if (typeof first === 'object') {
      // That it cannot be ended is told below.
      traced.ended.then(() => stop.after(LAST_EVENTS_MS)).catch(() => {});
      return { ...targetOf(first), onStuck, allArrived: traced.ended, close };
    }
  } catch (error) {
    traced.close();
    throw error;
  }
  await close();
  throw new Error(`No process of ${command[0]} has connected, as those of Node.js and .NET do.`);
}

export function targetOf(arrived: ArrivedProcess): OpenedTarget {
  const { name, processId } = arrived;
  const client = new DiagnosticsClient(arrived);
  return { client, processId, name, resume: () => resume(client) };
}

/** Of a process that knows no waiting, there is nothing to do. */
async function resume(client: DiagnosticsClient): Promise<void> {
  try {
    await client.resumeRuntime();
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
  }
}
