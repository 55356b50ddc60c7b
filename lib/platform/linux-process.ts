/** What Linux tells about a process to those who may reach it. Sources: proc_pid_status(5), proc_pid_net(5). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The text of /proc/PID/status. */
export class ProcessStatus {
  readonly #text: string;

  /** @param text empty if the process has exited */
  constructor(text: string) {
    this.#text = text;
  }

  /** The process id as the process itself sees it, in the innermost of its namespaces. */
  get innerId(): number | undefined {
    const id = this.#fields('NSpid').at(-1);
    return id === undefined ? undefined : Number(id);
  }

  /** The user as whom it creates files. */
  get effectiveUser(): number | undefined {
    return this.users[1];
  }

  /** Its real, effective, saved and file system's user. */
  get users(): number[] {
    return this.#fields('Uid').map(Number);
  }

  /** Whether a handler of the process runs when it gets the signal. */
  handles(signal: number): boolean {
    const [mask] = this.#fields('SigCgt');
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
  }

  #fields(name: string): string[] {
    const [, values] = new RegExp(`^${name}:\\s*(\\S.*)$`, 'm').exec(this.#text) ?? [];
    return values?.split(/\s+/) ?? [];
  }
}

/** A TCP socket that waits for connections in the network namespace of a process. */
export interface ListeningSocket {
  readonly inode: string;
  /** An address at which it can be reached from within the namespace. */
  readonly host: string;
  readonly port: number;
  /** Whether the process has it open. */
  readonly isOwn: boolean;
}

const LISTENING = '0A';
const SOCKET = /^socket:\[(\d+)\]$/;

/** @throws the system's error if this user may not see the files of the process, or it has exited */
export function listeningSockets(processId: number): ListeningSocket[] {
  const own = new Set(
    readdirSync(`/proc/${processId}/fd`).flatMap(
      (name) => SOCKET.exec(linkOf(`/proc/${processId}/fd/${name}`) ?? '')?.[1] ?? [],
    ),
  );
  return ['tcp', 'tcp6'].flatMap((table) => {
    const lines = textOf(`/proc/${processId}/net/${table}`).split('\n').slice(1);
    return lines.flatMap((line) => {
      const columns = line.trim().split(/\s+/);
      const [address = '', port = ''] = columns[1]?.split(':') ?? [];
      const inode = columns[9] ?? '';
      if (columns[3] !== LISTENING) return [];
      return { inode, host: hostOf(address), port: Number.parseInt(port, 16), isOwn: own.has(inode) };
    });
  });
}

/** The kernel prints words of 32 bits in the order of the processor; all known ones with Node.js are little-endian. */
function hostOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').swap32();
  const isAny = bytes.every((byte) => byte === 0);
  if (bytes.length === 4) return isAny ? '127.0.0.1' : bytes.join('.');
  return isAny ? '::1' : (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}

/** Returns nothing if it cannot be read, mostly because the process has just exited. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @returns undefined if it cannot be read */
export function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
