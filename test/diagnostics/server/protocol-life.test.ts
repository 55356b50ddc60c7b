/** The socket of a diagnostic port from its creation to its removal, with the process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linuxOnly, named } from '../../platforms.ts';
import { ByteConnection, exchange } from './byte-client.ts';
import { collectTracing2, DONE, message, PROCESS } from './byte-messages.ts';
import { ByteStream } from './byte-stream.ts';
import { NO_SOCKETS, PROGRAM, useTargets } from './byte-target.ts';
import { WORKED_2, WORKED_4 } from './byte-worked-messages.ts';

const start = useTargets();
const RESUME = message(PROCESS, 0x01);

/** In clock ticks since the system's start. Source: proc_pid_stat(5), field 22. */
function startTime(processId: number): string {
  const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Looks without a pause until there is a socket in the folder, and tells the mode that it has then. */
function modeAtBirth(path: string): string {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) return (found.mode & 0o777).toString(8);
  }
  throw new Error(`There was no ${path} in ten seconds.`);
}

describe.skipIf(NO_SOCKETS !== undefined)(named('the socket of a diagnostic port', NO_SOCKETS), () => {
  it.skipIf(linuxOnly('/proc') !== undefined)(
    named("is named by the process and its start, in TMPDIR's folder", linuxOnly('/proc')),
    async () => {
      const target = await start().started();
      expect(target.sockets).toEqual([`dotnet-diagnostic-${target.pid}-${startTime(target.pid)}-socket`]);
      expect(target.address).toBe(join(target.folder, target.sockets[0] ?? ''));
    },
  );

  it('is in /tmp without a TMPDIR', async () => {
    const target = await start({ environment: { TMPDIR: '' } }).started();
    expect(dirname(target.address)).toBe('/tmp');
    expect(await exchange(target.address, RESUME)).toEqual(DONE);
    target.leave('end');
    await target.exit;
    expect(statSync(target.address, { throwIfNoEntry: false })).toBe(undefined);
  });

  it('does not exist if its path would be too long, and the process is notified', async () => {
    const folder = mkdtempSync(join(tmpdir(), `tracewright-port-${'long'.repeat(20)}-`));
    const target = await start({ environment: { TMPDIR: folder } }).started();
    rmSync(folder, { recursive: true });
    expect(target.problem).toMatch(/^[A-Z].*\.$/);
    expect(() => target.address).toThrow();
    target.leave('end');
    expect(await target.exit).toEqual({ code: 0, signal: null });
  });

  it("does not exist if .NET's switch disables it", async () => {
    const target = await start({ environment: { DOTNET_EnableDiagnostics: '0' } }).started();
    expect(target.sockets).toEqual([]);
  });

  it('is accessible only to its user, from the moment that it exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-port-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [PROGRAM], {
        env: { PATH: process.env.PATH, TMPDIR: folder },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      const pid = child.pid ?? 0;
      const path = join(folder, `dotnet-diagnostic-${pid}-${startTime(pid)}-socket`);
      expect(modeAtBirth(path)).toBe('600');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('does not keep the process alive, and is removed with it', async () => {
    const target = await start().started();
    target.leave('end');
    expect(await target.exit).toEqual({ code: 0, signal: null });
    expect(target.sockets).toEqual([]);
  });

  it('is removed with a process that is told to exit', async () => {
    const target = await start().started();
    target.leave('exit', 3);
    expect(await target.exit).toEqual({ code: 3, signal: null });
    expect(target.sockets).toEqual([]);
  });

  it('is removed when the port is closed, with all connections and sessions', async () => {
    const target = await start().started();
    const idle = await ByteConnection.open(target.address);
    const stream = await ByteStream.start(target.address, WORKED_4);
    await target.write(5);
    await target.ask('close');
    expect(target.sockets).toEqual([]);
    await expect(ByteConnection.open(target.address)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await idle.takeRest()).toEqual(Buffer.alloc(0));
    const { events } = await stream.read();
    expect(events.filter(({ provider }) => provider === 'P').length).toBe(5);
    expect((await target.state()).enabled).toBe(0);
  });

  it('does not keep a process alive whose clients hang', async () => {
    const target = await start().started();
    const { address } = target;
    const idle = await Promise.all(Array.from({ length: 10 }, () => ByteConnection.open(address)));
    const half = (await ByteConnection.open(address)).send(WORKED_2.subarray(0, 50));
    const stream = await ByteStream.start(address, collectTracing2({ name: 'P', keywords: 1n }));
    const unread = await ByteStream.start(address, collectTracing2({ name: 'Bulk' }));
    unread.connection.pause();
    await target.write(10);
    await target.ask('writeBulk', { count: 2000 });
    target.leave('end');
    expect(await target.exit).toEqual({ code: 0, signal: null });
    expect(target.sockets).toEqual([]);
    for (const connection of [...idle, half]) expect((await connection.takeRest()).length).toBe(0);
    unread.connection.destroy();
    const { events } = await stream.read();
    expect(events.filter(({ provider }) => provider === 'P').length).toBe(10);
  });

  it('of another process that was killed does not interfere', async () => {
    const killed = await start().started();
    const { address, folder } = killed;
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect(killed.sockets).toEqual([basename(address)]);
    const target = await start({ environment: { TMPDIR: folder } }).started();
    expect(killed.sockets.length).toBe(2);
    expect(await exchange(target.address, RESUME)).toEqual(DONE);
  });
});
