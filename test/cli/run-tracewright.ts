/** Runs the built command in parallel with the test, to which the command may connect. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));

export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** @param options where it runs, with which variables, as which user, and whether in a group of its own */
  constructor(
    args: readonly string[],
    options: {
      readonly cwd?: string;
      readonly env?: NodeJS.ProcessEnv;
      readonly uid?: number;
      readonly detached?: boolean;
    } = {},
  ) {
    this.#child = spawn(process.execPath, [main, ...args], {
      ...options,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#ended = once(this.#child, 'close');
  }

  /** Waits for it to end. */
  async end() {
    await this.#ended;
    return { status: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  /** What a terminal does that closes: nothing takes what is written any more. */
  hangUp(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.kill('SIGHUP');
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Sends it to its whole group, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.processId, signal);
  }
}
