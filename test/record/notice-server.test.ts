/** Programs that announce their tracepoints and request the tracer, as the addon does. */
import { once } from 'node:events';
import { existsSync, fstatSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAddon } from '../../lib/platform/addon.ts';
import { OwnedDescriptor } from '../../lib/platform/owned-descriptor.ts';
import { unixSockets } from '../../lib/platform/unix-socket.ts';
import { NoticeServer } from '../../lib/record/notice-server.ts';
import { linuxOnly, named } from '../platforms.ts';

const addon = loadAddon();
const notHere = linuxOnly('such notices') ?? ('reason' in addon ? addon.reason : undefined);
const ABSENT = 2;
const TIMED_OUT = 110;

const ourselves = () => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

describe.skipIf(notHere !== undefined)(named('a notice of a tracepoint', notHere), () => {
  let notices: NoticeServer;
  let heard: string[];
  let passed: number[];
  beforeEach(() => {
    heard = [];
    passed = [];
    notices = new NoticeServer({
      user: ourselves(),
      onTracepoint: (name) => heard.push(name),
      openTracer: () => {
        const tracer = openSync('/dev/null', 'w');
        passed.push(tracer);
        return new OwnedDescriptor(tracer);
      },
    });
  });
  afterEach(() => notices.close());

  /** In a thread, because the call waits for an answer of this one. */
  async function announce(address: string, milliseconds: number): Promise<{ error: number; took: number }> {
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const addonModule = { exports: {} };
       process.dlopen(addonModule, 'build/Release/tracewright.node');
       const addon = addonModule.exports;
       const start = performance.now();
       const error = addon.awaitRecorder(workerData.address, 'P_L4K0', workerData.milliseconds);
       parentPort.postMessage({ error, took: performance.now() - start });`,
      { eval: true, workerData: { address, milliseconds } },
    );
    const [message] = await once(worker, 'message');
    return message;
  }

  it('is answered when it has been handled', async () => {
    expect(await announce(notices.address, 5000)).toMatchObject({ error: 0 });
    expect(heard).toEqual(['P_L4K0']);
  });

  it('fails at once if nobody listens', async () => {
    notices.close();
    const { error, took } = await announce(notices.address, 5000);
    expect(error).toBe(ABSENT);
    expect(took).toBeLessThan(1000);
    notices = new NoticeServer({
      user: ourselves(),
      onTracepoint: () => {},
      openTracer: () => new OwnedDescriptor(-1),
    });
  });

  it('waits no longer than allowed if nobody answers', async () => {
    const silent = createServer(() => {});
    const address = join(tmpdir(), `tracewright-silent-${process.pid}`);
    silent.listen(address);
    await once(silent, 'listening');
    const { error, took } = await announce(address, 50);
    silent.close();
    expect(error).toBe(TIMED_OUT);
    expect(took).toBeGreaterThan(40);
    expect(took).toBeLessThan(1000);
  });

  it.each([10_000, 512])('of %i bytes without an end is ignored', async (size) => {
    const socket = connect(notices.address);
    socket.on('error', () => {});
    socket.write('x'.repeat(size));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(heard).toEqual([]);
  });

  it('may arrive in chunks, and from more programs at once than are served at a time', async () => {
    const sockets = Array.from({ length: 200 }, () => connect(notices.address));
    const answers = sockets.map((socket) => once(socket, 'data'));
    for (const [index, socket] of sockets.entries()) {
      socket.write(`P_L4`);
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(`K${index}\n`);
    }
    await Promise.all(answers);
    expect(new Set(heard).size).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('goes to a socket that nobody else can write to, and that leaves nothing behind', () => {
    const folder = dirname(notices.address);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(notices.address).mode & 0o777).toBe(0o600);
    notices.close();
    expect(existsSync(folder)).toBe(false);
    notices = new NoticeServer({
      user: ourselves(),
      onTracepoint: () => {},
      openTracer: () => new OwnedDescriptor(-1),
    });
  });

  it('may be a request for the tracer, which comes with the answer', async () => {
    const sockets = unixSockets();
    if (sockets === undefined) throw new Error('The addon has sockets on Linux.');
    const connection = sockets.connect(notices.address);
    connection.send(Buffer.from('\n'), 0);
    const { descriptor } = await new Promise<ReturnType<typeof connection.receiveDescriptor>>((resolve) => {
      connection.watch(1, () => resolve(connection.receiveDescriptor()));
    });
    expect(fstatSync(descriptor?.number ?? -1).isCharacterDevice()).toBe(true);
    descriptor?.close();
    connection.close();
    // Ours is closed once it has been sent.
    expect(() => fstatSync(passed[0] ?? -1)).toThrow('EBADF');
    expect(heard).toEqual([]);
  });

  it('finds a folder that a killed recorder left behind, and removes it', () => {
    // Above the largest that the kernel gives.
    const gone = 2 ** 22 + 1;
    const left = join(tmpdir(), `tracewright-record-${gone}-abcdef`);
    mkdirSync(left);
    const sockets = unixSockets();
    sockets?.listen(join(left, 'socket')).close();
    const foreign = join(tmpdir(), `tracewright-record-${gone}-ABCDEF`);
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'kept'), '');
    notices.close();
    notices = new NoticeServer({
      user: ourselves(),
      onTracepoint: () => {},
      openTracer: () => new OwnedDescriptor(-1),
    });
    expect(existsSync(left)).toBe(false);
    expect(existsSync(join(foreign, 'kept'))).toBe(true);
    rmSync(foreign, { recursive: true });
  });
});
