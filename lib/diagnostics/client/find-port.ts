/** Finds the diagnostic ports of this machine's processes. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAlive } from '../../base/is-alive.ts';
import { PIPE_FOLDER, parsePortName, pipeName } from '../../wire/diagnostics-ipc/port-name.ts';
import { temporaryFolder } from '../port-folders.ts';
import { DiagnosticsClientError } from './client-error.ts';
import { type IsWanted, LinuxPorts } from './linux-ports.ts';
import { type DiagnosticPort, newestPort, PortFolders } from './port-folder.ts';

/**
 * The port of a process.
 *
 * @throws DiagnosticsClientError
 */
export async function findPort(processId: number): Promise<string> {
  if (!isAlive(processId)) {
    throw new DiagnosticsClientError('no-process', `There is no process ${processId}.`);
  }
  const { address, obstacle } = await search(processId);
  if (address !== undefined) return address;
  if (obstacle === 'EACCES' || obstacle === 'EPERM') {
    throw new DiagnosticsClientError(
      'not-permitted',
      `This user may not look for the diagnostic port of process ${processId} (${obstacle}).`,
    );
  }
  throw new DiagnosticsClientError(
    'no-port',
    `Process ${processId} has no diagnostic port. A program that imports tracewright opens one if it is started ` +
      'with TRACEWRIGHT_DIAGNOSTICS=1; .NET programs have one unless DOTNET_EnableDiagnostics=0.',
  );
}

/**
 * The ports of all running processes, as far as this user may look.
 *
 * @param isWanted of which processes, by id and the key of the port; without /proc, the key is not known
 */
export async function listPorts(isWanted?: IsWanted): Promise<DiagnosticPort[]> {
  if (hasProc()) return new LinuxPorts().all(isWanted);
  const folder = process.platform === 'win32' ? PIPE_FOLDER : temporaryFolder();
  const ids = (await readdir(folder)).flatMap((name) => parsePortName(name)?.processId ?? []);
  const alive = [...new Set(ids)]
    .filter((id) => isAlive(id) && isWanted?.(id, '') !== false)
    .sort((a, b) => a - b);
  const folders = new PortFolders();
  const ports = await Promise.all(
    alive.map(async (processId) => ({ processId, address: await addressIn(folders, processId) })),
  );
  return ports.filter((port): port is DiagnosticPort => port.address !== undefined);
}

/** Some containers and sandboxes mount none: there, as on other systems, the names of the sockets are all there is. */
function hasProc(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/stat');
}

/** @returns the port, if found, and why any folder could not be examined */
async function search(processId: number): Promise<{ address?: string; obstacle?: string | undefined }> {
  if (hasProc()) return new LinuxPorts().of(processId);
  const address = await addressIn(new PortFolders(), processId);
  return address === undefined ? {} : { address };
}

/** On systems without /proc. */
async function addressIn(folders: PortFolders, processId: number): Promise<string | undefined> {
  if (process.platform === 'win32') {
    const name = pipeName(processId);
    // If pipes cannot be listed, connecting shows whether there is one.
    const names = await readdir(PIPE_FOLDER).catch(() => [name]);
    return names.includes(name) ? PIPE_FOLDER + name : undefined;
  }
  const user = process.geteuid?.();
  const ports = await folders.portsIn(temporaryFolder(), processId);
  // Nothing tells whose process it is, and anyone can create a file with its port's name.
  return newestPort(ports.filter(({ owner }) => owner === user || owner === 0))?.address;
}
