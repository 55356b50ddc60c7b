/** Every command of a diagnostic port, byte by byte: the request, and the exact reply. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { named } from '../../platforms.ts';
import { ByteConnection, exchange } from './byte-client.ts';
import {
  array,
  DONE,
  DUMP,
  EVENT_PIPE,
  errorReply,
  hex,
  message,
  NO_TEXT,
  OK,
  PROCESS,
  PROFILER,
  SERVER,
  stopTracing,
  text,
  u8,
  u32,
  u64,
} from './byte-messages.ts';
import { ByteReply } from './byte-reply.ts';
import { describePorts, NO_SOCKETS, target, useTargets } from './byte-target.ts';

const ENVIRONMENT = {
  PLAIN: 'as it is = so',
  SMILE: '\u{1f600}',
  DATABASE_PASSWORD: 'hunter2',
  DATABASE_URL: 'postgres://me:hunter2@localhost/it',
};

const ask = async (...request: Parameters<typeof message>) =>
  exchange((await target()).address, message(...request));

const OPERATING_SYSTEMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS' };
const ARCHITECTURES: Readonly<Record<string, string>> = { ia32: 'x86', arm: 'arm32' };

function readProcessInfo(reply: ByteReply) {
  return {
    processId: reply.u64(),
    cookie: reply.bytes(16).toString('hex'),
    commandLine: reply.text(),
    operatingSystem: reply.text(),
    architecture: reply.text(),
  };
}

describePorts('a diagnostic port, asked about its process', () => {
  const common = async () => ({
    processId: BigInt((await target()).pid),
    cookie: expect.stringMatching(/^(?!0{32})[0-9a-f]{32}$/),
    commandLine: expect.stringContaining('target.mjs'),
    operatingSystem: OPERATING_SYSTEMS[process.platform],
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
  });

  it('answers ProcessInfo with the fields of version 1', async () => {
    const reply = ByteReply.ok(await ask(PROCESS, 0x00));
    expect(readProcessInfo(reply)).toEqual(await common());
    expect(reply.left).toBe(0);
  });

  it('answers ProcessInfo2 with the entry point and the version of Node.js, too', async () => {
    const reply = ByteReply.ok(await ask(PROCESS, 0x04));
    expect(readProcessInfo(reply)).toEqual(await common());
    expect(reply.text()).toMatch(/^target(\.mjs)?$/);
    // As tools read it: numbers with dots, no "v" before them.
    expect(reply.text()).toBe(process.versions.node);
    expect(reply.left).toBe(0);
  });

  it('answers ProcessInfo3 with its own version first, and the platform last', async () => {
    const reply = ByteReply.ok(await ask(PROCESS, 0x08));
    expect(reply.u32()).toBe(1);
    expect(readProcessInfo(reply)).toEqual(await common());
    expect([reply.text(), reply.text()]).toEqual([expect.any(String), process.versions.node]);
    expect(reply.text()).toMatch(/^(linux|linux-musl|osx)-(x64|x86|arm64|arm)$/);
    expect(reply.left).toBe(0);
  });

  it('returns the same cookie each time', async () => {
    const cookies = new Set<string>();
    for (const id of [0x00, 0x04]) cookies.add(readProcessInfo(ByteReply.ok(await ask(PROCESS, id))).cookie);
    expect(cookies.size).toBe(1);
  });
});

describePorts(
  'a diagnostic port, asked about the environment',
  () => {
    /** The variables after the reply, which tells how many bytes they are. */
    async function environment(): Promise<string[]> {
      const bytes = await ask(PROCESS, 0x02);
      const reply = ByteReply.ok(bytes, 26);
      const size = reply.u32();
      expect(reply.u16()).toBe(0);
      expect(reply.left).toBe(size);
      const variables = Array.from({ length: reply.u32() }, () => reply.text());
      expect(reply.left).toBe(0);
      return variables;
    }
    const set = (name: Buffer, value: Buffer) => ask(PROCESS, 0x03, name, value);
    const inTarget = async (name: string) => (await target()).ask('environment', { name });

    it('lists the variables after its reply, and closes', async () => {
      expect(await environment()).toEqual(
        expect.arrayContaining(['PLAIN=as it is = so', 'SMILE=\u{1f600}', expect.stringMatching(/^TMPDIR=/)]),
      );
    });

    it('masks secrets', async () => {
      expect((await environment()).join('\n')).not.toContain('hunter2');
    });

    it('sets a variable', async () => {
      expect(await set(text('SET_HERE'), text('a \u{1f600}'))).toEqual(DONE);
      expect(await inTarget('SET_HERE')).toBe('a \u{1f600}');
      expect(await environment()).toContain('SET_HERE=a \u{1f600}');
    });

    it('sets a variable to an empty text', async () => {
      expect(await set(text('EMPTY_HERE'), text(''))).toEqual(DONE);
      expect(await inTarget('EMPTY_HERE')).toBe('');
    });

    it('unsets a variable if the value is absent, and says if it did not exist', async () => {
      await set(text('UNSET_HERE'), text('1'));
      expect(await set(text('UNSET_HERE'), NO_TEXT)).toEqual(DONE);
      expect(await inTarget('UNSET_HERE')).toBe(null);
      expect(await set(text('UNSET_HERE'), NO_TEXT)).toEqual(errorReply('ENVVAR_NOT_FOUND'));
    });

    it.each([
      ['absent', NO_TEXT],
      ['empty', text('')],
    ])('does not set a variable named %s', async (_, name) => {
      const reply = await set(name, text('1'));
      expect(reply.subarray(16, 18)).toEqual(hex('ff ff'));
      expect(reply.length).toBe(24);
    });
  },
  { environment: ENVIRONMENT },
);

