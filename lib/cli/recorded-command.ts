/** The command that `tracewright record`, `collect`, `counters` and `live` run and record. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemCodeOf, systemCodeText } from '../base/system-code.ts';
import { asUser, type User, variablesOf } from '../platform/user.ts';
import { END_SIGNALS, heedRepeats, REPEAT_MS } from './stop-request.ts';
import { UsageError } from './usage-error.ts';
import { windowsCommand } from './windows-command.ts';

/**
 * A terminal sends Ctrl-C to its whole foreground group, and `timeout` or a service manager to that of the program
 * they started: the command would end before its last events are recorded. So it leads a session of its own, which
 * is the group that Node.js can give it, and hears of signals from us. On Windows that would take its console away.
 */
const HAS_OWN_GROUP = process.platform !== 'win32';

export class RecordedCommand {
  readonly #child: ChildProcess | undefined;
  /** When it has ended: how, in words. Rejected if it could not be started, or be asked to end. */
  readonly ended: Promise<string>;
  /** Tells who waits that the command cannot be asked to end. */
  #failToEnd: (error: unknown) => void = () => {};
  /** The first signal that was to end us. */
  #signal: NodeJS.Signals | undefined;
  #signalledAt = 0;
  #isEnding = false;

  /**
   * @param variables of its environment, beside ours: how it and its recorder find each other
   * @param stdout `stderr` where ours is for events
   * @param user whose it is; ours without it
   */
  constructor(
    [name = '', ...args]: readonly string[],
    variables: NodeJS.ProcessEnv,
    stdout: 'stdout' | 'stderr' = 'stdout',
    user?: User,
  ) {
    const env = { ...process.env, ...(user === undefined ? {} : variablesOf(user)), ...variables };
    let child: ChildProcess | undefined;
    const start = () => {
      const {
        file,
        args: given,
        isVerbatim,
      } = HAS_OWN_GROUP ? { file: name, args, isVerbatim: false } : windowsCommand(name, args);
      child = spawn(file, given, {
        stdio: ['inherit', process[stdout], process.stderr],
        env,
        detached: HAS_OWN_GROUP,
        windowsVerbatimArguments: isVerbatim,
      });
    };
    try {
      if (user === undefined) start();
      else asUser(user, start);
      if (child === undefined) throw new Error(`${name} has not been started.`);
      this.#child = child;
      this.ended = this.#endOf(child, name);
      if (child.pid !== undefined) this.#passSignalsOn(child);
    } catch (error) {
      // Of some failures Node.js tells at once, of others by an event.
      this.ended = Promise.reject(error instanceof UsageError ? error : failure(name, 'started', error));
    }
    // It is told to who waits for it, which may be nobody yet.
    this.ended.catch(() => {});
  }

  /** Asks it to end, if it runs: by the signal that is to end us, where there was one. */
  end(): void {
    this.#isEnding = true;
    this.#send(this.#signal ?? 'SIGTERM');
  }

  /** Ends it at once. */
  kill(): void {
    this.#send('SIGKILL');
  }

  #endOf(child: ChildProcess, name: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#failToEnd = (error) => reject(failure(name, 'ended', error));
      child.on('error', (error) => reject(failure(name, 'started', error)));
      child.on('exit', (status, signal) => {
        resolve(signal === null ? `${name} ended with status ${status}` : `${name} ended by ${signal}`);
      });
    });
  }

  #passSignalsOn(child: ChildProcess): void {
    // The kernel ignores the terminal's own stop in a session that no shell watches over.
    const pause = (): void => {
      this.#send('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    };
    // However we end, it is not left behind.
    const end = (): void => this.end();
    process.once('exit', end);
    for (const signal of END_SIGNALS) process.on(signal, this.#onStop);
    if (HAS_OWN_GROUP) process.on('SIGTSTP', pause).on('SIGCONT', this.#send).on('SIGWINCH', this.#send);
    child.once('exit', () => {
      this.#ignoreStops();
      process.off('exit', end).off('SIGTSTP', pause).off('SIGCONT', this.#send).off('SIGWINCH', this.#send);
    });
  }

  #ignoreStops(): void {
    for (const signal of END_SIGNALS) process.off(signal, this.#onStop);
  }

  /** The first signal ends the recording, which then ends the command; the second ends both at once. */
  readonly #onStop = (signal: NodeJS.Signals): void => {
    if (this.#signal === undefined) {
      this.#signal = signal;
      this.#signalledAt = performance.now();
      if (this.#isEnding) this.#send(signal);
      return;
    }
    if (performance.now() - this.#signalledAt < REPEAT_MS) return;
    this.kill();
    this.#ignoreStops();
    heedRepeats();
    // Whoever else hears of it does so before we are gone.
    process.emit(signal, signal);
    process.kill(process.pid, signal);
  };

  /** To the command and to all that it started in its group, as a terminal does. */
  readonly #send = (signal: NodeJS.Signals): void => {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (HAS_OWN_GROUP) process.kill(-pid, signal);
      else if (!isTreeEnded(pid)) process.kill(pid, signal);
    } catch (error) {
      // It has just ended; programs of other users, such as sudo, cannot be ended.
      if (systemCodeOf(error) !== 'ESRCH') this.#failToEnd(error);
    }
  };
}

/**
 * Windows knows no signals, and no groups of processes: the program that a batch file has started would go on when
 * cmd.exe is gone.
 */
function isTreeEnded(pid: number): boolean {
  const taskkill = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  return (
    spawnSync(taskkill, ['/t', '/f', '/pid', String(pid)], { stdio: 'ignore', windowsHide: true }).status ===
    0
  );
}

function failure(name: string, what: 'started' | 'ended', error: unknown): Error {
  return new Error(`${name} could not be ${what} (${systemCodeText(error)}).`);
}
