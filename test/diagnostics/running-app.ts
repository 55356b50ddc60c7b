/** An application in a separate process, on the built package: its output, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const dist = new URL('../../dist/', import.meta.url);
/** As `tracewright`. */
export const INDEX = new URL('index.js', dist).href;
/** As `tracewright/diagnostics/register`. */
export const REGISTER = new URL('diagnostics/register.js', dist).href;

const PRELUDE = `
  import { defineEventSource, event } from ${JSON.stringify(INDEX)};
  import { enableDiagnostics } from ${JSON.stringify(new URL('diagnostics/index.js', dist))};
  const say = (value) => console.log(JSON.stringify(value));
`;

export class RunningApp {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #stdout = '';
  stderr = '';

  /**
   * @param program of an ES module, which has the package's functions, and `say`
   * @param env beside the test's own, without what a port could come of there
   */
  constructor(program: string, env: NodeJS.ProcessEnv = {}, options: readonly string[] = []) {
    const args = [...options, '--input-type=module', '-e', PRELUDE + program];
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, TRACEWRIGHT_DIAGNOSTICS: '', DOTNET_DiagnosticPorts: '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#ended = once(this.#child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it has said so far. */
  get said(): unknown[] {
    const lines = this.#stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** What it says as the nth. */
  async hears(count = 1): Promise<unknown> {
    while (this.said.length < count) {
      const more = once(this.#child.stdout as NodeJS.ReadableStream, 'data');
      if ((await Promise.race([more, this.#ended.then(() => 'ended')])) === 'ended') {
        throw new Error(`The application has ended: ${this.stderr}`);
      }
    }
    return this.said[count - 1];
  }

  /** Its standard input has a line, or is over. */
  tell(): void {
    this.#child.stdin?.end('\n');
  }

  async end(): Promise<{ status: number | null; said: unknown[]; stderr: string }> {
    await this.#ended;
    return { status: this.#child.exitCode, said: this.said, stderr: this.stderr };
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
