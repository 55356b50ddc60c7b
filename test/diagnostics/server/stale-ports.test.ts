/** Sockets left behind by killed processes: which are removed, and which are not. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeStaleFolders, removeStalePorts } from '../../../lib/diagnostics/server/stale-ports.ts';
import { unixSockets } from '../../../lib/platform/unix-socket.ts';
import { named } from '../../platforms.ts';

const sockets = unixSockets();
const NO_SOCKETS = sockets === undefined ? 'the addon has no sockets here' : undefined;
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
  if (sockets !== undefined) removeStalePorts(folder, sockets);
  return readdirSync(folder);
}

it.skipIf(NO_SOCKETS !== undefined)(named('are taken away where nobody listens', NO_SOCKETS), () => {
  leaveBehind(`dotnet-diagnostic-${NOBODY}-1-socket`);
  leaveBehind(`dotnet-diagnostic-${NOBODY}-2-socket`);
  expect(left()).toEqual([]);
});

it.skipIf(NO_SOCKETS !== undefined)(
  named('stay where they are new, or a process of that id lives', NO_SOCKETS),
  () => {
    leaveBehind(`dotnet-diagnostic-${NOBODY}-1-socket`, 0);
    leaveBehind(`dotnet-diagnostic-${process.pid}-1-socket`);
    expect(left()).toHaveLength(2);
  },
);

it.skipIf(NO_SOCKETS !== undefined)(
  named('stay where somebody listens, as in another container', NO_SOCKETS),
  async () => {
    const path = join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`);
    await new Promise<void>((resolve) => {
      server = createServer((socket) => socket.resume()).listen(path, resolve);
    });
    utimesSync(path, 0, 0);
    expect(left()).toHaveLength(1);
  },
);

it.skipIf(NO_SOCKETS !== undefined)(
  named('of commands are taken away with their folders, and nothing else is', NO_SOCKETS),
  () => {
    const ports: readonly [folder: string, age: number, mode: number][] = [
      ['tracewright-aaaaaa', 100, 0o700],
      ['tracewright-new123', 0, 0o700],
      ['tracewright-others', 100, 0o777],
      ['tracewright-longer-name', 100, 0o700],
    ];
    for (const [name, age, mode] of ports) {
      mkdirSync(join(folder, name));
      leaveBehind(join(name, 'port'), age);
      chmodSync(join(folder, name), mode);
    }
    mkdirSync(join(folder, 'tracewright-filled'), { mode: 0o700 });
    leaveBehind('tracewright-filled/port');
    writeFileSync(join(folder, 'tracewright-filled/mine'), '');
    symlinkSync('tracewright-others', join(folder, 'tracewright-linked'));
    if (sockets !== undefined) removeStaleFolders(folder, sockets);
    expect(readdirSync(folder).sort()).toEqual([
      'tracewright-filled',
      'tracewright-linked',
      'tracewright-longer-name',
      'tracewright-new123',
      'tracewright-others',
    ]);
    expect(readdirSync(join(folder, 'tracewright-filled'))).toEqual(['mine']);
  },
);

it.skipIf(NO_SOCKETS !== undefined)(named('are nothing else', NO_SOCKETS), () => {
  leaveBehind('other-socket');
  writeFileSync(join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`), '');
  utimesSync(join(folder, `dotnet-diagnostic-${NOBODY}-1-socket`), 0, 0);
  expect(left()).toHaveLength(2);
  rmSync(folder, { recursive: true });
  if (sockets !== undefined) removeStalePorts(folder, sockets);
  folder = mkdtempSync('/tmp/tracewright-test-');
});
