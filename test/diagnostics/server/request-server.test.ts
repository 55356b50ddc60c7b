/** A port with clients, over the addon's sockets and over Node.js's, which all other platforms use. */
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiagnosticsClient } from '../../../lib/diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../../../lib/diagnostics/client/reverse-server.ts';
import { Connector } from '../../../lib/diagnostics/server/connector.ts';
import { listenAt } from '../../../lib/diagnostics/server/diagnostics-port.ts';
import { thisProcess } from '../../../lib/listen/this-process.ts';
import { event } from '../../../lib/source/event.ts';
import { defineEventSource } from '../../../lib/source/event-source.ts';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { encodeAdvertise } from '../../../lib/wire/diagnostics-ipc/advertise.ts';
import { ErrorCode } from '../../../lib/wire/diagnostics-ipc/constants.ts';
import { decodeReply } from '../../../lib/wire/diagnostics-ipc/reply.ts';
import { encodeRequest } from '../../../lib/wire/diagnostics-ipc/request.ts';
import type { StreamingTracing, UserEventsTracing } from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { missingOnWindows, named } from '../../platforms.ts';
import { decodeEnvironment, readEnvironmentSize } from '../../wire/diagnostics-ipc/read-environment.ts';
import { readAll } from '../client/fake-client.ts';
import { folder, Served, SOCKETS, useFolder } from './served.ts';

const log = defineEventSource('Port-Test', { Ping: event({ n: 'int32', text: 'string' }) });

const tracing: StreamingTracing = {
  sessionType: 'streaming',
  bufferMegabytes: 64,
  format: 1,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: [{ name: 'Port-Test', keywords: 0xffff_ffff_ffff_ffffn, level: 5, arguments: 'a=1;broken;b=2' }],
};
const userEvents: UserEventsTracing = {
  sessionType: 'user_events',
  rundownKeyword: 0n,
  providers: [
    {
      name: 'Port-Test',
      keywords: 0n,
      level: 5,
      arguments: undefined,
      filter: { isAllowList: false, ids: [] },
      tracepoints: { defaultName: 'Port_Test', sets: [] },
    },
  ],
};

async function pingsOf(bytes: Uint8Array): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const { name, payload } of await openTrace(bytes)) if (name === 'Ping') numbers.push(payload.n);
  return numbers;
}

useFolder();

