/** The end of a session whose process does not cooperate. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connection } from '../../../lib/diagnostics/client/connection.ts';
import { TracingSession } from '../../../lib/diagnostics/client/tracing-session.ts';

let server: Server;
/** The process's end of the stream. */
let remote: Socket;
let connection: Connection;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection');
  const socket = connect(port, '127.0.0.1');
  connection = new Connection(socket, 'Process 7');
  [remote] = (await accepted) as [Socket];
  remote.on('error', () => {});
});
afterEach(() => {
  remote.destroy();
  server.close();
});

const NEVER = 2 ** 30;
const unlimited = { silenceMs: NEVER, totalMs: NEVER, bytes: Number.POSITIVE_INFINITY };
/** Until it is left. */
const noReply = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))));

function session(limits: Partial<typeof unlimited>, requestStop = noReply): TracingSession {
  return new TracingSession(1n, connection, requestStop, { ...unlimited, ...limits });
}

async function sizeOf(stream: AsyncIterable<Uint8Array>, each: () => Promise<void> = async () => {}) {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    await each();
  }
  return size;
}

function sendsFor(ms: number): NodeJS.Timeout {
  const begin = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - begin > ms) clearInterval(timer);
    else remote.write(Buffer.alloc(1000));
  }, 5);
  return timer;
}

it('that falls silent is cut off, keeping what has arrived', async () => {
  const cut = session({ silenceMs: 100 });
  remote.write(Buffer.alloc(1234));
  const size = sizeOf(cut.stream);
  const stopping = cut.stop();
  expect(await size).toBe(1234);
  await stopping;
  expect([cut.isCutOff, cut.isComplete]).toEqual([true, false]);
});

it('is not cut off if this process did not run', async () => {
  const whole = session({ silenceMs: 100 }, async () => {});
  const size = sizeOf(whole.stream);
  await whole.stop();
  remote.end(Buffer.alloc(1234));
  for (const end = performance.now() + 200; performance.now() < end; );
  expect(await size).toBe(1234);
  expect([whole.isCutOff, whole.isComplete]).toEqual([false, true]);
});

it('that never ends is cut off in time', async () => {
  const cut = session({ silenceMs: 10_000, totalMs: 200 });
  const timer = sendsFor(NEVER);
  const size = sizeOf(cut.stream);
  await cut.stop();
  expect(await size).toBeGreaterThan(0);
  clearInterval(timer);
  expect(cut.isCutOff).toBe(true);
});

it('that sends more than it can have had is cut off', async () => {
  const cut = session({ bytes: 1e6 });
  const flood = () => {
    while (!remote.destroyed && remote.write(Buffer.alloc(1 << 16)));
  };
  remote.on('drain', flood);
  flood();
  const size = sizeOf(cut.stream);
  await cut.stop();
  expect(await size).toBeGreaterThanOrEqual(1e6);
  expect(await size).toBeLessThan(1e6 + (1 << 17));
  expect(cut.isCutOff).toBe(true);
});

it('that ends without a reply is not waited for long', async () => {
  const whole = session({ totalMs: 200 });
  const size = sizeOf(whole.stream);
  const stopping = whole.stop();
  remote.end(Buffer.alloc(5));
  expect(await size).toBe(5);
  await stopping;
  expect(whole.isComplete).toBe(false);
});

it('whose reader has enough does not wait for a reply', async () => {
  const cut = session({});
  remote.write(Buffer.alloc(5));
  const stopping = cut.stop();
  for await (const _ of cut.stream) break;
  await stopping;
  expect([cut.isCutOff, cut.isComplete]).toEqual([false, false]);
});

it('that has much to send gets its time, and so does a slow reader', async () => {
  const whole = session({ silenceMs: 300 }, async () => {});
  sendsFor(800);
  setTimeout(() => remote.end(), 900);
  // Longer than the process may be silent.
  let isFirst = true;
  const size = sizeOf(whole.stream, async () => {
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, 600));
    isFirst = false;
  });
  await whole.stop();
  expect(await size).toBeGreaterThan(10_000);
  expect([whole.isCutOff, whole.isComplete]).toEqual([false, true]);
});
