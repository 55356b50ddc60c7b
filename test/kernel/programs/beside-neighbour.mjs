// `node beside-neighbour.mjs SECONDS`: on a kernel with user_events, root records and watches a program of another user for
// this long, while a hostile neighbour, a third user, tries to make the recorders hang, grow, or lose events. Prints what
// each has seen as JSON.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = `${root}dist/cli/main.js`;
const pauseMs = 10;
const folder = '/run/notice-neighbour';
const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

/** Its output, and how it ended. */
function start(command, name) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '', lines: 0 };
  child.stdout.on('data', (bytes) => {
    for (const byte of bytes) if (byte === 10) output.lines++;
    output.stdout = (output.stdout + bytes).slice(-10_000);
  });
  child.stderr.on('data', (bytes) => {
    output.stderr = (output.stderr + bytes).slice(-10_000);
  });
  const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(status ?? signal)));
  return { name, child, output, ended };
}

function usage({ child, name }) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return { name, kib, descriptors: readdirSync(`/proc/${child.pid}/fd`).length };
}

async function inGuest(seconds) {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  chmodSync('/sys/kernel/tracing', 0o755);
  chmodSync('/sys/kernel/tracing/user_events_data', 0o666);
  // Exists before the watcher, which is not notified of it.
  const tracepoint =
    'u:Paced_Service_L4K0 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level';
  writeFileSync('/sys/kernel/tracing/dynamic_events', tracepoint);
  const count = (1000 * seconds) / pauseMs;
  const ready = `${folder}/ready`;
  const wait = `until [ -e ${ready} ]; do sleep 0.1; done`;
  const paced = `${wait}; exec node ${root}test/kernel/programs/paced.mjs ${count} ${pauseMs}`;
  const neighbour = start([...nobody, 'node', `${root}test/kernel/programs/hostile-neighbour.mjs`, ready]);
  const live = start(['node', main, 'live', '--json', '--provider', 'Paced-Service'], 'live');
  const file = `${folder}/perf.data`;
  const record = start(
    ['node', main, 'record', '--user', 'daemon', '-o', file, '--', 'sh', '-c', paced],
    'record',
  );
  const usages = [];
  let isOver = false;
  record.ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([sleep(1000), record.ended]);
    if (!isOver) usages.push(usage(record), usage(live));
  }
  await record.ended;
  live.child.kill('SIGINT');
  neighbour.child.kill('SIGTERM');
  const statuses = { record: await record.ended, live: await live.ended, neighbour: await neighbour.ended };
  const stats = start(['node', main, 'stats', '--json', file], 'stats');
  await stats.ended;
  return {
    written: count,
    statuses,
    record: record.output.stderr,
    live: live.output.stderr,
    shown: live.output.lines,
    neighbour: JSON.parse(neighbour.output.stdout || '{}'),
    problems: neighbour.output.stderr,
    stats: JSON.parse(stats.output.stdout),
    usages: ['record', 'live'].map((name) => summaryOf(usages.filter((each) => each.name === name))),
  };
}

/** Whether it grew: from the second third on, because the start needs some memory. */
function summaryOf(usages) {
  const kib = usages.map((each) => each.kib);
  const third = Math.ceil(kib.length / 3);
  return {
    middleKib: Math.max(...kib.slice(third, 2 * third)),
    lastKib: Math.max(...kib.slice(2 * third)),
    descriptors: Math.max(...usages.map((each) => each.descriptors)),
  };
}

console.log(JSON.stringify(await inGuest(Number(process.argv[2]))));
