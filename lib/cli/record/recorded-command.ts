/** The command that `tracewright record`, `collect`, `counters` and `live` run and record. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { systemCodeOf, systemCodeText } from '../../base/system-code.ts';
import type { User } from '../../platform/addon-functions.ts';
import { asUser, variablesOf } from '../../platform/user.ts';
import { UsageError } from '../parse-options.ts';
import { END_SIGNALS, heedRepeats, REPEAT_MS } from '../stop-request.ts';
import { windowsCommand } from './windows-command.ts';

/**
 * A terminal sends Ctrl-C to its whole foreground group, and `timeout` or a service manager signals the group of the
 * program it started: the command would exit before its last events are recorded. So it leads its own session, the only
 * kind of group that Node.js can create, and we forward signals to it. On Windows that would detach it from
 * the console, so it stays in our group there.
 */
const HAS_OWN_GROUP = process.platform !== 'win32';

/** Shells add the number of a deadly signal to this. */
const SIGNAL_STATUS = 128;
/** How we end a command of our own accord; the latter, if it is stuck. */
const OWN_ENDS = ['SIGTERM', 'SIGKILL'] as const;

/** How a command ended. */
export interface CommandEnd {
  /** The end in words. */
  readonly text: string;
  /** What a shell would show; 0 if it ended because we told it to, when our time was over. */
  readonly status: number;
}

/** The exit status of a command whose recording has failed: its own, unless that would hide the failure. */
export function withFailure(status: number): number {
  return status === 0 ? 1 : status;
}

export class RecordedCommand {
  readonly #child: ChildProcess | undefined;
  /** Resolves when it has ended. Rejects if it could not be started or stopped. */
  readonly ended: Promise<CommandEnd>;
  /** Reports to the waiter that the command cannot be stopped. */
  #failToEnd: (error: unknown) => void = () => {};
  /** The first signal that requested the end. */
  #signal: NodeJS.Signals | undefined;
  #signalledAt = 0;
  #isEnding = false;

  /**
   * @param variables added to its environment: how it and its recorder find each other
   * @param stdout `stderr` if our own stdout is for events
   * @param user to run it as; ours by default
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
      if (child === undefined) throw new Error(`${name} was not started.`);
      this.#child = child;
      this.ended = this.#endOf(child, name);
      if (child.pid !== undefined) this.#passSignalsOn(child);
    } catch (error) {
      // Node.js reports some failures synchronously, others through an event.
      this.ended = Promise.reject(error instanceof UsageError ? error : failure(name, 'started', error));
    }
    // The failure is passed to whoever waits for it, possibly nobody yet.
    this.ended.catch(() => {});
  }

  /** Ends the command, if it is running: with the signal that requested our end, if there was one. */
  end(): void {
    this.#isEnding = true;
    this.#send(this.#signal ?? OWN_ENDS[0]);
  }

  /** Kills it. */
  kill(): void {
    this.#send('SIGKILL');
  }

  #endOf(child: ChildProcess, name: string): Promise<CommandEnd> {
    return new Promise((resolve, reject) => {
      this.#failToEnd = (error) => reject(failure(name, 'ended', error));
      child.on('error', (error) => reject(failure(name, 'started', error)));
      child.on('exit', (status, signal) => {
        const text = signal === null ? `exited with status ${status}` : `was ended by ${signal}`;
        const shown = status ?? SIGNAL_STATUS + (signal === null ? 0 : constants.signals[signal]);
        const isAsked = this.#isEnding && this.#signal === undefined;
        const isOwnEnd = isAsked && OWN_ENDS.some((own) => shown === SIGNAL_STATUS + constants.signals[own]);
        resolve({ text: `${name} ${text}`, status: isOwnEnd ? 0 : shown });
      });
    });
  }

  #passSignalsOn(child: ChildProcess): void {
    // The kernel ignores the terminal's own stop signal in a session that no shell controls.
    const pause = (): void => {
      this.#send('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    };
    // However we end, it must not be left behind.
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

  /** The first signal ends the recording, which then ends the command; the second kills both at once. */
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
    // Other handlers of the signal run before we exit.
    process.emit(signal, signal);
    process.kill(process.pid, signal);
  };

  /** Reaches the command and everything it started in its group, as a terminal's signals do. */
  readonly #send = (signal: NodeJS.Signals): void => {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (HAS_OWN_GROUP) process.kill(-pid, signal);
      else if (!isTreeEnded(pid)) process.kill(pid, signal);
    } catch (error) {
      // It has just exited, or belongs to another user, like sudo, and cannot be signalled.
      if (systemCodeOf(error) !== 'ESRCH') this.#failToEnd(error);
    }
  };
}

/** Windows has no signals and no process groups: a program started by a batch file would outlive cmd.exe. */
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
