// A hostile program of another user that tries to disrupt a recording: `hostile-neighbour.mjs READY`. It talks to every
// socket of a recorder that it finds, plants pipes and links where a path may lead, registers thousands of tracepoints
// with odd names, writes to them, and starts and ends processes. Once it has tried everything, it creates the file
// READY; on SIGTERM it prints what it achieved, as JSON.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ready = process.argv[2];
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});
const trap = '/tmp/hostile-neighbour';
const header = 'u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level';
/** How many of them exist at a time. */
const words = 1500;
const done = { connected: 0, refused: 0, registered: 0, written: 0, processes: 0 };

const odd = [
  '../sched/sched_switch',
  '../../../../../tmp/hostile-neighbour/pipe',
  '../../../../../tmp/hostile-neighbour/link',
  '..',
  '.',
  'with/slash_L4K1',
  'Red\x1b[31m\x1b]0;title\x07_L4K1',
  'New\nline_L4K1',
  'C1\u009b31m_L4K1',
  'Right\u202eleft_L4K1',
  `${'Long'.repeat(100)}_L4K1`,
  '_L4K1',
  'Paced_Service_L4K1',
  'enable',
  'format',
];

function nameOf(number) {
  if (number < odd.length) return odd[number];
  // A recorder that starts late is not told of the first one.
  if (number % 100 === 0) return `with${number}/slash_L4K1`;
  return `Flood${number}_L${1 + (number % 5)}K${number.toString(16)}`;
}

function plant() {
  mkdirSync(`${trap}/pipe`, { recursive: true });
  mkdirSync(`${trap}/link`, { recursive: true });
  for (const name of ['id', 'format', 'enable']) spawnSync('mkfifo', [`${trap}/pipe/${name}`]);
  writeFileSync(`${trap}/link/id`, '1\n');
  symlinkSync('/etc/shadow', `${trap}/link/format`);
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of ids) {
    mkdirSync(`/tmp/tracewright-record-${pid}-aaaaaa`);
    symlinkSync('/etc/passwd', `/tmp/tracewright-record-${pid}-bbbbbb`);
  }
  spawnSync(
    'mkfifo',
    ids.map((pid) => `/tmp/tracewright-record-${pid}-aaaaaa/socket`),
  );
}

/** Paths of files, and abstract names after @. */
function recorderSockets() {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const names = lines
    .map((line) => line.trim().split(/\s+/)[7] ?? '')
    .filter((name) => /tracewright/.test(name));
  return [...new Set(names)].map((name) => (name.startsWith('@') ? `\0${name.slice(1)}` : name));
}

function flood(lines) {
  for (const path of recorderSockets()) {
    for (let count = 0; count < 20; count++) {
      const socket = connect({ path });
      socket.on('connect', () => {
        done.connected++;
        socket.write(lines[count % lines.length]);
      });
      socket.on('error', () => done.refused++);
      setTimeout(() => socket.destroy(), 200);
    }
  }
}

function registrar() {
  const addon = createRequire(import.meta.url)('../../../build/Release/tracewright.node');
  if (addon.open('', '').error !== 0) throw new Error('The neighbour cannot register tracepoints.');
  addon.words();
  const scratch = new Uint8Array(64);
  const taken = [];
  let number = 0;
  return (count) => {
    for (let left = count; left > 0; left--) {
      if (taken.length >= words) addon.release(taken.shift());
      const name = nameOf(number);
      number++;
      const word = addon.allocate();
      taken.push(word);
      if (addon.register(word, Buffer.from(`${name} ${header}`), scratch) === 0) done.registered++;
      if (addon.write(word, 24) === undefined) done.written++;
    }
  };
}

plant();
const register = registrar();
const lines = [...odd.map((name) => `${name}\n`), '\n', 'x'.repeat(100_000), 'no end', '\0\0\0\n'];
while (!isOver) {
  flood(lines);
  register(25);
  spawn('true', { stdio: 'ignore' }).on('error', () => {});
  done.processes++;
  if (done.connected + done.refused > 0 && done.registered > odd.length) writeFileSync(ready, '');
  await sleep(50);
}
console.log(JSON.stringify(done));
process.exit();
