/**
 * What has Node.js name the functions that it compiles, for samples of the CPU, and what this leaves behind. With
 * --perf-basic-prof, each isolate of V8 also keeps a log of its memory, in the folder that its process is in then; no
 * option that NODE_OPTIONS may have turns this off. Where it cannot create the file, it prints the log.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { isAlive } from '../../base/is-alive.ts';
import { systemCodeText } from '../../base/system-code.ts';
import type { User } from '../../platform/addon-functions.ts';
import { asUser } from '../../platform/user.ts';

/** The name of a log has the address of an isolate, and the id of its process. */
const LOG_NAME = /^isolate-0x[\da-f]+-(\d{1,10})-v8\.log$/;
/** A log with any other line was asked for, with --prof or one of the --log options. */
const OTHER_LINE = /^(?!v8-version,|v8-platform,|new,|delete,|heap-capacity,|heap-available,|$)/m;
const CHUNK_BYTES = 1 << 16;

export class FunctionNames {
  /** The variables of the command. */
  readonly variables: { readonly NODE_OPTIONS?: string } = {};
  /** This sentence says why functions will have no names. */
  readonly problem: string | undefined;
  readonly #user: User | undefined;
  /** The files that were in the working folder before the command. */
  readonly #before: ReadonlySet<string> | undefined;

  /** @param user the command runs as; we do by default */
  constructor(user: User | undefined, given = process.env.NODE_OPTIONS, platform = process.platform) {
    this.#user = user;
    const options = namingOptions(given, platform);
    if (options === given) return;
    try {
      if (platform !== 'win32') this.#before = this.#filesBefore();
      this.variables = { NODE_OPTIONS: options };
    } catch (error) {
      this.problem = `The samples will not name functions of JavaScript: Node.js would print a log, since the working folder ${process.cwd()} cannot be written (${systemCodeText(error)}).`;
    }
  }

  /** Removes the logs of processes that have ended, as the user of the command. */
  removeLogs(): void {
    const before = this.#before;
    if (before === undefined) return;
    try {
      this.#asUser(() => {
        for (const name of readdirSync('.')) {
          const [, processId] = LOG_NAME.exec(name) ?? [];
          if (processId === undefined || before.has(name) || isAlive(Number(processId))) continue;
          if (this.#isLog(name)) unlinkSync(name);
        }
      });
    } catch {
      // Somebody else has removed the folder, or one of its files, or took the right to.
    }
  }

  #filesBefore(): ReadonlySet<string> {
    let names: string[] = [];
    this.#asUser(() => {
      accessSync('.', constants.W_OK | constants.X_OK);
      names = readdirSync('.');
    });
    return new Set(names);
  }

  /** Whether it is a file of the user that has what V8 writes into it unasked, and nothing else. */
  #isLog(name: string): boolean {
    if (!this.#isOwnFile(lstatSync(name))) return false;
    // It may have become a link or a pipe.
    const file = openSync(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!this.#isOwnFile(fstatSync(file))) return false;
      const chunk = Buffer.alloc(CHUNK_BYTES);
      // The first line names the version; the last one of a chunk may go on in the next.
      let line = '';
      for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
        const text = line + chunk.toString('latin1', 0, size);
        line = text.slice(text.lastIndexOf('\n') + 1);
        if (OTHER_LINE.test(text.slice(0, text.length - line.length)) || line.length > CHUNK_BYTES)
          return false;
      }
      return true;
    } finally {
      closeSync(file);
    }
  }

  #isOwnFile(stats: Stats): boolean {
    return stats.isFile() && stats.uid === (this.#user?.uid ?? process.geteuid?.());
  }

  #asUser(call: () => void): void {
    if (this.#user === undefined) call();
    else asUser(this.#user, call);
  }
}

/**
 * Options that make Node.js write a map of the functions that it compiles, or on Windows tell ETW of them. A command for
 * or against maps is respected.
 */
export function namingOptions(options = '', platform: NodeJS.Platform = 'linux'): string {
  if (platform === 'win32') {
    return /etw-stack-walking\b/.test(options)
      ? options
      : `${options} --enable-etw-stack-walking`.trimStart();
  }
  return /--(?:no-)?perf-(?:basic-)?prof\b/.test(options)
    ? options
    : `${options} --perf-basic-prof`.trimStart();
}
