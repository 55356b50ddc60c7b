/** The diagnostic port of this process: there is only one, whoever opens it. */
import { isMainThread } from 'node:worker_threads';
import { OpenPort } from './diagnostics-port.ts';
import { forbiddingVariable } from './environment-settings.ts';
import { checkOptions, type DiagnosticsOptions } from './options.ts';

export interface DiagnosticsPort {
  /** The socket's path, or the pipe's name, where tools find the process. Undefined if it has no port. */
  readonly address: string | undefined;
  /** Why there is no port, or not everything requested, in sentences. */
  readonly problem: string | undefined;
  /**
   * Resolves when every port that suspends the startup has been resumed by a tool; at once if there is none. Awaiting
   * it does not keep the process alive.
   */
  readonly ready: Promise<void>;
  /** Whether a tool is connected. */
  readonly hasClients: boolean;
  /** Ends all sessions, whose clients still receive everything, and removes the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Incremented when the shape of a `DiagnosticsPort` changes. */
const KEY = Symbol.for('tracewright.diagnostics.v1');

/** All copies of this package in the process share its port. */
const shared = globalThis as { [KEY]?: DiagnosticsPort };

/** @throws TypeError for invalid options */
export function openDiagnosticPort(options: DiagnosticsOptions = {}): DiagnosticsPort {
  checkOptions(options);
  if (!isMainThread) {
    return withoutPort(
      'A worker thread has no diagnostic port: the main thread opens the one of the process.',
    );
  }
  const variable = forbiddingVariable();
  if (variable !== undefined)
    return withoutPort(`${variable}=0 disables the diagnostic port of this process.`);
  shared[KEY] ??= openPort(options);
  return shared[KEY];
}

function openPort(options: DiagnosticsOptions): DiagnosticsPort {
  const port = new OpenPort(options);
  for (const problem of port.problems) process.emitWarning(problem, 'TracewrightWarning');
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    if (closed === undefined) {
      closed = port.close();
      delete shared[KEY];
    }
    return closed;
  };
  return {
    address: port.address,
    problem: port.problems.length > 0 ? port.problems.join(' ') : undefined,
    ready: port.ready,
    get hasClients() {
      return port.hasClients;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function withoutPort(problem: string): DiagnosticsPort {
  const close = async (): Promise<void> => {};
  const ready = Promise.resolve();
  return { address: undefined, problem, ready, hasClients: false, close, [Symbol.asyncDispose]: close };
}
