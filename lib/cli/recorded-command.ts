/** The command that `tracewright record`, `collect`, `counters` and `live` run and record. */
import { type ChildProcess, spawn } from 'node:child_process';

export class RecordedCommand {
  readonly #name: string;
  readonly #child: ChildProcess;
  /** When it has ended: how, in words. Rejected if it could not be started. */
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
    this.#name = name;
    const env = { ...process.env, ...variables };
    this.#child = spawn(name, args, { stdio: ['inherit', process[stdout], process.stderr], env });
    // However we end, it is not left behind.
    const end = () => this.end();
    process.once('exit', end);
    this.#child.once('exit', () => process.removeListener('exit', end));
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('error', (error: NodeJS.ErrnoException) => {
        reject(new Error(`${name} could not be started (${error.code}).`));
      });
      this.#child.on('exit', (status, signal) => {
        resolve(
          signal === null ? `${this.#name} ended with status ${status}` : `${this.#name} ended by ${signal}`,
        );
      });
    });
  }

  /** Asks it to end, if it runs. */
  end(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
  }
}
