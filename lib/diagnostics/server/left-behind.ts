/** Whether a file is a socket that nobody listens at any more. */
import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../base/system-code.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';

export function isLeftBehind(path: string, sockets: UnixSockets): boolean {
  try {
    // Of another kind of file, connecting says the same.
    if (!lstatSync(path).isSocket()) return false;
    sockets.close(sockets.connect(path));
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ECONNREFUSED';
  }
}
