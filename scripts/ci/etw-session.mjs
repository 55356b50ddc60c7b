// `node etw-session.mjs RECORDER [PACKAGE.tgz]`: records etw-program.mjs with a session of Windows' own tools or of
// ours, has the file decoded, and checks every event, name, field and both activity ids. As administrator, on
// Windows; the checkout set up (npm run setup). The files stay in build/etw/RECORDER, to be looked at when something is
// missing. RECORDER is one of:
//
//   logman, wpr, wpr-events, tracewright   TraceLogging events, decoded by tracerpt
//   stacks      tracewright record --stacks: each event with its stack
//   circular    tracewright record --mode circular
//   ring        tracewright record --ring, which writes what it keeps at the end
//   cpu         tracewright record --cpu: the kernel's events, too, and CPU samples with stacks
//   live        tracewright live, which starts the program and prints its events as they are written
//   live-session  the same events from a real-time session of logman
//   manifest    etwFormat: 'manifest', decoded by tracewright from the manifest in the file
//   paths       as tracewright, into a folder and a file with blanks and letters of other scripts
//   package     as tracewright, with the package that is given, installed, and its own addon
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openTrace } from '../../dist/trace/open-trace.js';
import { providerGuid } from '../../dist/wire/provider-guid.js';
import { report, run, ToolError } from '../lib/run.mjs';
import { parseTracerpt, recordingProblems, tracerptText } from './tracerpt-xml.mjs';

/** Nothing here takes this long; if something hangs, its own message should say so, not the job's. */
const SPAWN_MILLISECONDS = 120_000;

const root = join(import.meta.dirname, '../..');
const [name = 'logman', tarball] = process.argv.slice(2);
const folder = join(root, 'build/etw', name, name === 'paths' ? 'with blanks, ä and 日本' : '');
const file = join(folder, name === 'paths' ? 'träce 1.etl' : 'trace.etl');
const xmlFile = join(folder, 'trace.xml');
const linesFile = join(folder, 'live.jsonl');
const session = 'tracewright-ci';
const providerName = 'MyCompany-MyService';
const provider = `{${providerGuid(providerName)}}`;
const etwProgram = join(import.meta.dirname, 'etw-program.mjs');
const checkout = { cli: join(root, 'dist/cjs/cli.cjs'), program: etwProgram };

const profile = (named) => ({
  start: ['wpr', '-start', `${join(root, 'docs/tracewright.wprp')}!${named}`, '-filemode'],
  stop: ['wpr', '-stop', file, '-skipPdbGen'],
  cancel: ['wpr', '-cancel'],
});
const recorded = (...options) => ({
  run: ['record', '-o', file, '--provider', providerName, '--end-left-behind', ...options, '--'],
});

const watched = (...options) => ({
  watch: ['live', '--json', '--provider', providerName, ...options, '--'],
  decode: shownEvents,
});

/** All keywords, level Verbose. Each starts and stops a session, or makes tracewright run the program itself. */
const recorders = {
  logman: {
    start: ['logman', 'start', session, '-p', provider, '0xffffffffffffffff', '0x5', '-o', file, '-ets'],
    stop: ['logman', 'stop', session, '-ets'],
    cancel: ['logman', 'stop', session, '-ets'],
  },
  wpr: profile('tracewright'),
  'wpr-events': profile('events'),
  tracewright: recorded(),
  paths: recorded(),
  package: recorded(),
  stacks: { ...recorded('--stacks'), decode: ownEvents, check: stackProblems },
  circular: recorded('--mode', 'circular', '--max-size', '16MiB'),
  ring: { ...recorded('--ring'), decode: ownEvents },
  cpu: { ...recorded('--cpu'), decode: ownEvents, check: sampleProblems },
  live: watched(),
  'live-session': {
    ...watched('--session', session),
    start: ['logman', 'start', session, '-p', provider, '0xffffffffffffffff', '0x5', '-rt', '-ets'],
    stop: ['logman', 'stop', session, '-ets'],
    cancel: ['logman', 'stop', session, '-ets'],
  },
  manifest: { ...recorded(), arguments: ['manifest'], decode: ownEvents },
};

function say(command) {
  console.log(command.join(' '));
  console.log(run(command[0], command.slice(1), { timeout: SPAWN_MILLISECONDS }).trim());
}

/** Ends a session left behind by an earlier, broken run. */
function sayUnlessItFails(command) {
  try {
    say(command);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
}

/** @returns the program's output */
function record({ start, stop, run: own, watch, arguments: args = [] }, { cli, program }) {
  const target = [process.execPath, program, ...args];
  const [command, ...rest] = own === undefined ? target : [process.execPath, cli, ...own, ...target];
  const options = { cwd: folder, timeout: SPAWN_MILLISECONDS };
  const go = () =>
    watch === undefined ? run(command, rest, options) : show([cli, ...watch, ...target], options);
  if (start === undefined) return go();
  say(start);
  try {
    return go();
  } finally {
    say(stop);
  }
}

/** Keeps the events, which live prints to stdout. @returns what the program prints, which comes to stderr */
function show(args, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  });
  if (status !== 0) throw new ToolError(`live ended with exit status ${status}.`, stderr);
  writeFileSync(linesFile, stdout);
  return /^\{.*\}$/m.exec(stderr)?.[0] ?? '{}';
}

