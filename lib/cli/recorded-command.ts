/** The command that `tracewright record`, `collect`, `counters` and `live` run and record. */
import { type ChildProcess, spawn } from 'node:child_process';

export class RecordedCommand {
  readonly #child: ChildProcess | undefined;
  /** When it has ended: how, in words. Rejected if it could not be started, or be asked to end. */
  readonly ended: Promise<string>;

  /**
   * @param variables of its environment, beside ours: how it and its recorder find each other
   * @param stdout `stderr` where ours is for events
   */
  constructor(
    [name = '', ...args]: readonly string[],
    variables: NodeJS.ProcessEnv,
    stdout: 'stdout' | 'stderr' = 'stdout',
  ) {
    const env = { ...process.env, ...variables };
    try {
      this.#child = spawn(name, args, { stdio: ['inherit', process[stdout], process.stderr], env });
      this.ended = endOf(this.#child, name);
    } catch (error) {
      // Of some failures Node.js tells at once, of others by an event.
      this.ended = Promise.reject(failure(name, 'started', error));
    }
    // It is told to who waits for it, which may be nobody yet.
    this.ended.catch(() => {});
    // However we end, it is not left behind.
    const end = () => this.end();
    process.once('exit', end);
    this.#child?.once('exit', () => process.off('exit', end));
  }

  /** Asks it to end, if it runs. */
  end(): void {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
  }
}

function endOf(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Programs of other users, such as sudo, cannot be ended.
    child.on('error', (error) => reject(failure(name, child.pid === undefined ? 'started' : 'ended', error)));
    child.on('exit', (status, signal) => {
      resolve(signal === null ? `${name} ended with status ${status}` : `${name} ended by ${signal}`);
    });
  });
}

function failure(name: string, what: 'started' | 'ended', error: unknown): Error {
  return new Error(`${name} could not be ${what} (${(error as NodeJS.ErrnoException).code}).`);
}
