/** `tracewright ps` as a user types it, on the built package, against a process that answers as .NET does. */
import { execFile, spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder, PROCESS, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { error } from '../diagnostics/client/fake-process.ts';
import { named } from '../platforms.ts';
import { PID, run, started } from './fake-target.ts';
import { main } from './run-tracewright.ts';

const HIDES_PROC = ['--mount', 'mount', '-t', 'tmpfs', 'none', '/proc'];
const canHideProc = process.platform === 'linux' && spawnSync('unshare', HIDES_PROC).status === 0;
const cannotHideProc = canHideProc ? undefined : 'only root on Linux can hide /proc';

useFakeProcesses();

describe('ps', () => {
  const rowOf = (stdout: string) => stdout.split('\n').find((line) => line.trim().startsWith(`${PID} `));

  it('lists processes with what they report', async () => {
    await started();
    const { status, stdout } = await run('ps');
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^ *PID {2}NAME +RUNTIME +COMMAND LINE$/);
    expect(rowOf(stdout)?.trim().split(/ {2,}/)).toEqual([
      PID,
      'app',
      '10.0.1 linux-x64',
      'dotnet app.dll --x',
    ]);
  });

  it('prints JSON lines', async () => {
    await started();
    const { stdout } = await run('ps', '--json');
    const processes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(processes.find(({ processId }) => processId === process.pid)).toEqual({
      processId: process.pid,
      name: 'app',
      runtimeCookie: '00112233-4455-6677-8899-aabbccddeeff',
      commandLine: 'dotnet app.dll --x',
      operatingSystem: 'Linux',
      architecture: 'x64',
      entryAssembly: 'app',
      productVersion: '10.0.1',
      runtimeIdentifier: 'linux-x64',
      address: folder.port,
    });
  });

  it('names the oldest processes by their program', async () => {
    const unknown = () => error(0x80131385);
    await started({ answers: { '04/08': unknown, '04/04': unknown } });
    const { stdout } = await run('ps');
    expect(rowOf(stdout)).toMatch(/ dotnet +Linux x64 +dotnet app.dll --x$/);
  });

  it('says why nothing is known about a process that does not answer', async () => {
    await started({ answers: { '04/08': () => undefined } });
    const { stdout } = await run('ps');
    expect(rowOf(stdout)).toContain(`(${PROCESS} does not answer.)`);
  });

  // What a sandbox without /proc leaves, and what other systems have: the names of the sockets.
  it.skipIf(cannotHideProc !== undefined)(
    named('lists and finds processes without /proc', cannotHideProc),
    async () => {
      await started();
      const without = async (...args: string[]) => {
        const hidden = 'mount -t tmpfs none /proc && exec "$@"';
        const command = ['--mount', 'sh', '-c', hidden, 'sh', process.execPath, main, ...args];
        const { stdout } = await promisify(execFile)('unshare', command, {
          env: { ...process.env, TMPDIR: folder.path },
        });
        return stdout;
      };
      expect(rowOf(await without('ps'))).toContain('dotnet app.dll --x');
      chownSync(folder.port, 65534, 65534);
      expect(rowOf(await without('ps'))).toBeUndefined();
    },
  );

  it('says that there are none', async () => {
    const { stdout, stderr } = await run('ps');
    expect(rowOf(stdout)).toBeUndefined();
    if (stdout === '') expect(stderr).toBe('No process with a diagnostic port was found.\n');
  });
});
