/**
 * A diagnostic port next to a hostile neighbour: another user of the machine (uid 65534, if this runs as root) who
 * connects, floods, sends partial messages, holds connections, and plants sockets, FIFOs and symbolic links where ports
 * are looked for. At first the port is closed to others, as always; then it is opened to them, as by a mistaken
 * administrator, so that all attacks get in. Meanwhile one session contains every event that the application writes,
 * others come and go, and commands are started and collected. Prints figures as JSON; exits with 1 if an event is
 * neither delivered nor counted, something hangs, or something grows.
 *
 *     node port-neighbour.mjs SECONDS
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openTrace } from 'tracewright/trace';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const APPLICATION = fileURLToPath(new URL('port-neighbour/application.mjs', import.meta.url));
const NEIGHBOUR = new URL('port-neighbour/neighbour.mjs', import.meta.url);
const PROVIDER = 'Endurance-Port';
const NOBODY = 65534;
/** The time limit for every command, even while thousands of connections wait. */
const HANG_MS = 60_000;
/** How much collectors and caches may add to the first figure. */
const GROWTH = { heap: 8e6, rss: 96e6, descriptors: 2 };

const seconds = Number(process.argv[2]);
/** Events per second. */
const RATE = 4000;
const problems = [];
const started = [];
const folder = mkdtempSync(join(tmpdir(), 'port-neighbour-'));
const results = mkdtempSync(join(tmpdir(), 'port-neighbour-results-'));
// Like /tmp.
chmodSync(folder, 0o1777);
const environment = { ...process.env, TMPDIR: folder };
async function run() {
  const application = new Application();
  const { address } = await application.answer();
  const neighbour = spawnNeighbour(address, application.pid);
  const whole = collect('whole.nettrace', ['-p', String(application.pid)]);
  await application.ask('write', { rate: RATE });
  await sleep(Math.min(5000, seconds * 100));
  const before = await application.ask('state');

  const end = performance.now() + seconds * 1000;
  setTimeout(() => chmodSync(address, 0o666), seconds * 200);
  const sessions = { short: 0, commands: 0, listings: 0, events: 0, lost: 0 };
  for (let round = 0; performance.now() < end; round++) {
    await collectShortly(application.pid, sessions);
    if (round % 5 === 0) await collectCommand(sessions);
    if (round % 5 === 2) await list(application.pid, sessions);
  }

  neighbour.kill('SIGTERM');
  const { kinds } = await neighbour.report;
  const { written } = await application.ask('stop');
  await sleep(300);
  whole.child.kill('SIGINT');
  await ended('the session of the whole time', whole);
  const delivered = await eventsIn('whole.nettrace', written);
  if (delivered.events + delivered.lost !== written) {
    problems.push(
      `${written} events were written, ${delivered.events} delivered, ${delivered.lost} counted.`,
    );
  }
  // Silent clients are disconnected after 5 seconds.
  await sleep(6000);
  const after = await application.ask('state');
  checkGrowth(before, after);
  application.leave();
  return { seconds, written, ...delivered, sessions, neighbour: kinds, before, after };
}

