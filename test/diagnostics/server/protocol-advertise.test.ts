/** A process that connects to a tool's diagnostic port, byte by byte: its first message, and when it reconnects. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { named } from '../../platforms.ts';
import { ByteConnection } from './byte-client.ts';
import { DONE, message, PROCESS } from './byte-messages.ts';
import { ByteReply } from './byte-reply.ts';
import { NO_SOCKETS, useTargets } from './byte-target.ts';
import { WORKED_4 } from './byte-worked-messages.ts';

const start = useTargets();
const folder = mkdtempSync(join(tmpdir(), 'tracewright-tool-'));
afterAll(() => rmSync(folder, { recursive: true }));
const RESUME = message(PROCESS, 0x01);
const ADVERTISE_SIZE = 34;

/** A tool that listens, and the connections that come to it. */
class Tool {
  readonly path: string;
  readonly #server = createServer();

  constructor(name: string) {
    this.path = join(folder, name);
  }

  async listen(): Promise<this> {
    await once(this.#server.listen(this.path), 'listening');
    return this;
  }

  async connection(): Promise<ByteConnection> {
    const [socket] = (await once(this.#server, 'connection')) as [Socket];
    return new ByteConnection(socket);
  }

  close(): void {
    this.#server.close();
  }
}

async function advertised(connection: ByteConnection) {
  const bytes = new ByteReply(await connection.take(ADVERTISE_SIZE));
  return {
    magic: bytes.bytes(8).toString('latin1'),
    cookie: bytes.bytes(16).toString('hex'),
    processId: bytes.u64(),
    reserved: bytes.u16(),
  };
}

describe.skipIf(NO_SOCKETS !== undefined)(named('a process with a port to connect to', NO_SOCKETS), () => {
  it('identifies itself, takes one request, and connects again for the next', async () => {
    const tool = await new Tool('asks').listen();
    const target = start({ environment: { DOTNET_DiagnosticPorts: `${tool.path},nosuspend` } });
    const first = await tool.connection();
    const greeting = await advertised(first);
    await target.started();
    expect(greeting).toEqual({
      magic: 'ADVR_V1\0',
      cookie: expect.stringMatching(/^(?!0{32})/),
      processId: BigInt(target.pid),
      reserved: 0,
    });

    const next = tool.connection();
    first.send(message(PROCESS, 0x00));
    const reply = ByteReply.ok(await first.takeRest());
    expect(reply.u64()).toBe(BigInt(target.pid));
    expect(reply.bytes(16).toString('hex')).toBe(greeting.cookie);

    const second = await next;
    expect(await advertised(second)).toEqual(greeting);
    const third = tool.connection();
    second.send(WORKED_4);
    expect((await second.take(28)).length).toBe(28);
    // A stream keeps its connection; another comes for further requests.
    expect(await advertised(await third)).toEqual(greeting);
    second.destroy();
    tool.close();
    target.leave('end');
    expect(await target.exit).toEqual({ code: 0, signal: null });
  });

  it('is suspended until each port that requests it sends resume', async () => {
    const tool = await new Tool('suspends').listen();
    const connected = tool.connection();
    const target = await start({
      environment: { DOTNET_DiagnosticPorts: tool.path, DOTNET_DefaultDiagnosticPortSuspend: '1' },
    }).started();
    const connection = await connected;
    await advertised(connection);
    expect((await target.state()).isReady).toBe(false);
    expect(await connection.send(RESUME).takeRest()).toEqual(DONE);
    expect((await target.state()).isReady).toBe(false);
    const own = await ByteConnection.open(target.address);
    expect(await own.send(RESUME).takeRest()).toEqual(DONE);
    await expect.poll(async () => (await target.state()).isReady).toBe(true);
    tool.close();
  });

  it('tries until the tool is there', async () => {
    const tool = new Tool('late');
    const target = await start({
      environment: { DOTNET_DiagnosticPorts: `${tool.path},connect,nosuspend` },
    }).started();
    await tool.listen();
    expect((await advertised(await tool.connection())).processId).toBe(BigInt(target.pid));
    tool.close();
  });

  it('ends in its own time if the tool never comes', async () => {
    const target = await start({
      environment: { DOTNET_DiagnosticPorts: `${join(folder, 'never')},nosuspend` },
    }).started();
    target.leave('end');
    expect(await target.exit).toEqual({ code: 0, signal: null });
  });

  it('listens where configured', async () => {
    const path = join(folder, 'listens');
    const target = await start({
      environment: { DOTNET_DiagnosticPorts: `${path},listen,nosuspend` },
    }).started();
    const connection = await ByteConnection.open(path);
    expect(await connection.send(RESUME).takeRest()).toEqual(DONE);
    target.leave('end');
    await target.exit;
    await expect(ByteConnection.open(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
