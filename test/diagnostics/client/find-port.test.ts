/** Finding the diagnostic port of a process. */
import { once } from 'node:events';
import { chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../../lib/diagnostics/client/diagnostics-client.ts';
import { findPort } from '../../../lib/diagnostics/client/find-port.ts';
import { linuxOnly, missingOnWindows, named } from '../../platforms.ts';
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

  it('finds the port of a process by its id', async () => {
    await fakeOf().listen(folder.port);
    const client = DiagnosticsClient.at(await findPort(process.pid), process.pid);
    expect(await client.processInfo()).toMatchObject({ entryAssembly: 'app' });
  });

  it.skipIf(linuxOnly('/proc') !== undefined)(
    named(
      'takes the one of its start time, not one left by an earlier process of that id',
      linuxOnly('/proc'),
    ),
    async () => {
      await fakeOf().listen(folder.port);
      const stale = createServer().listen(folder.port.replace(/\d+-socket$/, '1-socket'));
      const client = DiagnosticsClient.at(await findPort(process.pid), process.pid);
      expect(await client.processInfo()).toMatchObject({ entryAssembly: 'app' });
      stale.close();
    },
  );

  it.skipIf(missingOnWindows('sockets in folders') !== undefined)(
    named('takes no file, link or FIFO that stands there for one', missingOnWindows('sockets in folders')),
    async () => {
      const portOf = (key: number) => folder.port.replace(/\d+-socket$/, `${key}-socket`);
      writeFileSync(portOf(1), '');
      symlinkSync('/dev/zero', portOf(2));
      const elsewhere = createServer().listen(join(folder.path, 'elsewhere'));
      symlinkSync('elsewhere', portOf(3));
      await expect(findPort(process.pid)).rejects.toMatchObject({ code: 'no-port' });
      elsewhere.close();
    },
  );

  const notRoot = process.getuid?.() === 0 ? undefined : 'only root can give a socket away';
  it.skipIf(notRoot !== undefined)(
    named('takes no socket of another user, however well it is named', notRoot),
    async () => {
      const planted = createServer().listen(folder.port);
      await once(planted, 'listening');
      chownSync(folder.port, 65534, 65534);
      await expect(findPort(process.pid)).rejects.toMatchObject({ code: 'no-port' });
      planted.close();
    },
  );

  it('says that there is no such process', async () => {
    await expect(findPort(0x7ffffff0)).rejects.toEqual(
      failure('no-process', 'There is no process 2147483632.'),
    );
  });

  it('says that a process has no port', async () => {
    await expect(findPort(process.pid)).rejects.toEqual(
      failure(
        'no-port',
        `${PROCESS} has no diagnostic port. A program that imports tracewright opens one if it is started with TRACEWRIGHT_DIAGNOSTICS=1; .NET programs have one unless DOTNET_EnableDiagnostics=0.`,
      ),
    );
  });
});
