// All that writes files, on a disk that is full, has room, or has it now and then: `full-disk.mjs SECONDS`. An application
// has one session in a file after another and a flight recorder, with files of its own beside them; commands come and go,
// among them a process that ends with an exception. Prints as JSON what happened.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { enableDiagnostics } from '../../../dist/diagnostics/index.js';
import { startFlightRecorder } from '../../../dist/flight/flight-recorder.js';
import { defineEventSource, event, startSession } from '../../../dist/index.js';
import { openTrace } from '../../../dist/trace/index.js';
import { SmallDisk } from '../../small-disk.mjs';
import { OwnFiles } from '../own-files.mjs';

const MAIN = fileURLToPath(new URL('../../../dist/cjs/cli.cjs', import.meta.url));
const DISK_SIZE = '32m';
const TEXT = 'x'.repeat(40);
const EVENTS = 10_000;
const TURNS = 40;
const EVENTS_PER_TURN = 200;
const PAUSE_MS = 10;
const LEAVE_MS = 15_000;
const FULL = / cannot be written \(ENOSPC\)|failed \(ENOSPC\)/;

const faults = [];
const fault = (sentence) => faults.length < 10 && faults.push(sentence);
const random = (limit) => Math.floor(Math.random() * limit);

function sourceOf(name) {
  return defineEventSource(name, { Tick: event({ number: 'uint32', text: 'string' }) });
}

/** How many events of a provider are in a file, which may have lost its end, but has whole events. */
async function eventsIn(path, provider) {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  let events = 0;
  for await (const each of await openTrace(path, { onDamage: 'warning' })) {
    if (provider === undefined || each.provider === provider) events++;
  }
  return events;
}

async function runApplication(disk) {
  const log = sourceOf('Full-Disk-Session');
  const kept = sourceOf('Full-Disk-Flight');
  const shown = sourceOf('Full-Disk-Port');
  const files = new OwnFiles(tmpdir());
  const counts = { sessions: { whole: 0, full: 0 }, dumps: { whole: 0, full: 0 }, warnings: 0 };
  let isOver = false;
  process.on('message', () => {
    isOver = true;
  });
  process.on('uncaughtException', (error) => fault(`The application sees ${error.stack}`));
  process.on('warning', ({ message }) => {
    counts.warnings++;
    if (!FULL.test(message)) fault(`A warning says: ${message}`);
  });

  /** A turn of the application's own work. */
  async function turn() {
    for (let n = 0; n < 20; n++) shown.Tick({ number: n, text: TEXT });
    for (let n = 0; n < 20; n++) kept.Tick({ number: n, text: TEXT });
    files.turn();
    await new Promise(setImmediate);
  }

  async function runSession(output, mode) {
    const session = startSession({ providers: 'Full-Disk-Session', output, mode });
    let written = 0;
    for (let n = 0; n < TURNS; n++) {
      for (let i = 0; i < EVENTS_PER_TURN && log.Tick.enabled; i++)
        log.Tick({ number: written++, text: TEXT });
      await turn();
    }
    const { events, dropped, problem } = await session.close();
    counts.sessions[problem === undefined ? 'whole' : 'full']++;
    const delivered = await eventsIn(output, 'Full-Disk-Session');
    if (delivered !== events || events + dropped !== written) {
      fault(
        `${mode}: ${written} written, ${delivered} delivered, ${events} and ${dropped} counted, ${problem}`,
      );
    }
    if (problem === undefined && dropped > 0) fault(`${mode}: ${dropped} dropped without a reason`);
    rmSync(output, { force: true });
  }

  async function dump(flight) {
    let dumped;
    try {
      dumped = await flight.dump();
    } catch (error) {
      counts.dumps.full++;
      if (!FULL.test(error.message)) fault(`A dump says: ${error.stack}`);
      return;
    }
    counts.dumps.whole++;
    const delivered = await eventsIn(dumped.file, 'Full-Disk-Flight');
    if (delivered !== dumped.events) fault(`${dumped.events} dumped, ${delivered} delivered`);
  }

  enableDiagnostics();
  const folder = join(disk, 'flight');
  mkdirSync(folder);
  const limits = { maxBytes: 1 << 18, maxDiskBytes: 1 << 19 };
  const flight = startFlightRecorder({ providers: 'Full-Disk-Flight', folder, ...limits });
  const before = readdirSync('/proc/self/fd').length;
  process.send('ready');
  for (let n = 0; !isOver; n++) {
    await runSession(join(disk, `session-${n}.nettrace`), n % 2 === 0 ? 'drop' : 'block');
    await dump(flight);
  }
  await flight.close();
  rmSync(folder, { recursive: true });
  files.close();
  const leftOpen = () => readdirSync('/proc/self/fd').length - before;
  for (const late = performance.now() + LEAVE_MS; leftOpen() > 0 && performance.now() < late; )
    await sleep(50);
  faults.push(...files.faults);
  process.send({ ...counts, opened: files.opened, faults, leftOpen: Math.max(0, leftOpen()) });
  process.disconnect();
}

/** It has the last events in a file, or a warning, before it ends as it would have ended. */
async function failOn(folder) {
  const log = sourceOf('Full-Disk-Flight');
  startFlightRecorder({ providers: 'Full-Disk-Flight', folder, uncaughtException: true });
  for (let number = 0; number < EVENTS; number++) log.Tick({ number, text: TEXT });
  throw new Error('It fails.');
}

async function runNode(args, environment = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stderr };
}

