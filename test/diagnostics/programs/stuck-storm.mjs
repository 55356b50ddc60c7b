// A storm on the port of an application that is stuck again and again: `stuck-storm.mjs SECONDS`. Its clients are
// silent, send half of a request, send slowly, do not read, die at any moment, or behave. Meanwhile the application
// opens and closes files of its own, and checks that each number is still the file that it opened. Prints as JSON what
// happened.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { enableDiagnostics } from '../../../dist/diagnostics/index.js';
import { encodeRequest } from '../../../dist/wire/diagnostics-ipc/request.js';
import { streamingTracing } from '../../../dist/wire/diagnostics-ipc/tracing.js';
import { OwnFiles } from '../../child/own-files.mjs';

const STUCK_MS = 900;
const FREE_MS = 200;
const CLIENTS_OF_A_KIND = 3;
/** Between two connections of a client. */
const PAUSE_MS = 50;
const LEAVE_MS = 15_000;

async function runApplication(folder) {
  const files = new OwnFiles(folder);
  const { address } = enableDiagnostics();
  const before = readdirSync('/proc/self/fd').length;
  let isOver = false;
  process.on('message', () => {
    isOver = true;
  });
  process.send({ address });
  let stuckTimes = 0;
  while (!isOver) {
    const until = performance.now() + STUCK_MS;
    while (performance.now() < until) files.turn();
    stuckTimes++;
    // In the loop, too, which also sees what the port does itself.
    for (const free = performance.now() + FREE_MS; performance.now() < free; files.turn()) await sleep(1);
  }
  files.close();
  const deadline = performance.now() + LEAVE_MS;
  const leftOpen = () => readdirSync('/proc/self/fd').length - before;
  while (leftOpen() > 0 && performance.now() < deadline) await sleep(50);
  const { faults, opened } = files;
  process.send({ stuckTimes, opened, faults, leftOpen: Math.max(0, leftOpen()) });
  process.disconnect();
}

const request = encodeRequest({ command: 'ProcessInfo', version: 1 });
const session = encodeRequest({
  command: 'CollectTracing',
  version: 2,
  tracing: streamingTracing({
    bufferMegabytes: 16,
    providers: [{ name: 'Microsoft-DotNETCore-SampleProfiler', keywords: 0n, level: 5, arguments: '' }],
  }),
});
const random = (limit) => Math.floor(Math.random() * limit);
const half = (bytes) => bytes.subarray(0, 1 + random(bytes.length - 1));

/** What clients do between connecting and their end. */
const KINDS = {
  silent: () => sleep(random(3000)),
  half: async (socket) => {
    socket.write(half(request));
    await sleep(random(2000));
  },
  slow: async (socket) => {
    for (const byte of request) {
      socket.write(Uint8Array.of(byte));
      await sleep(random(80));
    }
  },
  dying: async (socket) => {
    if (random(2) === 0) socket.write(half(random(2) === 0 ? request : session));
  },
  deaf: async (socket) => {
    socket.pause();
    socket.write(session);
    await sleep(random(3000));
  },
  sampling: async (socket) => {
    socket.resume();
    socket.write(session);
    await sleep(random(3000));
  },
  leaving: async (socket) => {
    socket.end(random(2) === 0 ? request : session);
    await sleep(random(1000));
  },
  answered: async (socket) => {
    socket.write(request);
    const [reply] = await once(socket, 'data');
    if (!reply.subarray(0, 13).equals(Buffer.from('DOTNET_IPC_V1'))) throw new Error('no reply');
  },
};

async function storm(address, kind, isOver, counts) {
  while (!isOver()) {
    const socket = connect({ path: address, allowHalfOpen: random(2) === 0 });
    try {
      await once(socket, 'connect');
      socket.on('error', () => {});
      await Promise.race([KINDS[kind](socket), once(socket, 'close')]);
      if (!socket.destroyed || kind !== 'answered') counts[kind] = (counts[kind] ?? 0) + 1;
    } catch {
      await sleep(10);
    }
    socket.destroy();
    await sleep(random(PAUSE_MS));
  }
}

async function run(seconds) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-storm-'));
  const application = fork(import.meta.filename, ['application', folder], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let stderr = '';
  application.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(application, 'close');
  const [{ address }] = await once(application, 'message');
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() > end || application.exitCode !== null;
  const counts = {};
  const clients = Object.keys(KINDS).flatMap((kind) =>
    Array.from({ length: CLIENTS_OF_A_KIND }, () => storm(address, kind, isOver, counts)),
  );
  await Promise.race([Promise.all(clients), ended]);
  let told = {};
  application.on('message', (message) => {
    told = message;
  });
  if (application.connected) application.send('end');
  const [status] = await ended;
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ status, stderr, counts, ...told }));
  process.exit();
}

const [what, folder] = process.argv.slice(2);
if (what === 'application') await runApplication(folder);
else await run(Number(what));
