/** Asking a process by its diagnostic port: what is sent, what is understood, and every way it can fail. */
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../../../lib/session/diagnostics/client/diagnostics-client.ts';
import { ReverseServer } from '../../../../lib/session/diagnostics/client/reverse-server.ts';
import type { StreamingTracing } from '../../../../lib/wire/diagnostics-ipc/tracing.ts';
import {
  COOKIE,
  error,
  type FakeOptions,
  FakeProcess,
  hexBytes,
  message,
  ok,
  PortFolder,
  SESSION_ID,
  u32,
} from './fake-process.ts';

const PROCESS = `Process ${process.pid}`;

/** What .NET's own client was seen to send as CollectTracing2. */
const MY_EVENT_SOURCE = hexBytes(`fa000000 01000000 00 01000000 6400000000000000 02000000
  0e000000 4d0079004500760065006e00740053006f0075007200630065000000 01000000 0000`);
const tracing: StreamingTracing = {
  sessionType: 'streaming',
  bufferMegabytes: 250,
  format: 1,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: [{ name: 'MyEventSource', keywords: 0x64n, level: 2, arguments: '' }],
};

let folder: PortFolder;
let fakes: FakeProcess[] = [];
beforeEach(() => {
  folder = new PortFolder();
});
afterEach(() => {
  for (const fake of fakes) fake.end();
  fakes = [];
  folder.remove();
});

function fakeOf(options?: FakeOptions): FakeProcess {
  const fake = new FakeProcess(options);
  fakes.push(fake);
  return fake;
}

/** @param timeoutMs short, for a process that does not answer */
async function started(options?: FakeOptions, timeoutMs?: number) {
  const fake = await fakeOf(options).listen(folder.port);
  return { fake, client: DiagnosticsClient.at(folder.port, process.pid, timeoutMs) };
}

const failure = (code: string, message: string) => expect.objectContaining({ code, message });

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('asking a process who it is', () => {
  const basics = {
    processId: BigInt(process.pid),
    runtimeCookie: COOKIE,
    commandLine: 'dotnet app.dll --x',
    operatingSystem: 'Linux',
    architecture: 'x64',
  };
  const unknown = () => error(0x80131385);

  it('takes one request where its runtime is new', async () => {
    const { fake, client } = await started();
    expect(await client.processInfo()).toEqual({
      ...basics,
      entryAssembly: 'app',
      productVersion: '10.0.1',
      runtimeIdentifier: 'linux-x64',
    });
    expect(fake.requests).toEqual([message(4, 8)]);
  });

  it('falls back to what older runtimes know, one by one', async () => {
    const { fake, client } = await started({ answers: { '04/08': unknown } });
    expect(await client.processInfo()).toMatchObject({ ...basics, productVersion: '10.0.1' });
    expect(fake.commands).toEqual(['04/08', '04/04']);
  });

  it('falls back to the oldest, which says least', async () => {
    const { fake, client } = await started({ answers: { '04/08': unknown, '04/04': unknown } });
    expect(await client.processInfo()).toEqual(basics);
    expect(fake.commands).toEqual(['04/08', '04/04', '04/00']);
  });

  it('fails where it knows none of them', async () => {
    const { client } = await started({ answers: { '04/08': unknown, '04/04': unknown, '04/00': unknown } });
    await expect(client.processInfo()).rejects.toEqual(
      failure('unsupported', `${PROCESS} does not know ProcessInfo: its runtime is too old.`),
    );
  });
});

describe('collecting events', () => {
  it("sends what .NET's client sends, and reads what comes behind the reply up to the end", async () => {
    const trace = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
    const { fake, client } = await started({ trace });
    const session = await client.collectTracing(tracing);
    expect(session.id).toBe(SESSION_ID);
    expect(session.isStopped).toBe(false);
    const reading = readAll(session.stream);
    await session.stop();
    expect(Buffer.compare(await reading, trace)).toBe(0);
    expect(session.isStopped).toBe(true);
    expect(fake.requests).toEqual([
      message(2, 3, MY_EVENT_SOURCE),
      message(2, 1, hexBytes('8877665544332211')),
    ]);
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

  it('is told of a session that has ended by itself, and goes on', async () => {
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
    [0x80131385, 'unsupported', `${PROCESS} does not know CollectTracing2: its runtime is too old.`],
    [0x1234, 'refused', `${PROCESS} refused CollectTracing2 with 0x00001234.`],
  ])('fails by the error %i', async (code, kind, sentence) => {
    const { client } = await started({ answers: { '02/03': () => error(code) } });
    await expect(client.collectTracing(tracing)).rejects.toEqual(failure(kind, sentence));
  });

  it('fails in words where the process does not write the format', async () => {
    const { client } = await started({ answers: { '02/03': () => error(0x80131384) } });
    await expect(client.collectTracing({ ...tracing, format: 6 })).rejects.toEqual(
      failure('unsupported', `${PROCESS} does not write nettrace version 6, only version 4.`),
    );
  });

  it('fails in words where the runtime is too old for what is asked', async () => {
    const { client } = await started();
    await expect(client.collectTracing({ ...tracing, rundownKeyword: 1n })).rejects.toEqual(
      failure('unsupported', `${PROCESS} does not know CollectTracing4: its runtime is too old.`),
    );
  });
});

describe('a process that does not answer as it should', () => {
  it('may have gone, leaving its socket behind', async () => {
    const client = DiagnosticsClient.at(folder.port, process.pid);
    await expect(client.processInfo()).rejects.toEqual(
      failure('ended', `${PROCESS} does not listen at its diagnostic port any more.`),
    );
  });

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
      failure('ended', `${PROCESS} has closed the connection without a reply.`),
    );
  });

  it('may say nothing', async () => {
    const { client } = await started({ answers: { '04/08': () => undefined } }, 100);
    await expect(client.processInfo()).rejects.toEqual(failure('timeout', `${PROCESS} does not answer.`));
  });

  it.each([
    ['another protocol', hexBytes('48545450'.repeat(5)), 'A message starts with "DOTNET_IPC_V1" and a NUL'],
    ['a size smaller than the header', hexBytes('444f544e45545f4950435f563100 0500 ff000000'), '5 bytes'],
    ['a request', message(4, 0), 'A reply is of the command set 255'],
    ['too short a payload', ok(u32(1)), '8 bytes are wanted where 0 are left'],
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