/** The package as users install it, in a separate folder, with the program next to it. */
function install(packed) {
  const application = join(folder, 'application');
  mkdirSync(application);
  writeFileSync(join(application, 'package.json'), '{ "private": true }');
  // On Windows, npm is a batch file, which needs a shell, and a shell needs quotes
  run('npm', ['install', '--no-audit', '--no-fund', `"${resolve(packed)}"`], {
    cwd: application,
    shell: true,
    timeout: SPAWN_MILLISECONDS,
  });
  const program = join(application, 'etw-program.mjs');
  copyFileSync(etwProgram, program);
  return { cli: join(application, 'node_modules/tracewright/dist/cjs/cli.cjs'), program };
}

function recordedFile() {
  const found = readdirSync(folder).find((entry) => /\.etl(\.|$)/.test(entry));
  if (found === undefined) throw new ToolError(`There is no .etl file in ${folder}.`, '');
  return join(folder, found);
}

/** The events according to Windows' own decoder. */
function tracerptEvents() {
  say(['tracerpt', recordedFile(), '-o', xmlFile, '-of', 'XML', '-en', 'Unicode', '-y']);
  return parseTracerpt(tracerptText(readFileSync(xmlFile)));
}

/** One event according to tracewright, in the same form. */
function ownEvent(event) {
  return {
    providerGuid: providerGuid(providerName),
    // A manifest's events are named by task and opcode: Request/Start.
    name: event.name.replace('/', ''),
    level: event.level,
    opcode: event.opcode,
    keywords: BigInt(event.keywords),
    processId: event.processId,
    activityId: event.activityId,
    relatedActivityId: event.relatedActivityId,
    fields: Object.fromEntries(Object.entries(event.payload).map(([field, value]) => [field, `${value}`])),
  };
}

function shownEvents() {
  const lines = readFileSync(linesFile, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => ownEvent(JSON.parse(line)));
}

async function ownEvents() {
  const events = [];
  for await (const event of await openTrace(recordedFile())) {
    if (event.provider === providerName) events.push(ownEvent(event));
  }
  return events;
}

async function stackProblems() {
  let count = 0;
  for await (const { provider: of, stack } of await openTrace(recordedFile())) {
    if (of === providerName && (stack?.length ?? 0) > 0) count++;
  }
  return count > 0 ? [] : ['No event has a stack.'];
}

/** The kernel names the program, and samples it with stacks. */
async function sampleProblems() {
  const trace = await openTrace(recordedFile());
  let [samples, stacks] = [0, 0];
  for await (const event of trace) {
    if (event.name !== 'PerfInfo/Sample') continue;
    samples++;
    if ((event.stack?.length ?? 0) > 0) stacks++;
  }
  const isNamed = [...trace.processNames.values()].some((process) => /node/i.test(process));
  return [
    ...(samples > 0 ? [] : ['There are no CPU samples.']),
    ...(stacks > 0 ? [] : [`None of ${samples} CPU samples has a stack.`]),
    ...(isNamed ? [] : ['No process is named node.']),
  ];
}

try {
  const recorder = recorders[name];
  if (recorder === undefined) {
    throw new ToolError(`"${name}" is none of ${Object.keys(recorders).join(', ')}.`, '');
  }
  if (process.platform !== 'win32') throw new ToolError('ETW is part of Windows only.', '');
  if ((name === 'package') !== (tarball !== undefined)) {
    throw new ToolError('A PACKAGE.tgz goes with the recorder "package", and with no other.', '');
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (recorder.cancel !== undefined) sayUnlessItFails(recorder.cancel);
  const installed = tarball === undefined ? checkout : install(tarball);
  const { failure, heard, stats, status } = JSON.parse(record(recorder, installed));
  console.log(JSON.stringify({ stats, status }));
  if (failure !== undefined) throw new ToolError(failure, '');
  if (recorder.watch === undefined) say([process.execPath, installed.cli, 'stats', recordedFile()]);
  const expected = heard.map((event) => ({ ...event, keywords: BigInt(event.keywords) }));
  const problems = recordingProblems(expected, await (recorder.decode ?? tracerptEvents)());
  problems.push(...((await recorder.check?.()) ?? []));
  if (Object.keys(stats.dropped).length > 0) problems.push(`Dropped: ${JSON.stringify(stats.dropped)}.`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    process.exitCode = 1;
  } else {
    console.log(`${name} recorded all ${expected.length} events, with every field and activity.`);
  }
} catch (error) {
  report(error);
}