describePorts('a diagnostic port', () => {
  it('answers ResumeRuntime, as often as it is sent', async () => {
    expect(await ask(PROCESS, 0x01)).toEqual(DONE);
    expect(await ask(PROCESS, 0x01)).toEqual(DONE);
  });

  it('answers DisablePerfMap with 24 bytes of success, even without a perf map', async () => {
    expect(await ask(PROCESS, 0x06)).toEqual(DONE);
  });

  it.each([1, 2, 3])(
    'says that it has no perf map of type %d, in the 24 bytes that record-trace reads',
    async (type) => {
      const connection = await ByteConnection.open((await target()).address);
      connection.send(message(PROCESS, 0x05, u32(type)));
      expect(await connection.take(24)).toEqual(errorReply('NOT_SUPPORTED'));
      expect(await connection.takeRest()).toEqual(Buffer.alloc(0));
    },
  );

  it('supports no dumps, profilers or startup hooks', async () => {
    const path = text('/tmp/core');
    const requests = [
      message(DUMP, 0x01, path, u32(1), u32(0)),
      message(DUMP, 0x02, path, u32(1), u32(0)),
      message(DUMP, 0x03, path, u32(1), u32(0)),
      message(PROFILER, 0x01, u32(1000), Buffer.alloc(16, 1), path, array([u8(1), u8(2)])),
      message(PROFILER, 0x02, Buffer.alloc(16, 1), path),
      message(PROCESS, 0x07, path),
    ];
    for (const request of requests) {
      expect(await exchange((await target()).address, request)).toEqual(errorReply('UNKNOWN_COMMAND'));
    }
  });

  it('supports no other commands, of any set', async () => {
    const known = new Set(
      [
        ...[0x01, 0x02, 0x03].map((id) => [DUMP, id]),
        ...[0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07].map((id) => [EVENT_PIPE, id]),
        // CaptureState, which .NET's runtime does not know.
        [EVENT_PIPE, 0x80],
        ...[0x01, 0x02].map((id) => [PROFILER, id]),
        ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08].map((id) => [PROCESS, id]),
      ].map(String),
    );
    const all = Array.from({ length: 256 }, (_, number) => number);
    const commands = [
      ...[DUMP, EVENT_PIPE, PROFILER, PROCESS, SERVER].flatMap((set) => all.map((id) => [set, id] as const)),
      ...all.flatMap((set) => [0x00, 0x01, 0x02, 0x04, 0xff].map((id) => [set, id] as const)),
    ].filter((command) => !known.has(String(command)));
    const { address } = await target();
    const unlike: string[] = [];
    for (let first = 0; first < commands.length; first += 50) {
      await Promise.all(
        commands.slice(first, first + 50).map(async ([set, id]) => {
          const reply = await exchange(address, message(set, id));
          if (!reply.equals(errorReply('UNKNOWN_COMMAND')))
            unlike.push(`${set}/${id}: ${reply.toString('hex')}`);
        }),
      );
    }
    expect(unlike).toEqual([]);
  });

  it('says that a session that does not exist is stopped, as .NET does', async () => {
    const session = 0x1234_5678_9abcn;
    expect(await exchange((await target()).address, stopTracing(session))).toEqual(
      message(SERVER, OK, u64(session)),
    );
  });

  it('accepts a message in single bytes', async () => {
    const connection = await ByteConnection.open((await target()).address);
    for (const byte of message(PROCESS, 0x03, text('BYTE_BY_BYTE'), text('yes'))) {
      connection.send(u8(byte));
      await delay(1);
    }
    expect(await connection.takeRest()).toEqual(DONE);
    expect(await (await target()).ask('environment', { name: 'BYTE_BY_BYTE' })).toBe('yes');
  });

  it('answers one request per connection, and closes it', async () => {
    const request = message(PROCESS, 0x01);
    expect(await exchange((await target()).address, Buffer.concat([request, request]))).toEqual(DONE);
  });

  it('accepts a request from a client that immediately half-closes the connection', async () => {
    const connection = await ByteConnection.open((await target()).address);
    expect(await connection.send(message(PROCESS, 0x01)).finish().takeRest()).toEqual(DONE);
  });

  it("accepts bytes after a command's own: a later version may have more", async () => {
    expect(await ask(PROCESS, 0x01, hex('00 01 02'))).toEqual(DONE);
    expect(await ask(PROCESS, 0x03, text('TRAILED'), text('yes'), hex('ff'))).toEqual(DONE);
    expect(await (await target()).ask('environment', { name: 'TRAILED' })).toBe('yes');
  });
});

const startTarget = useTargets();

it.skipIf(NO_SOCKETS !== undefined)(
  named('a process has a perf map if V8 was started to write one', NO_SOCKETS),
  async () => {
    const process = await startTarget({ flags: ['--perf-basic-prof'] }).started();
    expect(await exchange(process.address, message(PROCESS, 0x05, u32(3)))).toEqual(DONE);
    expect(await exchange(process.address, message(PROCESS, 0x05, u32(1)))).toEqual(DONE);
  },
);
