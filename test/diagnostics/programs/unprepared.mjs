// Runs `tracewright collect -p` on processes of one kind that nobody prepared, on this version of Node.js, and prints
// what became of it: KIND, or `kill` for the attacher's end at each of its steps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTrace } from '../../../dist/cjs/trace.mjs';
import { freePort } from '../../child/free-port.mjs';

const root = join(import.meta.dirname, '../../..');
const server = join(import.meta.dirname, 'unprepared-server.mjs');
const main = join(root, 'dist/cjs/cli.cjs');
const folder = mkdtempSync(join(tmpdir(), 'tracewright-unprepared-'));
const [kind = '', count = '12'] = process.argv.slice(2);
const NOBODY = 65534;
/** How long attaching takes, and until when after a kill an inspector may open; a busy machine may close it later. */
const STEPS_MS = 600;
const OBSERVED_MS = 2000;
const CLOSING_MS = 20_000;

const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const listening = (pid) => {
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  const lines = `${textOf(`/proc/${pid}/net/tcp`)}${textOf(`/proc/${pid}/net/unix`)}`.split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(
      (fields) =>
        (fields[3] === '0A' && own.includes(fields[9])) || /dotnet-diagnostic/.test(fields[7] ?? ''),
    )
    .filter((fields) => fields[3] === '0A' || fields[7].includes(`-diagnostic-${pid}-`))
    .map((fields) => (fields[3] === '0A' ? fields[1] : fields[7]))
    .sort();
};

/** This version of Node.js where every user may run it. */
function nodeOfAll() {
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(folder, 0o777);
  return copy;
}

/** A program that has said its port, with the id of its process. */
async function started(command, options = {}) {
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: { ...process.env, NODE_OPTIONS: '', TRACEWRIGHT_DIAGNOSTICS: '', ...options.env },
  });
  const asked = { aliens: 0 };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    if (text.includes('ALIEN')) asked.aliens++;
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, asked, ...JSON.parse(line) };
}