/** The process with the port: see port-neighbour/application.mjs. */
class Application {
  #child = fork(APPLICATION, {
    env: { ...environment, TRACEWRIGHT_PROVIDER: PROVIDER },
    execArgv: ['--expose-gc'],
  });

  constructor() {
    started.push(this.#child);
  }

  get pid() {
    return this.#child.pid;
  }

  async answer() {
    const late = sleep(HANG_MS, 'late', { ref: false });
    const [answer] = await Promise.race([once(this.#child, 'message'), late.then(() => ['late'])]);
    if (answer === 'late') throw new Error(`The application has not answered for ${HANG_MS / 1000} s.`);
    return answer;
  }

  ask(question, details = {}) {
    const answer = this.answer();
    this.#child.send({ question, ...details });
    return answer;
  }

  leave() {
    this.#child.kill('SIGKILL');
  }
}

/** Not by its file name, which another user may not be allowed to read. */
function spawnNeighbour(address, processId) {
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    cwd: '/',
    env: { PATH: process.env.PATH, ADDRESS: address, FOLDER: folder, VICTIM: String(processId) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  createReadStream(NEIGHBOUR).pipe(child.stdin);
  const report = textOf(child.stdout).then((text) => JSON.parse(text));
  return { kill: (signal) => child.kill(signal), report };
}

function collect(file, args) {
  const child = spawn(
    process.execPath,
    [MAIN, 'collect', '-o', join(results, file), '--provider', PROVIDER, ...args],
    { env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  started.push(child);
  return { child, said: textOf(child.stderr), status: once(child, 'exit').then(([status]) => status) };
}

async function ended(what, { child, said, status }) {
  const timer = setTimeout(() => {
    problems.push(`${what} has hung.`);
    child.kill('SIGKILL');
  }, HANG_MS);
  const code = await status;
  clearTimeout(timer);
  if (code !== 0) problems.push(`${what} ended with ${code}: ${(await said).trim()}`);
  return code === 0;
}

async function collectShortly(processId, sessions) {
  const collected = collect('short.nettrace', ['-p', String(processId), '--duration', '0.5']);
  if (!(await ended('a session', collected))) return;
  const { events, lost } = await eventsIn('short.nettrace');
  sessions.short++;
  sessions.events += events;
  sessions.lost += lost;
}

/** Through a private port, in a folder to which others may write. */
async function collectCommand(sessions) {
  const collected = collect('command.nettrace', ['--', process.execPath, APPLICATION, '100']);
  // The source has a different name in it: here it only matters that it ends, and leaves nothing behind.
  if (!(await ended('a command', collected))) return;
  sessions.commands++;
  const left = readdirSync(folder).filter((name) => name.startsWith('tracewright-') && isOurs(name));
  if (left.length > 0) problems.push(`A command left ${left.join(', ')}.`);
}

/** The neighbour's come and go. */
const isOurs = (name) =>
  process.getuid?.() === 0 && statSync(join(folder, name), { throwIfNoEntry: false })?.uid === 0;

async function list(processId, sessions) {
  const child = spawn(process.execPath, [MAIN, 'ps', '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = textOf(child.stdout);
  const status = once(child, 'exit').then(([code]) => code);
  if (!(await ended('ps', { child, said: textOf(child.stderr), status }))) return;
  sessions.listings++;
  const found = (await lines)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  if (!found.some((each) => each.processId === processId && each.name === 'application.mjs')) {
    problems.push('ps did not find the application.');
  }
}

/** @param most the maximum number: their sequence numbers show what is missing */
async function eventsIn(file, most = Number.POSITIVE_INFINITY) {
  const trace = await openTrace(join(results, file));
  let events = 0;
  let next;
  let missing = 0;
  for await (const { provider, payload } of trace) {
    if (provider !== PROVIDER) continue;
    events++;
    const n = Number(payload.n);
    if (next !== undefined) missing += n - next;
    next = n + 1;
  }
  const lost = trace.lostEvents;
  if (missing > lost) problems.push(`${file} lacks ${missing} events, and says ${lost} of them.`);
  if (events > most) problems.push(`${file} has ${events} events of ${most}.`);
  return { events, lost };
}

function checkGrowth(before, after) {
  for (const [name, most] of Object.entries(GROWTH)) {
    if (after[name] - before[name] > most) {
      problems.push(`${name} has grown from ${before[name]} to ${after[name]}.`);
    }
  }
}

async function textOf(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

try {
  const figures = await run();
  process.stdout.write(`${JSON.stringify({ ...figures, problems }, undefined, 2)}\n`);
} finally {
  for (const child of started) child.kill('SIGKILL');
  for (const each of [folder, results]) rmSync(each, { recursive: true, force: true });
}
process.exitCode = problems.length === 0 ? 0 : 1;
