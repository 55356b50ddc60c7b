/** Processes that connect to the tool, instead of the other way round. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Target } from '../../../lib/diagnostics/client/connection.ts';
import { DiagnosticsClient } from '../../../lib/diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../../../lib/diagnostics/client/reverse-server.ts';
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

  it('identifies itself, and connects again for each request', async () => {
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

  it('is distinguished from others, which connect after it', async () => {
    server.close();
    const later: Target[] = [];
    server = await ReverseServer.listen(address, (process) => later.push(process));
    const first = await fakeOf().connectTo(address);
    const second = await fakeOf().connectTo(address, 4712, Buffer.alloc(16, 1));
    expect((await server.arrived()).name).toBe('Process 4711');
    await vi.waitFor(() => expect(later.map(({ name }) => name)).toEqual(['Process 4712']));
    for (const target of later) await new DiagnosticsClient(target).resumeRuntime();
    expect([first.commands, second.commands]).toEqual([[], ['04/01']]);
  });

  it('is not mistaken for one that speaks another protocol', async () => {
    const other = connect(address);
    other.on('error', () => {});
    const closed = new Promise((resolve) => other.once('close', resolve));
    other.write(Buffer.alloc(34));
    await closed;
    await fakeOf().connectTo(address);
    expect((await server.arrived()).name).toBe('Process 4711');
  });

  it('is released when the tool is done, at any point', async () => {
    const greeted = await fakeOf().connectTo(address);
    const target = await server.arrived();
    await new DiagnosticsClient(target).resumeRuntime();
    expect(greeted.commands).toEqual(['04/01']);
    const silent = connect(address).on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = new Promise((resolve) => silent.once('close', resolve).resume());
    server.close();
    await closed;
    await expect(new DiagnosticsClient(target).resumeRuntime()).rejects.toEqual(
      failure('ended', 'Process 4711 no longer connects.'),
    );
  });

  it('cannot be waited for if somebody else is listening', async () => {
    await expect(ReverseServer.listen(address)).rejects.toEqual(
      failure('failed', `Something already listens at ${address}, or a file with that name was left behind.`),
    );
  });
});
