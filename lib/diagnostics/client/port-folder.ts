/** The diagnostic ports whose sockets are in a given folder. */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePortName } from '../../wire/diagnostics-ipc/port-name.ts';

export interface DiagnosticPort {
  /** The id as we see it, possibly in a different namespace from the process. */
  readonly processId: number;
  /** The path of a Unix socket, or the name of a Windows pipe. */
  readonly address: string;
}

export interface PortFile {
  readonly address: string;
  readonly key: string | undefined;
  /** Its creation time in ms. */
  readonly time: number;
  /** The user who owns it. */
  readonly owner: number;
}

interface NamedPort extends Omit<PortFile, 'address'> {
  readonly name: string;
  /** The id as the process itself sees it. */
  readonly processId: number;
}

/** The newest of the files with a process's id: older ones belong to earlier processes with the same id. */
export function newestPort(files: readonly PortFile[]): PortFile | undefined {
  return [...files].sort((a, b) => b.time - a.time)[0];
}

/** Folders are read once, even if many processes share them through different paths. */
export class PortFolders {
  readonly #folders = new Map<string, Promise<NamedPort[]>>();

  /**
   * Those of a process, by its own id.
   *
   * @throws the system's error if the folder may not be read
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
      // Anyone can create files with such names in /tmp, and links to files that must not be opened.
      const stats = await lstat(join(folder, name));
      if (stats.isSocket()) ports.push({ ...port, name, time: stats.mtimeMs, owner: stats.uid });
    } catch {
      // Its process has just exited.
    }
  }
  return ports;
}
