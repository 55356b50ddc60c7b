/**
 * A running process without a diagnostic port, in which one can be opened: Node.js, recognized by what Linux tells about
 * it before anything is sent to it, because SIGUSR1 ends a process that does not handle it.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { systemCodeOf } from '../../base/system-code.ts';
import {
  type ListeningSocket,
  linkOf,
  listeningSockets,
  ProcessStatus,
  textOf,
} from '../../platform/linux-process.ts';
import { startTimeKey } from '../../wire/diagnostics-ipc/port-name.ts';
import { DiagnosticsClientError, type DiagnosticsClientErrorCode } from '../client/client-error.ts';

/** Node.js exports it for embedders, from its program or from its library; Bun and Deno have no such function. */
const NODE_SYMBOL = '_ZN4node17CreateEnvironment';
const LIBRARY = /^[\da-f]+-[\da-f]+ r-xp .* (\/\S*\/libnode\.so[\d.]*)$/m;
const NS_PER_MS = 1e6;
const CHUNK = 4 << 20;
/** Programs with Node.js in them have up to 200 MB. */
const MAX_PROGRAM = 512 << 20;
/** Node.js's default. */
const DEBUG_PORT = 9229;
const DEBUG_OPTION = /^(--(?:inspect(?:-brk|-wait|-port)?|debug-port))(?:=(?:.*:)?(\d{1,5}))?$/;

export class UnpreparedProcess {
  readonly processId: number;
  /** With the process id, this identifies the process. */
  readonly startTime: string;

  /** @throws DiagnosticsClientError if no port can be opened in it */
  constructor(processId: number) {
    this.processId = processId;
    this.startTime = startTimeKey(textOf(`/proc/${processId}/stat`));
    this.#checkUser();
    const program = linkOf(`/proc/${processId}/exe`);
    if (program === undefined) throw this.refusal('not-permitted', 'this user may not look at its program');
    if (!this.#isNode()) {
      const name = basename(program).replace(/ \(deleted\)$/, '');
      throw new DiagnosticsClientError(
        'no-port',
        `Process ${processId} has no diagnostic port, and none can be opened in it, because it runs ${name}, not ` +
          'Node.js. .NET programs have one unless DOTNET_EnableDiagnostics=0.',
      );
    }
    this.checkSignal();
  }

  /** The command line, for people. */
  get commandLine(): string {
    return textOf(`/proc/${this.processId}/cmdline`).split('\0').join(' ').trim();
  }

  /** The id by which it knows itself. */
  get innerId(): number {
    return this.#status.innerId ?? this.processId;
  }

  /** Where its inspector is, or would open; 0 if it can be any port. */
  get debugPorts(): number[] {
    const given = this.#debugOptions.map(({ port }) => port);
    return given.length > 0 ? given : [DEBUG_PORT];
  }

  get #debugOptions(): { readonly option: string; readonly port: number }[] {
    const options = textOf(`/proc/${this.processId}/environ`)
      .split('\0')
      .filter((variable) => variable.startsWith('NODE_OPTIONS='))
      .flatMap((variable) => variable.slice('NODE_OPTIONS='.length).split(/\s+/));
    return [...options, ...textOf(`/proc/${this.processId}/cmdline`).split('\0')].flatMap((text) => {
      const [, option = '', port = DEBUG_PORT] = DEBUG_OPTION.exec(text) ?? [];
      return option === '' ? [] : { option, port: Number(port) };
    });
  }

  /**
   * Whether its event loop waits for events, as far as the kernel tells: by the name of the function in which its main
   * thread waits. So does `spawnSync`, in a loop of its own, until its child has ended.
   */
  get isIdle(): boolean {
    const folder = `/proc/${this.processId}`;
    const hasChildren = textOf(`${folder}/task/${this.processId}/children`) !== '';
    return !hasChildren && /epoll|ep_poll/.test(textOf(`${folder}/wchan`));
  }

  /** How long its main thread was on a processor so far, in milliseconds: the first number of its `schedstat`. */
  get mainThreadMs(): number {
    return Number(textOf(`/proc/${this.processId}/schedstat`).split(' ')[0]) / NS_PER_MS;
  }

  /** @throws DiagnosticsClientError if this user may not see its files, or it has exited */
  sockets(): ListeningSocket[] {
    try {
      return listeningSockets(this.processId);
    } catch (error) {
      throw this.refusal('not-permitted', `this user may not look at its sockets (${systemCodeOf(error)})`);
    }
  }

  /**
   * Its sockets that cannot be an inspector's, by inode. Only an inspector's own port may be asked whether it is one: a
   * request to a port of the application is one too many.
   */
  otherSockets(): string[] {
    const ports = this.debugPorts;
    // One that has been open from the start may be any of them; otherwise, it comes yet.
    if (ports.includes(0) && this.#debugOptions.some(({ option }) => !option.endsWith('-port'))) return [];
    return this.sockets()
      .filter(({ isOwn, port }) => isOwn && !ports.includes(port))
      .map(({ inode }) => inode);
  }

  /** Sends SIGUSR1, which opens the inspector. @throws DiagnosticsClientError */
  signal(): void {
    if (startTimeKey(textOf(`/proc/${this.processId}/stat`)) !== this.startTime) {
      throw new DiagnosticsClientError('ended', `Process ${this.processId} has ended.`);
    }
    this.checkSignal();
    process.kill(this.processId, 'SIGUSR1');
  }

  /** @throws DiagnosticsClientError if the signal would end it */
  checkSignal(): void {
    if (this.#status.handles(constants.signals.SIGUSR1)) return;
    const why = 'it does not handle SIGUSR1, as with --disable-sigusr1 or before it has started';
    throw this.refusal('no-port', why);
  }

  /** @param why a clause */
  refusal(code: DiagnosticsClientErrorCode, why: string): DiagnosticsClientError {
    return new DiagnosticsClientError(
      code,
      `Process ${this.processId} has no diagnostic port, and none can be opened in it, because ${why}.`,
    );
  }

  get #status(): ProcessStatus {
    return new ProcessStatus(textOf(`/proc/${this.processId}/status`));
  }

  #checkUser(): void {
    const user = process.geteuid?.();
    const other = this.#status.users.find((each) => each !== user);
    if (user === 0 || other === undefined) return;
    throw this.refusal('not-permitted', `it belongs to user ${other}: only that user and root can`);
  }

  #isNode(): boolean {
    const folder = `/proc/${this.processId}`;
    const [, library] = LIBRARY.exec(textOf(`${folder}/maps`)) ?? [];
    return (
      contains(`${folder}/exe`, NODE_SYMBOL) ||
      (library !== undefined && contains(`${folder}/root${library}`, NODE_SYMBOL))
    );
  }
}

/** Whether a file contains the text; its name proves nothing. */
function contains(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    const chunk = Buffer.alloc(CHUNK);
    const step = CHUNK - text.length;
    for (let at = 0; at < MAX_PROGRAM; at += step) {
      const size = readSync(file, chunk, 0, CHUNK, at);
      if (chunk.subarray(0, size).includes(text)) return true;
      if (size < CHUNK) return false;
    }
    return false;
  } finally {
    closeSync(file);
  }
}
