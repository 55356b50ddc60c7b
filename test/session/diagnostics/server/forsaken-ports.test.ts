/** Sockets of ports that killed processes have left: which are taken away, and which are not. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unixSockets } from '../../../../lib/platform/unix-socket.ts';
import { removeForsakenPorts } from '../../../../lib/session/diagnostics/server/forsaken-ports.ts';

const sockets = unixSockets();
/** Of no process: the system has fewer. */
const NOBODY = 2 ** 31 - 2;

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** By a process that is killed then. */
function leaveBehind(name: string, ageSeconds = 100): void {
  const path = join(folder, name);
  const listen = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ['-e', listen]);
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(path, then, then);
}

function left(): string[] {
  if (sockets !== undefined) removeForsakenPorts(folder, sockets);
  return readdirSync(folder);
}

it.skipIf(sockets === undefined)('are taken away where nobody listens', () => {
  leaveBehind(`dotnet-diagnostic-${NOBODY}-1-socket`);
  leaveBehind(`dotnet-diagnostic-${NOBODY}-2-socket`);
  expect(left()).toEqual([]);
});

it.skipIf(sockets === undefined)('stay where they are new, or a process of that id lives', () => {
  leaveBehind(`dotnet-diagnostic-${NOBODY}-1-socket`, 0);
  leaveBehind(`dotnet-diagnostic-${process.pid}-1-socket`);
  expect(left()).toHaveLength(2);
});

it.skipIf(sockets === undefined)('stay where somebody listens, as in another container', async () => {
  const path = join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`);
  await new Promise<void>((resolve) => {
    server = createServer((socket) => socket.resume()).listen(path, resolve);
  });
  utimesSync(path, 0, 0);
  expect(left()).toHaveLength(1);
});

it.skipIf(sockets === undefined)('are nothing else', () => {
  leaveBehind('other-socket');
  writeFileSync(join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`), '');
  utimesSync(join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`), 0, 0);
  expect(left()).toHaveLength(2);
  rmSync(folder, { recursive: true });
  if (sockets !== undefined) removeForsakenPorts(folder, sockets);
  folder = mkdtempSync('/tmp/tracewright-test-');
});
