/** The application under test: a child process with a diagnostic port, and a way to query its state. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { missingOnWindows, named } from '../../platforms.ts';

export const PROGRAM = join(import.meta.dirname, 'programs/target.mjs');

/** Why a suite of Unix domain sockets cannot run here; undefined where it can. */
export const NO_SOCKETS = missingOnWindows('Unix sockets: the port is a named pipe');

/** What programs/target.mjs tells of itself. */
export interface TargetState {
  /** Events that somebody wants. */
  readonly enabled: number;
  /** Payloads that were made since the start, of the events of `write`. */
  readonly payloads: number;
  /** To the source `Demo`, since the last question. */
  readonly commands: readonly {
    kind: string;
    level: number;
    keywords: string;
    arguments: Record<string, string>;
  }[];
  readonly descriptors: number;
  readonly rss: number;
  /** Bytes that JavaScript keeps. */
  readonly kept: number;
  /** Of the event loop, since the last question. */
  readonly longestDelayMs: number;
  readonly isReady: boolean;
}

export interface TargetOptions {
  /** Beside PATH and TMPDIR. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Of Node.js. */
  readonly flags?: readonly string[];
  /** How many files and sockets it may have open. */
  readonly maxFiles?: number;
}

interface Started {
  readonly address?: string;
  readonly problem?: string;
}

export class Target {
  readonly folder = mkdtempSync(join(tmpdir(), 'tracewright-port-'));
  readonly child: ChildProcess;
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  readonly errors: string[] = [];
  readonly #start: Promise<unknown>;
  #started: Started = {};

  /** Starts the process and does not wait until it has its port. */
  constructor({ environment, flags = [], maxFiles }: TargetOptions = {}) {
    const options = {
      // V8 writes logs where it is started with flags for them.
      cwd: this.folder,
      env: { PATH: process.env.PATH, TMPDIR: this.folder, ...environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'] satisfies StdioOptions,
    };
    const command = [process.execPath, '--expose-gc', ...flags, PROGRAM];
    const limit = maxFiles === undefined ? '' : `ulimit -n ${maxFiles};`;
    this.child = spawn('sh', ['-c', `${limit} exec "$@"`, 'sh', ...command], options);
    this.child.stderr?.on('data', (chunk: Buffer) => this.errors.push(chunk.toString()));
    this.exit = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }));
    this.#start = this.#answer();
    // Whoever waits for it is told.
    this.#start.catch(() => {});
  }

  async started(): Promise<this> {
    this.#started = (await this.#start) as Started;
    return this;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The path of the socket. */
  get address(): string {
    const { address, problem } = this.#started;
    if (address === undefined) throw new Error(`The target has no port: ${problem}`);
    return address;
  }

  get problem(): string | undefined {
    return this.#started.problem;
  }

  /** The names of the sockets in its folder. */
  get sockets(): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('dotnet-diagnostic-'));
  }

  async ask(question: string, details: object = {}): Promise<unknown> {
    const answer = this.#answer();
    this.child.send({ question, ...details });
    return answer;
  }

  async state(): Promise<TargetState> {
    return (await this.ask('state')) as TargetState;
  }

  /** Milliseconds that it has used of the processors. Needs no files, as its state does. */
  async processorTime(): Promise<number> {
    return (await this.ask('processorTime')) as number;
  }

  /** Writes each of the events so often, with the number of the round. */
  async write(count: number): Promise<void> {
    await this.ask('write', { count });
  }

  /** Has it end in its own way; nothing is answered. */
  leave(question: 'end' | 'exit', code = 0): void {
    this.child.send({ question, code });
  }

  remove(): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(join(tmpdir(), `perf-${this.pid}.map`), { force: true });
  }

  async #answer(): Promise<unknown> {
    const given = once(this.child, 'message').then(([message]) => message as { answer: unknown });
    const ended = this.exit.then(({ code, signal }) => {
      throw new Error(`The target ended with ${signal ?? code}: ${this.errors.join('')}`);
    });
    return (await Promise.race([given, ended])).answer;
  }
}

/**
 * The ports that there are: the one of the addon, which reads its sockets itself so that it can take descriptors
 * from them, and the one that is left where there is no addon, or may be none.
 */
export const PORTS: readonly [string, readonly string[]][] = [
  ['of the addon', []],
  ['of Node.js alone', ['--no-addons']],
];

let running: Promise<Target> | undefined;

/** The process that the tests that run are about. */
export function target(): Promise<Target> {
  return running ?? Promise.reject(new Error('Only tests of describePorts have a target.'));
}

interface DescribedPorts {
  readonly environment?: Readonly<Record<string, string>>;
  /** Why the port of Node.js alone is skipped; undefined where it is not. */
  readonly withoutAddon?: string | undefined;
}

/** The same tests of each of the ports, each with one process for all of them. */
export function describePorts(
  name: string,
  tests: (hasAddon: boolean) => void,
  { environment = {}, withoutAddon }: DescribedPorts = {},
): void {
  for (const [port, flags] of PORTS) {
    const skipped = NO_SOCKETS ?? (flags.length === 0 ? undefined : withoutAddon);
    describe.skipIf(skipped !== undefined)(named(`${name}, ${port}`, skipped), () => {
      beforeAll(async () => {
        running = new Target({ environment, flags }).started();
        await running;
      });
      afterAll(async () => (await running?.catch(() => undefined))?.remove());
      tests(flags.length === 0);
    });
  }
}

/** Processes of single tests, gone after each. */
export function useTargets(): (options?: TargetOptions) => Target {
  let targets: Target[] = [];
  afterEach(() => {
    for (const target of targets) target.remove();
    targets = [];
  });
  return (options) => {
    const target = new Target(options);
    targets.push(target);
    return target;
  };
}
