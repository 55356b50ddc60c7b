/**
 * The agent on many live programs for a long time: whether every event is in a whole file or counted, and what the agent
 * and the programs cost. Prints JSON.
 *
 *     node scripts/bench/agent-soak.mjs [--processes 200] [--seconds 600] [--rate 100] [--kills 2] [--parquet]
 *
 * The rate is events per second and program. Kills are spread over the time; each costs what was on its way to the
 * agent, which is said apart. Requires dist/, and takes about 60 MB of memory per program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openTrace } from 'tracewright/trace';

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '100' },
    kills: { type: 'string', default: '2' },
    parquet: { type: 'boolean', default: false },
  },
});
const [processes, seconds, kills] = [values.processes, values.seconds, values.kills].map(Number);
const PROVIDER = 'Tracewright-Fleet';
/** Programs that start at the same time. */
const STARTING = 8;
const MB = 1e6;

const root = mkdtempSync(join(tmpdir(), 'tracewright-soak-'));
const folder = join(root, 'agent');
const env = { ...process.env, TMPDIR: join(root, 'ports'), TRACEWRIGHT_DIAGNOSTICS: '' };
mkdirSync(env.TMPDIR);
const path = (name) => join(import.meta.dirname, name);
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

function start(args, stdio) {
  const child = spawn(process.execPath, args, { env, stdio });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

async function startProgram() {
  const register = path('../../dist/diagnostics/register.js');
  const child = start(['--import', register, path('agent-program.mjs'), values.rate], ['ignore', 'pipe', 2]);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await once(child.stdout, 'data');
  const end = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    return JSON.parse(said.split('\n')[1]);
  };
  return { end };
}

/** @returns it, and where its counters are */
async function startAgent() {
  const child = start(
    [path('../../dist/cjs/cli.cjs'), 'agent', '--config', join(root, 'agent.json')],
    ['ignore', 'ignore', 'pipe'],
  );
  const agent = { child, said: '', url: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    agent.said += text;
  });
  while (agent.url === '') {
    await once(child.stderr, 'data');
    agent.url = /http:\S+/.exec(agent.said)?.[0] ?? '';
  }
  return agent;
}

async function counterOf({ url }, name) {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`tracewright_agent_${name}`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** What the agent takes now. */
async function costOf(agent) {
  const status = readFileSync(`/proc/${agent.child.pid}/status`, 'utf8');
  const peak = Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) * 1024;
  return { cpuSeconds: await counterOf(agent, 'cpu_seconds_total'), peakMb: Math.round(peak / MB) };
}

async function whenAttached(agent) {
  while ((await counterOf(agent, 'attached_processes')) < processes) await sleep(200);
}

async function eventsInFiles() {
  const traces = join(folder, 'traces');
  let [events, lost, bytes] = [0, 0, 0];
  const names = readdirSync(traces);
  for (const name of names) {
    if (!name.endsWith('.nettrace')) throw new Error(`There is a file that is not whole: ${name}.`);
    bytes += statSync(join(traces, name)).size;
    const trace = await openTrace(join(traces, name));
    for await (const batch of trace.batches()) {
      for (const { provider } of batch) if (provider === PROVIDER) events++;
    }
    lost += trace.lostEvents;
  }
  return { events, lost, files: names.length, megabytes: bytes / MB };
}

const rules = [{ name: 'soak', providers: PROVIDER, match: { environment: { TMPDIR: env.TMPDIR } } }];
const settings = { folder, rules, metrics: { port: 0 }, ...(values.parquet && { parquet: {} }) };
writeFileSync(join(root, 'agent.json'), JSON.stringify(settings));

const programs = [];
while (programs.length < processes) {
  const count = Math.min(STARTING, processes - programs.length);
  programs.push(...(await Promise.all(Array.from({ length: count }, startProgram))));
}
let agent = await startAgent();
await whenAttached(agent);
const costs = [];
for (let part = 0; part <= kills; part++) {
  await sleep((seconds * 1000) / (kills + 1));
  costs.push(await costOf(agent));
  if (part === kills) break;
  agent.child.kill('SIGKILL');
  await once(agent.child, 'close');
  agent = await startAgent();
  await whenAttached(agent);
}
const asked = performance.now();
agent.child.kill('SIGTERM');
await once(agent.child, 'close');
const endSeconds = (performance.now() - asked) / 1000;
const ends = await Promise.all(programs.map(({ end }) => end()));
const sum = (key) => ends.reduce((total, end) => total + end[key], 0);
const written = sum('written');
const inFiles = await eventsInFiles();
const cpuSeconds = costs.reduce((total, cost) => total + cost.cpuSeconds, 0);
const result = {
  node: process.versions.node,
  processes,
  seconds,
  written,
  ...(!values.parquet && { inFiles, lostByKills: written - inFiles.events - inFiles.lost }),
  said: agent.said.trim().split('\n').slice(1),
  endSeconds,
  agent: {
    cpuSeconds,
    cpuPercent: (100 * cpuSeconds) / seconds,
    microsecondsPerEvent: (1e6 * cpuSeconds) / written,
    peakMb: Math.max(...costs.map(({ peakMb }) => peakMb)),
  },
  programs: {
    // All they do: start, the load itself, and sending it.
    cpuMsEach: sum('cpuMs') / processes,
    rssMbEach: sum('rss') / processes / MB,
  },
};
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
if (!values.parquet && kills === 0 && result.lostByKills !== 0) process.exitCode = 1;