/** @returns the text of the answer, or undefined if there is none */
function asked(port, path, agent = false) {
  return new Promise((resolve) => {
    let text = '';
    const request = get({ port, host: '127.0.0.1', path, agent }, (response) => {
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}

/**
 * Requests until it is stopped.
 *
 * @param connections that send one after another without a pause; by default, each request has a connection
 * @returns how many were answered, and how many were not
 */
function load(port, connections = 0) {
  const counts = { answered: 0, lost: 0 };
  let isOver = false;
  const loop = async (agent) => {
    while (!isOver) {
      counts[(await asked(port, '/work', agent)) === 'done' ? 'answered' : 'lost']++;
      if (agent === false) await sleep(10);
    }
    if (agent !== false) agent.destroy();
  };
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const done = Promise.all((connections === 0 ? [false] : agents).map(loop));
  return async () => {
    isOver = true;
    await done;
    return counts;
  };
}

function collect(pid, file, options = {}) {
  const args = ['collect', '-p', String(pid), '-o', file, '--duration', '1s', ...(options.args ?? [])];
  const child = spawn(options.node ?? process.execPath, [main, ...(options.command ?? args)], {
    ...options,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([status]) => ({ status, stderr })) };
}

/** How many requests the file has, and on how many threads. */
async function requestsIn(file) {
  if (!existsSync(file)) return { requests: 0, threads: 0 };
  const threads = new Set();
  let requests = 0;
  for await (const { name, threadId } of await openTrace(file)) {
    if (!/RequestStart$|Request\/Start$/.test(name)) continue;
    requests++;
    threads.add(threadId);
  }
  return { requests, threads: threads.size };
}

/** A busy process closes its port when it gets to it. */
async function listeningAfter(pid, before, isLeft) {
  const end = performance.now() + CLOSING_MS;
  while (!isLeft && listening(pid).join() !== before.join() && performance.now() < end) await sleep(50);
  return listening(pid);
}

/** Attaches to the process while it is under load, and ends it. */
async function attached(target, options = {}) {
  const { child, asked, pid, port } = target;
  const file = join(folder, `${pid}.nettrace`);
  const before = listening(pid);
  const isReachable = port > 0 && options.isReachable !== false;
  const stop = isReachable ? load(port, options.connections) : async () => ({ answered: 0, lost: 0 });
  const { status, stderr } = await collect(pid, file, options).ended;
  options.onEnd?.();
  const { answered, lost } = await stop();
  if (options.onEnd !== undefined) await sleep(OBSERVED_MS);
  const after = await listeningAfter(pid, before, options.isLeft === true);
  const found = await requestsIn(file);
  process.kill(pid, 'SIGTERM');
  const [exit, signal] = await once(child, 'exit');
  return {
    status,
    says: stderr
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('Collected'))
      .join('\n')
      .replaceAll(String(pid), 'PID')
      .replace(`port ${inspectorPort}`, 'port N')
      .replace(/open for \d+ ms/, 'open for N ms')
      .replace(/[1-8] of its worker/, 'N of its worker'),
    openMs: Number(/open for (\d+) ms/.exec(stderr)?.[1] ?? 0),
    lost,
    aliens: asked?.aliens ?? 0,
    isServing: !isReachable || answered > 0,
    hasRequests: found.requests > 0,
    threads: found.threads,
    isAsBefore: before.join() === after.join(),
    exit: exit ?? signal,
  };
}

/** Every process has a port of its own for its inspector: those of other tests have the default at the same time. */
const inspectorPort = await freePort();
const withServer = (...args) => [process.execPath, `--inspect-port=${inspectorPort}`, ...args, server];

const kinds = {
  plain: async () => attached(await started(withServer())),
  twice: async () => {
    const target = await started(withServer());
    await collect(target.pid, join(folder, 'first')).ended;
    return attached(target);
  },
  // What V8 compiles of code that has run often is not to be counted.
  again: async () => {
    const { child, pid, port } = await started(withServer('--no-opt', '--no-sparkplug', '--no-maglev'));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const facts = async () => JSON.parse(await asked(port, '/facts', agent));
    for (let warm = 0; warm < 50; warm++) await asked(port, '/work', agent);
    const stop = load(port, 2);
    const before = listening(pid);
    const seen = [await facts()];
    for (let time = 0; time < Number(count); time++) {
      const { child: command, ended } = collect(pid, join(folder, 'again'));
      while (command.exitCode === null) await asked(port, '/work', agent);
      await ended;
      await listeningAfter(pid, before, false);
      seen.push(await facts());
    }
    const { lost } = await stop();
    agent.destroy();
    child.kill('SIGTERM');
    const [exit] = await once(child, 'exit');
    return {
      lost,
      exit,
      listeners: [...new Set(seen.map((each) => `${each.process} ${each.connection}`))].length,
      firstMB: (seen[1].heap - seen[0].heap) / 1e6,
      furtherMB: (seen.at(-1).heap - seen[1].heap) / 1e6,
    };
  },
  writer: async () => {
    const [copy, command, times] = process.argv.slice(3);
    const outcomes = new Set();
    for (let left = Number(times); left > 0; left--)
      outcomes.add(JSON.stringify(await written(copy, command)));
    return [...outcomes].map((text) => JSON.parse(text));
  },
  express: async () =>
    attached(await started(withServer(), { env: { KIND: 'express', LIBRARIES: join(count, 'main.js') } }), {
      connections: 8,
    }),
  leave: async () => attached(await started(withServer()), { args: ['--leave'], isLeft: true }),
  cluster: async () => {
    const primary = await started(withServer(), { env: { KIND: 'cluster' } });
    const { child, port, workers } = primary;
    const exited = once(child, 'exit');
    const results = [];
    for (const pid of workers) {
      const file = join(folder, `${pid}`);
      const stop = load(port);
      const before = listening(pid);
      const { status } = await collect(pid, file).ended;
      const { lost } = await stop();
      const after = await listeningAfter(pid, before, false);
      results.push({ status, lost, isAsBefore: before.join() === after.join() });
    }
    child.kill('SIGTERM');
    return { results, exit: (await exited)[0] };
  },
  workers: async () => attached(await started(withServer(), { env: { KIND: 'workers' } })),
  stuck: async () =>
    attached(await started(withServer(), { env: { KIND: 'stuck' } }), { isReachable: false, isLeft: true }),
  busy: async () => attached(await started(withServer(), { env: { KIND: 'busy' } }), { isReachable: false }),
  // When it has returned, it opens its inspector at once.
  blocked: async () => {
    const until = join(folder, 'until');
    const target = await started(withServer(), { env: { KIND: 'blocked', UNTIL: until } });
    return attached(target, { onEnd: () => writeFileSync(until, '') });
  },
  'random port': async () => attached(await started([process.execPath, '--inspect-port=0', server])),
  rootless: async () => {
    const [, ...args] = withServer();
    const other = join(folder, 'server.mjs');
    copyFileSync(server, other);
    const node = nodeOfAll();
    const script = `ip link set lo up; exec ${[node, ...args.slice(0, -1), other].join(' ')}`;
    const unshared = ['unshare', '--user', '--map-root-user', '--net', '--pid', '--fork', '--mount-proc'];
    const nobody = { uid: NOBODY, gid: NOBODY };
    const target = await started([...unshared, 'sh', '-c', script], nobody);
    const children = textOf(`/proc/${target.child.pid}/task/${target.child.pid}/children`);
    return attached({ ...target, pid: Number(children.trim()) }, { ...nobody, node, isReachable: false });
  },
  live: async () => {
    const target = await started(withServer());
    const before = listening(target.pid);
    const stop = load(target.port);
    const args = ['live', '-p', String(target.pid), '--json', '--provider', 'Node.Http'];
    const live = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let lines = '';
    for await (const text of live.stdout.setEncoding('utf8')) {
      lines += text;
      if (lines.split('\n').length > 10 && !live.killed) live.kill('SIGINT');
    }
    const { lost } = await stop();
    const after = await listeningAfter(target.pid, before, false);
    target.child.kill('SIGTERM');
    const [exit] = await once(target.child, 'exit');
    return {
      hasRequests: lines.includes('"RequestStart"'),
      lost,
      isAsBefore: before.join() === after.join(),
      exit,
    };
  },
  inspect: async () => attached(await started(withServer('--inspect=127.0.0.1:0'))),
  handler: async () => attached(await started(withServer(), { env: { KIND: 'handler' } })),
  'disable-sigusr1': async () => attached(await started(withServer('--disable-sigusr1'))),
  renamed: async () => {
    const copy = join(folder, 'my-app');
    copyFileSync(process.execPath, copy);
    return attached(await started([copy, ...withServer().slice(1)]));
  },
  network: async () =>
    attached(
      await started(['unshare', '--net', 'sh', '-c', `ip link set lo up; exec ${withServer().join(' ')}`]),
      {
        isReachable: false,
      },
    ),
  // A program of Electron has another name, and says in its versions what it is.
  electron: async () => {
    const copy = join(folder, 'My App');
    copyFileSync(process.execPath, copy);
    const preloaded = join(folder, 'electron.cjs');
    const versions = "{ ...process.versions, electron: '40.0.0' }";
    writeFileSync(preloaded, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
    return attached(await started([copy, ...withServer('--require', preloaded).slice(1)]));
  },
  container: async () => {
    // Neither our package nor our process ids are to be seen there.
    const other = join(folder, 'server.mjs');
    copyFileSync(server, other);
    const script = `mount -t tmpfs none ${root}/dist; exec ${withServer().slice(0, 2).join(' ')} ${other}`;
    const unshared = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', script];
    const target = await started(unshared);
    const children = textOf(`/proc/${target.child.pid}/task/${target.child.pid}/children`);
    return attached({ ...target, pid: Number(children.trim()) });
  },
  'other user': async () => {
    const [, ...args] = withServer();
    return attached(await started([nodeOfAll(), ...args], { uid: NOBODY, gid: NOBODY }));
  },
  'as other user': async () =>
    attached(await started(withServer()), { uid: NOBODY, gid: NOBODY, node: nodeOfAll() }),
  'taken port': async () => {
    const taker = createServer().listen(inspectorPort, '127.0.0.1');
    await once(taker, 'listening');
    const result = await attached(await started(withServer()));
    taker.close();
    return result;
  },
  program: async () => {
    const [command, ...args] = process.argv.slice(3);
    const child = spawn(command, args, { stdio: 'ignore' });
    await once(child, 'spawn');
    await sleep(500);
    return attached({ child, pid: child.pid, port: 0 });
  },
  asked: async () => {
    const { child, pid } = await started(withServer());
    const file = join(folder, 'asked');
    const command = `${process.execPath} ${main} collect -p ${pid} -o ${file} --duration 1s`;
    // A terminal, of which stdin and stderr are a part.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    for await (const text of terminal.stdout.setEncoding('utf8')) {
      const isNew = !shown.includes('[y/N]');
      shown += text;
      if (isNew && shown.includes('[y/N]')) terminal.stdin.write(`${process.argv[3]}\n`);
    }
    child.kill('SIGTERM');
    const [exit] = await once(child, 'exit');
    return {
      isAsked: shown.includes(`Process ${pid} (`),
      isOpened: shown.includes('tracewright was loaded into it'),
      isLeftAlone: shown.includes('was left alone.'),
      isRecorded: existsSync(file) && readFileSync(file).length > 1000,
      exit,
    };
  },
  counters: async () => {
    const { child, pid } = await started(withServer());
    const args = ['counters', '-p', String(pid), '--duration', '3s', '--json'];
    const counting = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let values = '';
    for await (const text of counting.stdout.setEncoding('utf8')) values += text;
    child.kill('SIGTERM');
    return { hasValues: values.includes('nodejs.eventloop.delay'), exit: (await once(child, 'exit'))[0] };
  },
  kill: async () => {
    const kills = await Promise.all(Array.from({ length: Number(count) }, (_, index) => killed(index)));
    return {
      stuck: kills.filter(({ isStuck }) => isStuck).map(({ index }) => index),
      lost: kills.reduce((sum, { lost }) => sum + lost, 0),
      exits: [...new Set(kills.map(({ exit }) => exit))],
      longestMs: Math.max(...kills.map(({ openMs }) => openMs)),
    };
  },
};

/** Attaches once to a process that writes its own events, and reads its trace. */
async function written(copy, command) {
  const OUTPUT = join(folder, 'own.nettrace');
  const env = { PACKAGE: join(root, 'dist', copy), OUTPUT };
  const [node, ...args] = withServer().with(-1, join(import.meta.dirname, 'unprepared-writer.mjs'));
  // Code that V8 has not optimized can be interrupted at more places.
  const target = await started([node, '--no-opt', '--no-sparkplug', '--no-maglev', ...args], { env });
  const { child, pid } = target;
  const options = command === 'now' ? { command: ['now', '-p', String(pid)] } : {};
  const { status } = await collect(pid, join(folder, 'attached.nettrace'), options).ended;
  const said = once(child.stdout, 'data');
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const { count, ...own } = JSON.parse((await said)[0]);
  let next = 0;
  let isInOrder = true;
  const trace = await openTrace(OUTPUT);
  for await (const { provider, payload } of trace) {
    if (provider === 'Attached.Writer')
      isInOrder &&= payload.number === next++ && payload.values.length === 8;
  }
  return {
    status,
    ...own,
    isWhole: isInOrder && next === count,
    lost: trace.lostEvents,
    exit: (await exited)[0],
  };
}

/** Kills one of the two programs that attach at one of their steps: side by side with the others, as one only waits. */
async function killed(index) {
  const port = await freePort();
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const target = await started([process.execPath, `--inspect-port=${port}`, server]);
  const exited = once(target.child, 'exit');
  const isOpen = () => listening(target.pid).some((address) => address.endsWith(`:${hex}`));
  const stop = load(target.port);
  const { child, ended } = collect(target.pid, join(folder, `killed-${index}`));
  const visit = await visitOf(child, ended);
  await sleep((index / Number(count)) * STEPS_MS);
  try {
    process.kill(index % 2 === 0 ? visit : child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  // The inspector may open after that.
  const from = performance.now();
  let last = from;
  while (performance.now() < from + OBSERVED_MS || (isOpen() && performance.now() < from + CLOSING_MS)) {
    if (isOpen()) last = performance.now();
    await sleep(10);
  }
  const isStuck = isOpen();
  child.kill('SIGKILL');
  await ended;
  const { lost } = await stop();
  target.child.kill('SIGTERM');
  const [status, signal] = await exited;
  return { index, isStuck, lost, exit: status ?? signal, openMs: Math.round(last - from) };
}

/** The id of the program that visits the process for the command. */
async function visitOf(command, ended) {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const [visit] = textOf(`/proc/${command.pid}/task/${command.pid}/children`).trim().split(' ');
    if (visit !== '' && visit !== undefined) return Number(visit);
    await sleep(2);
  }
  return command.pid;
}

try {
  console.log(JSON.stringify(await kinds[kind]()));
} finally {
  rmSync(folder, { recursive: true });
}
process.exit();
