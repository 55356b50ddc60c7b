/** The process that a command works on, once it is there: found, waited for, or started. */
import type { ArrivedProcess } from '../../diagnostics/client/arrived-process.ts';
import { DiagnosticsClientError } from '../../diagnostics/client/client-error.ts';
import { DiagnosticsClient } from '../../diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../../diagnostics/client/reverse-server.ts';
import { say, warn } from '../messages.ts';
import { withFailure } from '../record/recorded-command.ts';
import type { StopRequest } from '../stop-request.ts';
import { TracedCommand } from './traced-command.ts';
import { runningPort, type UnpreparedValues } from './unprepared.ts';

export interface OpenedTarget {
  readonly client: DiagnosticsClient;
  readonly processId: number;
  /** Messages contain this name: `Process 4711`. */
  readonly name: string;
  /** Resumes a process that is waiting for us. */
  resume(): Promise<void>;
  /** Its event loop does not turn: it is not waited for, and if a command that we started does not end either, it is killed. */
  onStuck?(): void;
}

/** The processes above that can be given up again. */
export interface Target extends OpenedTarget {
  /** When no more processes will connect, even though the first may have ended. */
  readonly allArrived: Promise<unknown>;
  /** Whether we have started it: it then goes on, whatever becomes of its recording. */
  readonly isOurs?: boolean;
  /** @returns the exit status of a command that we started; 0 otherwise */
  close(): Promise<number>;
}

/** Processes write their last events as they exit, shortly before or after their command ends. */
const LAST_EVENTS_MS = 1000;
/** How long a command may take to end when told to. */
const STUCK_MS = 5000;

/** @throws DiagnosticsClientError */
export async function running(processId: number, unprepared: UnpreparedValues): Promise<Target> {
  const { address, gone } = await runningPort(processId, unprepared);
  const client = DiagnosticsClient.at(address, processId);
  const name = `Process ${processId}`;
  let isStuck = false;
  return {
    client,
    processId,
    name,
    resume: async () => {},
    onStuck: () => {
      isStuck = true;
    },
    allArrived: Promise.resolve(),
    close: async () => {
      if (!isStuck) await gone();
      return 0;
    },
  };
}

/** The first process that connects; undefined if the user cancels first. @throws DiagnosticsClientError */
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
  const close = async () => {
    server.close();
    return 0;
  };
  return { ...targetOf(arrived), allArrived: Promise.resolve(), close };
}

/**
 * The first process of a command that connects. Its recording ends with the command, at the latest.
 *
 * @returns the exit status if none has connected until the command ended
 */
export async function started(
  command: readonly string[],
  output: 'stdout' | 'stderr',
  stop: StopRequest,
  onLater: (arrived: ArrivedProcess) => void,
): Promise<Target | number> {
  const traced = await TracedCommand.start(command, output, onLater);
  let isStuck = false;
  const onStuck = () => {
    isStuck = true;
  };
  const close = async () => {
    const timer = isStuck ? setTimeout(() => traced.kill(), STUCK_MS) : undefined;
    try {
      const { text, status } = await traced.end();
      say(`${text}.`);
      return status;
    } finally {
      clearTimeout(timer);
      traced.close();
    }
  };
  try {
    const first = await Promise.race([traced.arrived(), traced.ended, stop.requested]);
    if (first !== undefined && 'processId' in first) {
      // Whether it could be ended is reported below.
      traced.ended.then(() => stop.after(LAST_EVENTS_MS)).catch(() => {});
      return { ...targetOf(first), isOurs: true, onStuck, allArrived: traced.ended, close };
    }
  } catch (error) {
    traced.close();
    throw error;
  }
  const status = await close();
  warn(`No process of ${command[0]} has connected; only Node.js and .NET processes do.`);
  return withFailure(status);
}

export function targetOf(arrived: ArrivedProcess): OpenedTarget {
  const { name, processId } = arrived;
  const client = new DiagnosticsClient(arrived);
  return { client, processId, name, resume: () => resume(client) };
}

/** A process that does not wait needs no resuming. */
async function resume(client: DiagnosticsClient): Promise<void> {
  try {
    await client.resumeRuntime();
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
  }
}
