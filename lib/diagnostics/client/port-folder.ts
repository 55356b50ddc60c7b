/** The diagnostic ports whose sockets are in a folder. */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePortName } from '../../wire/diagnostics-ipc/port-name.ts';

export interface DiagnosticPort {
  /** As we see it, who may be in another namespace than the process. */
  readonly processId: number;
  /** A Unix socket's path, or a Windows pipe's name. */
  readonly address: string;
}

export interface PortFile {
  readonly address: string;
  readonly key: string | undefined;
  /** When it was made, in ms. */
  readonly time: number;
  /** The user whose it is. */
  readonly owner: number;
}

interface NamedPort extends Omit<PortFile, 'address'> {
  readonly name: string;
  /** As the process itself sees it. */
  readonly processId: number;
}

/**
 * Of files that have a process's id the one that is its own: the one of its key; else the newest, for earlier ones
 * are of processes that had the same id.
 */
export function bestPort(files: readonly PortFile[], key?: string): PortFile | undefined {
  return files.find((file) => file.key === key) ?? [...files].sort((a, b) => b.time - a.time)[0];
}

/** Folders that are read once, though many processes have them, each by its own path. */
export class PortFolders {
  readonly #folders = new Map<string, Promise<NamedPort[]>>();

  /**
   * Those of a process, by its own id.
   *
   * @throws the system's error where the folder may not be read
   */
  async portsIn(folder: string, processId: number): Promise<PortFile[]> {
    const { dev, ino } = await stat(folder);
    const identity = `${dev} ${ino}`;
    let ports = this.#folders.get(identity);
    if (ports === undefined) {
      ports = readPorts(folder);
      this.#folders.set(identity, ports);
    }
    return (await ports)
      .filter((port) => port.processId === processId)
      .map(({ name, key, time, owner }) => ({ address: join(folder, name), key, time, owner }));
  }
}

async function readPorts(folder: string): Promise<NamedPort[]> {
  const ports: NamedPort[] = [];
  for (const name of await readdir(folder)) {
    const port = parsePortName(name);
    if (port?.key === undefined) continue;
    try {
      // Everybody can make files of such names in /tmp, and links to what must not be opened.
      const stats = await lstat(join(folder, name));
      if (stats.isSocket()) ports.push({ ...port, name, time: stats.mtimeMs, owner: stats.uid });
    } catch {
      // Its process has just ended.
    }
  }
  return ports;
}
