/**
 * The diagnostic ports of processes on Linux, including those in containers and with their own temporary folders: each
 * is looked for where the process itself sees it.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/system-code.ts';
import { ProcessStatus } from '../../platform/linux-process.ts';
import { portKey, startTimeKey } from '../../wire/diagnostics-ipc/port-name.ts';
import { temporaryFolder } from '../port-folders.ts';
import { type DiagnosticPort, newestPort, type PortFile, PortFolders } from './port-folder.ts';

interface FoundPort {
  readonly address?: string;
  /** The system's error if a folder could not be examined. */
  readonly obstacle?: string | undefined;
}

export type IsWanted = (processId: number, key: string) => boolean;

/** The maximum length of a socket path, including the final NUL; longer ones cannot be connected to. */
const MAX_SOCKET_PATH = 108;

export class LinuxPorts {
  readonly #folders = new PortFolders();

  /** @param isWanted by its id and the key of its port; the default is all */
  async all(isWanted?: IsWanted): Promise<DiagnosticPort[]> {
    const ports: DiagnosticPort[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const processId = Number(name);
      if (isWanted !== undefined && !isWanted(processId, (await keyOf(processId)).own)) continue;
      const { address } = await this.of(processId);
      if (address !== undefined) ports.push({ processId, address });
    }
    return ports.sort((a, b) => a.processId - b.processId);
  }

  async of(processId: number): Promise<FoundPort> {
    const [status, key] = await Promise.all([statusOf(processId), keyOf(processId)]);
    const { innerId = processId, effectiveUser: user } = status;
    const looks = await Promise.allSettled([
      // Its paths are short, and are the ones that other tools show.
      this.#folders.portsIn(temporaryFolder(), processId),
      folderSeenBy(processId).then((folder) => this.#folders.portsIn(folder, innerId)),
    ]);
    const found = looks.flatMap((look) => (look.status === 'fulfilled' ? look.value : []));
    // A process that has given up root may have opened its port before.
    const usable = found.filter(
      ({ address, owner }) => Buffer.byteLength(address) < MAX_SOCKET_PATH && (owner === user || owner === 0),
    );
    const address = portOfKey(usable, key)?.address;
    if (address !== undefined) return { address };
    const failures = looks.filter((look) => look.status === 'rejected');
    return { obstacle: systemCodeOf(failures.at(-1)?.reason) };
  }
}

/** The process's temporary folder, as a path in our namespace. */
async function folderSeenBy(processId: number): Promise<string> {
  const environment = await readFile(`/proc/${processId}/environ`, 'utf8');
  const variable = environment.split('\0').find((text) => text.startsWith('TMPDIR='));
  return join(`/proc/${processId}/root`, variable?.slice('TMPDIR='.length) || '/tmp');
}

async function statusOf(processId: number): Promise<ProcessStatus> {
  return new ProcessStatus(await textOf(`/proc/${processId}/status`));
}

async function keyOf(processId: number): Promise<ProcessKey> {
  const [stat, namespace] = await Promise.all([
    textOf(`/proc/${processId}/stat`),
    readlink(`/proc/${processId}/ns/pid`).catch(() => undefined),
  ]);
  return { startTime: startTimeKey(stat), own: portKey(stat, namespace) };
}

/** Which keys the port of a process can have. */
interface ProcessKey {
  /** That of .NET's runtime; 0 if it is not known. */
  readonly startTime: string;
  readonly own: string;
}

/**
 * Other files with the process's id belong to earlier processes, or to one of another container that shares the folder.
 */
function portOfKey(files: readonly PortFile[], { startTime, own }: ProcessKey): PortFile | undefined {
  if (startTime === UNKNOWN) return newestPort(files);
  return [own, startTime, UNKNOWN].flatMap((key) => files.find((file) => file.key === key) ?? [])[0];
}

/** The key if a process cannot read its start time, as in .NET's runtime. */
const UNKNOWN = '0';

/** Returns nothing if the process has just exited. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
