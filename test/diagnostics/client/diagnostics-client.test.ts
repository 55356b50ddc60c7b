/** Requests to a process through its diagnostic port: the bytes sent, the replies understood, and every failure. */
import { describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../../lib/diagnostics/client/diagnostics-client.ts';
import { unixSockets } from '../../../lib/platform/unix-socket.ts';
import { named } from '../../platforms.ts';
import { hex, u32 } from '../server/byte-messages.ts';
import { failure, fakeOf, folder, PROCESS, readAll, tracing, useFakeProcesses } from './fake-client.ts';
import { COOKIE, error, type FakeOptions, message, ok, SESSION_ID } from './fake-process.ts';

useFakeProcesses();

const sockets = unixSockets();

/** What .NET's own client was seen to send as CollectTracing2. */
const MY_EVENT_SOURCE = hex(`fa000000 01000000 00 01000000 6400000000000000 02000000
  0e000000 4d0079004500760065006e00740053006f0075007200630065000000 01000000 0000`);
/** @param timeoutMs short, for a process that does not answer */
async function started(options?: FakeOptions, timeoutMs?: number) {
  const fake = await fakeOf(options).listen(folder.port);
  return { fake, client: DiagnosticsClient.at(folder.port, process.pid, timeoutMs) };
}

describe('asking a process for its identity', () => {
  const basics = {
    processId: BigInt(process.pid),
    runtimeCookie: COOKIE,
    commandLine: 'dotnet app.dll --x',
    operatingSystem: 'Linux',
    architecture: 'x64',
  };
  const unknown = () => error(0x80131385);

  it('takes one request if its runtime is new', async () => {
    const { fake, client } = await started();
    expect(await client.processInfo()).toEqual({
      ...basics,
      entryAssembly: 'app',
      productVersion: '10.0.1',
      runtimeIdentifier: 'linux-x64',
    });
    expect(fake.requests).toEqual([message(4, 8)]);
  });

  it('falls back to what older runtimes support, one by one', async () => {
    const { fake, client } = await started({ answers: { '04/08': unknown } });
    expect(await client.processInfo()).toMatchObject({ ...basics, productVersion: '10.0.1' });
    expect(fake.commands).toEqual(['04/08', '04/04']);
  });

  it('falls back to the oldest version, which says least', async () => {
    const { fake, client } = await started({ answers: { '04/08': unknown, '04/04': unknown } });
    expect(await client.processInfo()).toEqual(basics);
    expect(fake.commands).toEqual(['04/08', '04/04', '04/00']);
  });

  it('fails if the runtime supports none of them', async () => {
    const { client } = await started({ answers: { '04/08': unknown, '04/04': unknown, '04/00': unknown } });
    await expect(client.processInfo()).rejects.toEqual(
      failure('unsupported', `${PROCESS} does not support ProcessInfo: its runtime is too old.`),
    );
  });
});

describe('collecting events', () => {
  it("sends what .NET's client sends, and reads what follows the reply to the end", async () => {
    const trace = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
    const { fake, client } = await started({ trace });
    const session = await client.collectTracing(tracing);
    expect(session.id).toBe(SESSION_ID);
    expect(session.isStopped).toBe(false);
    const reading = readAll(session.stream);
    await session.stop();
    expect(Buffer.compare(await reading, trace)).toBe(0);
    expect(session.isStopped).toBe(true);
    expect(fake.requests).toEqual([message(2, 3, MY_EVENT_SOURCE), message(2, 1, hex('8877665544332211'))]);
  });

  it('ends when the process does', async () => {
    const { fake, client } = await started({ trace: new Uint8Array(100) });
    const session = await client.collectTracing(tracing);
    const reading = readAll(session.stream);
    await new Promise((resolve) => setTimeout(resolve, 50));
    fake.end();
    expect(await reading).toHaveLength(99);
    await session.stop();
  });

  it('asks the process to stop once, however often it is called', async () => {
    const { fake, client } = await started({ trace: new Uint8Array(10) });
    const session = await client.collectTracing(tracing);
    const reading = readAll(session.stream);
    await Promise.all([session.stop(), session.stop()]);
    await reading;
    expect(fake.commands).toEqual(['02/03', '02/01']);
  });

  it('notices a session that has ended by itself, and continues', async () => {
    const { client } = await started({
      trace: new Uint8Array(10),
      answers: {
        '02/01': (_, __, fake) => {
          fake.stream?.end();
          return error(0x80004005);
        },
      },
    });
    const session = await client.collectTracing(tracing);
    const reading = readAll(session.stream);
    await session.stop();
    expect(await reading).toHaveLength(9);
  });

  it.each([
    [0x80004005, 'refused', `${PROCESS} refused CollectTracing2 with 0x80004005 (Fail).`],
    [0x80131384, 'refused', `${PROCESS} refused CollectTracing2 with 0x80131384 (BadEncoding).`],
    [0x80131385, 'unsupported', `${PROCESS} does not support CollectTracing2: its runtime is too old.`],
    [0x1234, 'refused', `${PROCESS} refused CollectTracing2 with 0x00001234.`],
  ])('fails with the error %i', async (code, kind, sentence) => {
    const { client } = await started({ answers: { '02/03': () => error(code) } });
    await expect(client.collectTracing(tracing)).rejects.toEqual(failure(kind, sentence));
  });

  it('fails with a sentence if the process does not write the format', async () => {
    const { client } = await started({ answers: { '02/03': () => error(0x80131384) } });
    await expect(client.collectTracing({ ...tracing, format: 6 })).rejects.toEqual(
      failure('unsupported', `${PROCESS} cannot write nettrace version 6, only version 4.`),
    );
  });

  it('fails with a sentence if the runtime is too old for the request', async () => {
    const { client } = await started();
    await expect(client.collectTracing({ ...tracing, rundownKeyword: 1n })).rejects.toEqual(
      failure('unsupported', `${PROCESS} does not support CollectTracing4: its runtime is too old.`),
    );
  });
});

describe('a process that does not answer properly', () => {
  it('may be gone, leaving its socket behind', async () => {
    const client = DiagnosticsClient.at(folder.port, process.pid);
    await expect(client.processInfo()).rejects.toEqual(
      failure('ended', `${PROCESS} no longer listens at its diagnostic port.`),
    );
  });

  const noSockets = sockets === undefined ? 'the addon has no sockets here' : undefined;
  it.skipIf(noSockets !== undefined)(
    named('fails if the process ends before it accepts the connection', noSockets),
    async () => {
      const listener = sockets?.listen(folder.port);
      const asking = DiagnosticsClient.at(folder.port, process.pid).processInfo();
      listener?.close();
      await expect(asking).rejects.toEqual(
        failure('ended', `${PROCESS} no longer listens at its diagnostic port.`),
      );
    },
  );

  it('may close the connection', async () => {
    const { client } = await started({
      answers: {
        '04/08': (_, socket) => {
          socket.destroy();
          return undefined;
        },
      },
    });
    await expect(client.processInfo()).rejects.toEqual(
      failure('ended', `${PROCESS} closed the connection without a reply.`),
    );
  });

  it('may be silent', async () => {
    const { client } = await started({ answers: { '04/08': () => undefined } }, 100);
    await expect(client.processInfo()).rejects.toEqual(failure('timeout', `${PROCESS} does not answer.`));
  });

  it.each([
    ['another protocol', hex('48545450'.repeat(5)), 'A message starts with "DOTNET_IPC_V1" and a NUL'],
    ['a size smaller than the header', hex('444f544e45545f4950435f563100 0500 ff000000'), '5 bytes'],
    ['a request', message(4, 0), 'A reply has command set 255'],
    ['too short a payload', ok(u32(1)), '8 bytes are needed, but only 0 are left'],
  ])('may answer with %s', async (_, bytes, sentence) => {
    const { client } = await started({ answers: { '04/08': () => bytes } });
    await expect(client.processInfo()).rejects.toEqual(
      expect.objectContaining({
        code: 'malformed',
        message: expect.stringContaining(`${PROCESS} does not reply in the diagnostics protocol: `),
      }),
    );
    await expect(client.processInfo()).rejects.toThrow(sentence);
  });

  it('may answer in pieces', async () => {
    const { client } = await started({
      answers: {
        '04/01': (_, socket) => {
          const reply = ok(u32(0));
          for (let i = 0; i < reply.length; i++) setTimeout(() => socket.write(reply.subarray(i, i + 1)), i);
          return undefined;
        },
      },
    });
    await client.resumeRuntime();
  });
});
