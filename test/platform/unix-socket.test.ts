/** The addon's sockets, for what Node.js's own cannot do. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type UnixSocket, unixSockets } from '../../lib/platform/unix-socket.ts';
import { named } from '../platforms.ts';

const sockets = unixSockets();
const NO_SOCKETS = sockets === undefined ? 'the addon has no sockets here' : undefined;

describe.skipIf(NO_SOCKETS !== undefined)(
  named('a socket whose other side reads nothing', NO_SOCKETS),
  () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'tracewright-socket-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    function filledSocket(): UnixSocket {
      if (sockets === undefined) throw new Error('There are no sockets.');
      const path = join(folder, 'socket');
      const listener = sockets.listen(path);
      const socket = sockets.connect(path);
      const accepted = listener.accept();
      onTestFinished(() => {
        for (const each of [listener, socket, accepted]) each?.close();
      });
      const bytes = new Uint8Array(1 << 16);
      while (socket.send(bytes, 0) !== undefined);
      return socket;
    }

    it('is waited for as long as requested, whatever signals arrive meanwhile', () => {
      const socket = filledSocket();
      const ignore = (): void => {};
      process.on('SIGWINCH', ignore);
      onTestFinished(() => void process.off('SIGWINCH', ignore));
      const signals = `for i in 1 2 3 4 5; do sleep 0.05; kill -WINCH ${process.pid}; done`;
      spawn('sh', ['-c', signals], { stdio: 'ignore' });
      const start = performance.now();
      expect(socket.awaitSendable(500)).toBe(false);
      expect(performance.now() - start).toBeGreaterThanOrEqual(499);
    });
  },
);
