/** Processes that connect to the tool, instead of the other way round. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../../../lib/session/diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../../../../lib/session/diagnostics/client/reverse-server.ts';
import { failure, fakeOf, folder, readAll, tracing, useFakeProcesses } from './fake-client.ts';
import { COOKIE } from './fake-process.ts';

useFakeProcesses();

describe('a process that connects to the tool', () => {
  let server: ReverseServer;
  let address: string;
  beforeEach(async () => {
    address = folder.tool;
    server = await ReverseServer.listen(address);
  });
  afterEach(() => server.close());

  it('says who it is, and connects anew for each request', async () => {
    const fake = await fakeOf({ trace: new Uint8Array(100) }).connectTo(address);
    const target = await server.arrived();
    expect(target.name).toBe('Process 4711');
    const client = new DiagnosticsClient(target);
    expect(await client.processInfo()).toMatchObject({ runtimeCookie: COOKIE });
    const session = await client.collectTracing(tracing);
    const reading = readAll(session.stream);
    await client.resumeRuntime();
    await session.stop();
    expect(await reading).toHaveLength(100);
    expect(fake.commands).toEqual(['04/08', '02/03', '04/01', '02/01']);
  });

  it('is not mistaken for one that speaks otherwise', async () => {
    const other = connect(address);
    other.on('error', () => {});
    const closed = new Promise((resolve) => other.once('close', resolve));
    other.write(Buffer.alloc(34));
    await closed;
    await fakeOf().connectTo(address);
    expect((await server.arrived()).name).toBe('Process 4711');
  });

  it('cannot be waited for where somebody else listens', async () => {
    await expect(ReverseServer.listen(address)).rejects.toEqual(
      failure('failed', `Something listens at ${address} already, or a file of that name was left behind.`),
    );
  });
});