describe.each(SOCKETS)('a port over the sockets of %s', (_, sockets) => {
  let served: Served;
  beforeEach(() => {
    served = new Served(sockets);
  });
  afterEach(() => served.close());

  /** What comes back, to its end. */
  async function answer(bytes: Uint8Array, isAll = false): Promise<Buffer> {
    const socket = connect({ path: served.address, allowHalfOpen: true });
    if (isAll) socket.end(bytes);
    else socket.write(bytes);
    const answered = await buffer(socket);
    socket.destroy();
    return answered;
  }

  it.skipIf(missingOnWindows('modes of files') !== undefined)(
    named('is for its user alone', missingOnWindows('modes of files')),
    () => {
      expect((statSync(served.address).mode & 0o777).toString(8)).toBe('600');
    },
  );

  it('identifies the process', async () => {
    expect(await served.client.processInfo()).toEqual(thisProcess());
  });

  it('resumes the process', async () => {
    const onPassed = vi.fn();
    served.gate.passed.then(onPassed);
    await served.client.processInfo();
    expect(onPassed).not.toHaveBeenCalled();
    await served.client.resumeRuntime();
    expect(onPassed).toHaveBeenCalled();
  });

  it.each([false, true])(
    "sends an environment too large for a socket's buffer (the client has half-closed: %s)",
    async (isAll) => {
      const text = 'x'.repeat(100_000);
      for (let i = 0; i < 10; i++) process.env[`LARGE_${i}`] = text;
      const bytes = await answer(encodeRequest({ command: 'ProcessEnvironment' }), isAll);
      for (let i = 0; i < 10; i++) delete process.env[`LARGE_${i}`];
      const reply = decodeReply(bytes);
      if (!reply.isOk) throw new Error('There is no environment.');
      const variables = decodeEnvironment(bytes.subarray(bytes.length - readEnvironmentSize(reply.payload)));
      expect(variables).toContain(`LARGE_9=${text}`);
    },
  );

  it.each([1, 6])('streams a session in format %i, all of it before confirming its stop', async (format) => {
    const commands: unknown[] = [];
    log.onCommand(({ kind, arguments: given }) => commands.push([kind, given]));
    const session = await served.client.collectTracing({ ...tracing, format });
    const reading = readAll(session.stream);
    const text = 'y'.repeat(1000);
    for (let n = 0; n < 5000; n++) log.Ping({ n, text });
    await session.stop();
    expect(log.Ping.enabled).toBe(false);
    expect(await pingsOf(await reading)).toEqual(Array.from({ length: 5000 }, (_, n) => n));
    expect(commands).toEqual([
      ['enable', { a: '1', b: '2' }],
      ['disable', {}],
    ]);
  });

  it('silently ends the session of a client that leaves', async () => {
    const onWarning = vi.fn();
    process.on('warning', onWarning);
    const session = await served.client.collectTracing(tracing);
    for (let n = 0; n < 1000; n++) log.Ping({ n, text: 'z'.repeat(1000) });
    session.close();
    await vi.waitFor(() => expect(log.Ping.enabled).toBe(false));
    log.Ping({ n: 0, text: '' });
    process.off('warning', onWarning);
    expect(onWarning).not.toHaveBeenCalled();
    expect(served.sessions.connections()).toEqual([]);
  });

  it('refuses a session in the format before nettrace', async () => {
    await expect(served.client.collectTracing({ ...tracing, format: 0 })).rejects.toMatchObject({
      code: 'refused',
      replyCode: ErrorCode.Fail,
    });
    expect(log.Ping.enabled).toBe(false);
  });

  it('refuses user_events without a descriptor, and if none can be received', async () => {
    const request = encodeRequest({ command: 'CollectTracing', version: 5, tracing: userEvents });
    const reply = decodeReply(await answer(Buffer.concat([request, Buffer.alloc(1)])));
    expect(reply).toMatchObject({
      isOk: false,
      code: sockets === undefined ? ErrorCode.NotSupported : ErrorCode.BadEncoding,
    });
  });

  it('replaces a socket that was left behind, and no other', async () => {
    if (process.platform === 'win32') return;
    expect(() => listenAt(served.address, sockets, () => {})).toThrow(
      `Another process already listens at the diagnostic port's address ${served.address} (EADDRINUSE).`,
    );
    const file = `${folder}/file`;
    writeFileSync(file, 'precious');
    expect(() => listenAt(file, sockets, () => {})).toThrow('EADDRINUSE');
    expect(statSync(file).size).toBe(8);
  });

  it('says where it cannot listen', () => {
    if (process.platform === 'win32') return;
    expect(() => listenAt(`${folder}/none/port`, sockets, () => {})).toThrow(
      /^The diagnostic port cannot listen at .*\/none\/port \(.*\)\.$/,
    );
  });

  const connectorTo = (address: string) =>
    new Connector(
      address,
      sockets,
      encodeAdvertise(thisProcess()),
      (connection, onRequest) => served.server.serve(connection, served.gate, onRequest),
      () => {},
    );

  it('connects to a listening tool, once for each request', async () => {
    const address = process.platform === 'win32' ? `${served.address}-tool` : `${folder}/tool`;
    const connector = connectorTo(address);
    // It has been there in vain.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const tool = await ReverseServer.listen(address);
    const client = new DiagnosticsClient(await tool.arrived());
    expect(await client.processInfo()).toEqual(thisProcess());
    const session = await client.collectTracing(tracing);
    const reading = readAll(session.stream);
    log.Ping({ n: 7, text: '' });
    await client.resumeRuntime();
    await session.stop();
    expect(await pingsOf(await reading)).toEqual([7]);
    connector.close();
    tool.close();
  });

  it('does not keep reconnecting to a tool that always disconnects', async () => {
    const address = process.platform === 'win32' ? `${served.address}-tool` : `${folder}/tool`;
    const times: number[] = [];
    const tool = createServer((socket) => {
      times.push(performance.now());
      socket.destroy();
    });
    await once(tool.listen(address), 'listening');
    const connector = connectorTo(address);
    await vi.waitFor(() => expect(times.length).toBeGreaterThanOrEqual(10), 10_000);
    connector.close();
    tool.close();
    // The pauses grow by a quarter each, from 10 ms.
    expect((times[9] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(200);
  });
});