/** A command that writes into a folder; what is in the way of all of it, it says in one sentence. */
class Command {
  whole = 0;
  full = 0;
  #name;
  #folder;
  #args;
  /** The status without a full disk. */
  #status;

  constructor(name, folder, args, status = 0) {
    mkdirSync(folder);
    this.#name = name;
    this.#folder = folder;
    this.#args = args;
    this.#status = status;
  }

  async run(environment) {
    const { status, stderr } = await runNode(this.#args, environment);
    const reasons = stderr.split('\n').filter((line) => FULL.test(line));
    const isFull = reasons.length > 0;
    this[isFull ? 'full' : 'whole']++;
    const isExpected = isFull ? status === 1 && reasons.length === 1 : status === this.#status;
    // The application's own exception has a stack.
    if (!isExpected || (this.#status === 0 && /\n +at /.test(stderr))) {
      fault(`${this.#name} ends with ${status}: ${stderr}`);
    }
    await this.#check(isFull);
  }

  async #check(isFull) {
    const found = readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    const files = found.filter((each) => each.isFile());
    const isRecording = /^(?:collect|record)/.test(this.#name);
    if (isFull && !isRecording && files.length > 0)
      fault(`${this.#name} leaves ${files.map(({ name }) => name)}`);
    if (!isFull && files.length === 0) fault(`${this.#name} says nothing, and has no file`);
    for (const { name } of files) {
      if (/partial|[\da-f-]{36}/.test(name)) fault(`${this.#name} leaves ${name}`);
      const path = join(this.#folder, name);
      if (/\.(?:nettrace|data)$/.test(name))
        await eventsIn(path).catch((error) => fault(`${path}: ${error}`));
      if (name.endsWith('.csv')) {
        const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length;
        if (lines !== EVENTS + 1) fault(`${name} has ${lines} lines`);
      }
    }
    for (const { name } of readdirSync(this.#folder, { withFileTypes: true })) {
      rmSync(join(this.#folder, name), { recursive: true });
    }
  }
}

async function writeTrace(path) {
  const log = sourceOf('Full-Disk-Trace');
  const session = startSession({ providers: 'Full-Disk-Trace', output: path, maxBufferBytes: 1 << 24 });
  for (let number = 0; number < EVENTS; number++) log.Tick({ number, text: TEXT });
  await session.close();
}

/** How much room there is, from time to time; by turns for all commands. */
const ROOMS = [
  (disk) => disk.fill(),
  (disk) => disk.free(),
  (disk) => {
    if (random(20) > 0) return;
    disk.free();
    disk.fill(random(2) === 0 ? Number.POSITIVE_INFINITY : random(32 << 20));
  },
];

async function run(seconds) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-full-'));
  const disk = new SmallDisk(join(folder, 'disk'), DISK_SIZE);
  const environment = { TMPDIR: folder };
  const trace = join(folder, 'trace.nettrace');
  await writeTrace(trace);
  const application = fork(import.meta.filename, ['application', disk.path], {
    env: { ...process.env, ...environment },
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let stderr = '';
  application.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(application, 'close');
  await once(application, 'message');

  const commands = {};
  const add = (name, argsIn, status) => {
    const place = join(disk.path, name.replaceAll(/\W+/g, '-'));
    commands[name] = new Command(name, place, argsIn(place), status);
  };
  const port = ['-p', String(application.pid), '--provider', 'Full-Disk-Port', '--duration', '0.5'];
  const busy = 'for (const end = Date.now() + 300; Date.now() < end; );';
  const recordInto = (place) => [
    MAIN,
    'record',
    '--cpu',
    '-o',
    join(place, 'a.data'),
    '--',
    process.execPath,
    '-e',
    busy,
  ];
  add('export -o', (place) => [MAIN, 'export', trace, '-o', join(place, 'a.csv')]);
  add('export --parquet', (place) => [MAIN, 'export', trace, '--parquet', place]);
  add('report -o', (place) => [MAIN, 'report', trace, '-o', join(place, 'a.html')]);
  add('collect -o', (place) => [MAIN, 'collect', ...port, '-o', join(place, 'a.nettrace')]);
  add('an exception', (place) => [import.meta.filename, 'failure', place], 1);
  // Where the kernel samples nobody, its own tests must do.
  const recorded = await runNode(recordInto(folder), environment);
  if (recorded.status === 0) add('record -o', recordInto);

  const end = performance.now() + seconds * 1000;
  let rounds = 0;
  for (; (rounds < ROOMS.length || performance.now() < end) && application.exitCode === null; rounds++) {
    const room = () => ROOMS[rounds % ROOMS.length](disk);
    room();
    const weighing = setInterval(room, PAUSE_MS);
    await Promise.all(Object.values(commands).map((command) => command.run(environment)));
    clearInterval(weighing);
  }
  disk.free();
  let told = {};
  application.on('message', (message) => {
    told = message;
  });
  if (application.connected) application.send('end');
  const [status] = await ended;
  const left = readdirSync(disk.path, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const leftFiles = left.map(({ name }) => name).filter((name) => name !== '.ballast');
  disk.remove();
  rmSync(folder, { recursive: true });
  const { faults: seen = [], ...figures } = told;
  console.log(
    JSON.stringify({ status, stderr, rounds, commands, ...figures, leftFiles, faults: [...faults, ...seen] }),
  );
  process.exit();
}

const [what, folder] = process.argv.slice(2);
if (what === 'application') await runApplication(folder);
else if (what === 'failure') await failOn(folder);
else await run(Number(what));
