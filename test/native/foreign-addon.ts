/** The addon compiled here for another system, in an application that another system's JavaScript runtime runs. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes events of two threads into a session, reads them, and prints what the addon and the trace say. */
const PROGRAM = `
  import { once } from 'node:events';
  import { isMainThread, Worker } from 'node:worker_threads';
  import { defineEventSource, event, startSession } from 'tracewright';
  import { openTrace } from 'tracewright/trace';
  import { thisProcess } from './node_modules/tracewright/dist/listen/this-process.js';
  const log = defineEventSource('Foreign-Test', { Hit: event({ n: 'int32', wide: 'uint64', text: 'string' }) });
  const hit = (n) => log.Hit({ n, wide: 1n << 60n, text: 'ä' });
  if (isMainThread) {
    const session = startSession({ output: 'session.nettrace', providers: 'Foreign-Test' });
    hit(1);
    await once(new Worker(new URL(import.meta.url)), 'exit');
    await session.close();
    const numbers = [];
    for await (const { name, payload } of await openTrace('session.nettrace')) {
      if (name === 'Hit' && payload.wide === 1n << 60n && payload.text === 'ä') numbers.push(payload.n);
    }
    const { runtimeIdentifier } = thisProcess();
    console.log(JSON.stringify({ runtimeIdentifier, reason: log.status.reason, numbers: numbers.sort() }));
  } else hit(2);`;

export interface Printed {
  readonly runtimeIdentifier: string;
  readonly reason: string;
  readonly numbers: readonly number[];
}

export class ForeignApplication {
  readonly folder = mkdtempSync(join(tmpdir(), 'tracewright-foreign-'));
  readonly #addon: string;

  /** @param addon its path in the package's folder of prebuilt addons, such as `linux-arm64/tracewright.glibc.node` */
  constructor(addon: string) {
    const installed = join(this.folder, 'node_modules/tracewright');
    this.#addon = join(installed, 'prebuilds', addon);
    mkdirSync(dirname(this.#addon), { recursive: true });
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, part), join(installed, part), { recursive: true });
    for (const name of ['fzstd', 'pend', 'yauzl']) {
      symlinkSync(join(root, 'node_modules', name), join(this.folder, 'node_modules', name));
    }
    writeFileSync(join(this.folder, 'app.mjs'), PROGRAM);
  }

  /**
   * Builds the addon as binding.gyp does, with warnings as errors.
   *
   * @param before options of the compiler before the sources
   * @param after those behind them
   */
  build(compiler: string, before: readonly string[] = [], after: readonly string[] = []): void {
    const sources = JSON.parse(readFileSync(join(root, 'native/sources.json'), 'utf8')) as {
      readonly all: readonly string[];
      readonly linux: readonly string[];
    };
    const headers = join(dirname(dirname(process.execPath)), 'include/node');
    const system = ['node_modules/node-api-headers/include', 'node_modules/node-addon-api', headers];
    const defined = ['NAPI_VERSION=8', 'NAPI_DISABLE_CPP_EXCEPTIONS', 'NODE_ADDON_API_DISABLE_DEPRECATED'];
    const args = [
      ...['-std=c++17', '-O1', '-fPIC', '-shared', '-Wall', '-Wextra', '-Werror', '-fvisibility=hidden'],
      ...['-Inative', ...system.flatMap((path) => ['-isystem', path])],
      ...[...defined, 'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS'].map((name) => `-D${name}`),
      ...[...before, ...sources.all, ...sources.linux, ...after, '-o', this.#addon],
    ];
    execFileSync(compiler, args, { cwd: root, stdio: 'pipe' });
  }

  /** Runs the program, and returns what it prints. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Printed {
    const printed = execFileSync(program, [...args, 'app.mjs'], { cwd: this.folder, env, encoding: 'utf8' });
    return JSON.parse(printed) as Printed;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
