/** What a process does about its inspector while it is being given a port, when the visitor is slow or gone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { InspectorClient } from '../../lib/diagnostics/attach/inspector-client.ts';
import { guardExpression } from '../../lib/diagnostics/attach/target-code.ts';
import { listeningSockets } from '../../lib/platform/linux-process.ts';
import { freePort } from '../child/free-port.mjs';
import { linuxOnly, named } from '../platforms.ts';

const notHere = linuxOnly('/proc, where the process looks for its visitor');
/** Longer than a visitor may need between two messages on any machine but an overloaded one. */
const SLOW_MS = 2500;
const WAIT = { timeout: 30_000, interval: 20 };

let target: ChildProcess | undefined;
afterEach(() => target?.kill('SIGKILL'));

const isOpen = (port: number) =>
  listeningSockets(target?.pid ?? 0).some((socket) => socket.isOwn && socket.port === port);

/** A process whose inspector was opened by a signal, and connections to it. */
async function visited(count: number): Promise<{ port: number; clients: InspectorClient[] }> {
  const port = await freePort();
  const program = "setInterval(() => {}, 1000); process.stdout.write('ready')";
  target = spawn(process.execPath, [`--inspect-port=${port}`, '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => target?.stdout?.once('data', resolve));
  target.kill('SIGUSR1');
  await vi.waitFor(() => expect(isOpen(port)).toBe(true), WAIT);
  const clients: InspectorClient[] = [];
  while (clients.length < count) {
    const client = await InspectorClient.connect({ host: '127.0.0.1', port });
    if (client !== undefined) clients.push(client);
  }
  return { port, clients };
}

describe.skipIf(notHere !== undefined)(named("a visited process's inspector", notHere), () => {
  it('stays open for a slow visitor, and closes when it is gone', { timeout: 90_000 }, async () => {
    const { port, clients } = await visited(1);
    const [visitor] = clients;
    await visitor?.evaluate(guardExpression(visitor.localPort));
    await sleep(SLOW_MS);
    expect(await visitor?.evaluate('process.pid')).toBe(target?.pid);
    visitor?.close();
    await vi.waitFor(() => expect(isOpen(port)).toBe(false), WAIT);
  });

  it('does not stay open for another connection', { timeout: 90_000 }, async () => {
    const { port, clients } = await visited(2);
    const [visitor, other] = clients;
    await visitor?.evaluate(guardExpression(visitor.localPort));
    visitor?.close();
    const from = performance.now();
    await other?.closed;
    await vi.waitFor(() => expect(isOpen(port)).toBe(false), WAIT);
    // Less than the time after which it closes in any case.
    expect(performance.now() - from).toBeLessThan(8000);
  });
});
