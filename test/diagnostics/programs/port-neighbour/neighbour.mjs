/** The neighbour of port-neighbour.mjs, until SIGTERM; then it prints how often it did what, as JSON. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { ADDRESS = '', FOLDER = '', VICTIM = '' } = process.env;
/** As many as the process may have open at once, with room for the rest. */
const MAX_HELD = 600;
const MAX_PLANTED = 200;

const kinds = { refused: 0, closed: 0, held: 0, half: 0, garbage: 0, flood: 0, unread: 0, planted: 0 };
const held = new Set();
const planted = [];
const servers = [];
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});

const header = (size, set, id) => {
  const bytes = Buffer.alloc(20);
  bytes.write('DOTNET_IPC_V1');
  bytes.writeUInt16LE(size, 14);
  bytes[16] = set;
  bytes[17] = id;
  return bytes;
};
const random = (below) => Math.floor(Math.random() * below);
const bytes = (size) => Buffer.from(Array.from({ length: size }, () => random(256)));
const COLLECT_TRACING = header(65_535, 2, 3);

const ATTACKS = {
  closed: (socket) => socket.destroy(),
  held: () => {},
  half: (socket) => socket.write(COLLECT_TRACING.subarray(0, 1 + random(20))),
  garbage: (socket) => socket.write(bytes(1 + random(5000))),
  // Announces 64 KB and sends them slowly, or never finishes an invalid message.
  flood: (socket) => {
    socket.write(COLLECT_TRACING);
    const pour = () => {
      for (let count = 0; count < 50 && socket.write(Buffer.alloc(1 << 16, random(256))); count++);
    };
    socket.on('drain', () => setTimeout(pour, random(50)));
    pour();
  },
  // Keeps requesting what it does not read.
  unread: (socket) => {
    socket.pause();
    socket.write(header(20, 4, 2));
  },
};

function attack() {
  const [kind, act] = Object.entries(ATTACKS)[random(6)];
  const socket = connect(ADDRESS);
  held.add(socket);
  socket.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => {
    if (code === 'EACCES') kinds.refused++;
  });
  socket.on('close', () => held.delete(socket));
  socket.on('connect', () => {
    kinds[kind]++;
    act(socket);
  });
  if (held.size > MAX_HELD) [...held][random(held.size)].destroy();
}

/** Things that look like a port of the victim, of other processes, or of commands. */
function plant() {
  if (planted.length > MAX_PLANTED) {
    rmSync(planted.shift(), { recursive: true, force: true });
    servers.shift()?.close();
  }
  const owner = random(2) === 0 ? VICTIM : Number(VICTIM) + random(2000);
  const path = join(FOLDER, `dotnet-diagnostic-${owner}-${random(1e9)}-socket`);
  const makers = [
    () => servers.push(createServer((socket) => socket.on('error', () => {})).listen(path)),
    () => spawnSync('mkfifo', ['-m', '666', path]),
    () => symlinkSync(['/etc/passwd', ADDRESS, '/proc/self/fd/0', '/dev/zero', path][random(5)], path),
    () => writeFileSync(path, bytes(1000)),
    () => mkdirSync(path),
    () => {
      const private_ = join(FOLDER, `tracewright-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`);
      mkdirSync(private_, { mode: 0o777 });
      planted.push(private_);
      symlinkSync('/etc/passwd', join(private_, 'port'));
    },
    // It cannot remove what is not its own.
    () => unlinkSync(ADDRESS),
  ];
  try {
    makers[random(makers.length)]();
  } catch {
    // Somebody was first, or does not permit it.
  }
  planted.push(path);
  kinds.planted++;
}

while (!isOver) {
  for (let count = 0; count < 20; count++) attack();
  plant();
  await sleep(20);
}
for (const socket of held) socket.destroy();
for (const server of servers) server.close();
for (const path of planted) rmSync(path, { recursive: true, force: true });
console.log(JSON.stringify({ kinds }));
process.exit();
