/** Finding the diagnostic port of a process. */
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../../../lib/session/diagnostics/client/diagnostics-client.ts';
import { failure, fakeOf, folder, PROCESS, useFakeProcesses } from './fake-client.ts';

useFakeProcesses();

describe('finding a port', () => {
  const { TMPDIR } = process.env;
  beforeEach(() => {
    process.env.TMPDIR = folder.path;
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  it('finds that of a process by its id', async () => {
    await fakeOf().listen(folder.port);
    const client = await DiagnosticsClient.ofProcess(process.pid);
    expect(await client.processInfo()).toMatchObject({ entryAssembly: 'app' });
  });

  it.runIf(process.platform === 'linux')(
    'takes the one of its start time, not one left by an earlier process of that id',
    async () => {
      await fakeOf().listen(folder.port);
      const stale = createServer().listen(folder.port.replace(/\d+-socket$/, '1-socket'));
      const client = await DiagnosticsClient.ofProcess(process.pid);
      expect(await client.processInfo()).toMatchObject({ entryAssembly: 'app' });
      stale.close();
    },
  );

  it('says that there is no such process', async () => {
    await expect(DiagnosticsClient.ofProcess(0x7ffffff0)).rejects.toEqual(
      failure('no-process', 'There is no process 2147483632.'),
    );
  });

  it('says that a process has no port', async () => {
    await expect(DiagnosticsClient.ofProcess(process.pid)).rejects.toEqual(
      failure(
        'no-port',
        `${PROCESS} has no diagnostic port: it is neither of .NET nor of tracewright with its port open.`,
      ),
    );
  });
});
