/** A diagnostic port in the test's own process, over either kind of socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { DiagnosticsClient } from '../../../lib/diagnostics/client/diagnostics-client.ts';
import type { Listener } from '../../../lib/diagnostics/server/connection.ts';
import { listenAt } from '../../../lib/diagnostics/server/diagnostics-port.ts';
import { RequestServer, StartupGate } from '../../../lib/diagnostics/server/request-server.ts';
import { TracingSessions } from '../../../lib/diagnostics/server/tracing-sessions.ts';
import { type UnixSockets, unixSockets } from '../../../lib/platform/unix-socket.ts';

/** The kinds of sockets there are; of the addon on Linux only. */
export const SOCKETS: readonly [string, UnixSockets | undefined][] = [
  ...(process.platform === 'linux'
    ? [['the addon', unixSockets()] as [string, UnixSockets | undefined]]
    : []),
  ['Node.js', undefined],
];

/** Of the test that runs. */
export let folder = '';

export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-port-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export class Served {
  readonly address =
    process.platform === 'win32' ? `\\\\.\\pipe\\tracewright-${process.pid}` : join(folder, 'port');
  readonly sessions = new TracingSessions();
  readonly gate = new StartupGate(true, '');
  readonly server = new RequestServer(this.sessions, true);
  readonly client = DiagnosticsClient.at(this.address, process.pid);
  readonly #listener: Listener;

  constructor(sockets: UnixSockets | undefined) {
    this.#listener = listenAt(this.address, sockets, (connection) =>
      this.server.serve(connection, this.gate),
    );
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.sessions.stopAll();
  }
}
