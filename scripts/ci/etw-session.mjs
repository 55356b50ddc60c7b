// `node etw-session.mjs [logman|wpr|tracewright]`: records etw-program.mjs with a session of Windows' own tools or of
// ours, has tracerpt decode the file, and checks every event, name, field and both activity ids. As administrator, on
// Windows; the checkout set up (npm run setup). The files stay in build/etw, to be looked at when something is missing.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { providerGuid } from '../../dist/wire/provider-guid.js';
import { report, run, ToolError } from '../lib/run.mjs';
import { parseTracerpt, recordingProblems, tracerptText } from './tracerpt-xml.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'build/etw');
const file = join(folder, 'trace.etl');
const xmlFile = join(folder, 'trace.xml');
const session = 'tracewright-ci';
const providerName = 'MyCompany-MyService';
const provider = `{${providerGuid(providerName)}}`;
const program = [process.execPath, join(import.meta.dirname, 'etw-program.mjs')];
const tracewright = [process.execPath, join(root, 'dist/cli/main.js')];

/** All keywords, level Verbose. Each starts a session and stops it, or runs the program itself. */
const recorders = {
  logman: {
    start: ['logman', 'start', session, '-p', provider, '0xffffffffffffffff', '0x5', '-o', file, '-ets'],
    stop: ['logman', 'stop', session, '-ets'],
  },
  wpr: {
    start: ['wpr', '-start', `${join(root, 'docs/tracewright.wprp')}!tracewright`, '-filemode'],
    stop: ['wpr', '-stop', file, '-skipPdbGen'],
  },
  tracewright: {
    run: [...tracewright, 'record', '-o', file, '--provider', providerName, '--'],
    stop: ['logman', 'stop', 'tracewright', '-ets'],
  },
};

function say(command) {
  console.log(command.join(' '));
  console.log(run(command[0], command.slice(1)).trim());
}

/** Ends a session that an earlier, broken run has left. */
function sayUnlessItFails(command) {
  try {
    say(command);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
}

/** @returns what the program has printed */
function record({ start, stop, run: recorder = [] }) {
  const [command, ...args] = [...recorder, ...program];
  if (start === undefined) return run(command, args, { cwd: root });
  say(start);
  try {
    return run(command, args, { cwd: root });
  } finally {
    say(stop);
  }
}

function recordedFile() {
  const name = readdirSync(folder).find((entry) => entry.endsWith('.etl'));
  if (name === undefined) throw new ToolError(`There is no .etl file in ${folder}.`, '');
  return join(folder, name);
}

try {
  const [name = 'logman'] = process.argv.slice(2);
  const recorder = recorders[name];
  if (recorder === undefined) {
    throw new ToolError(`"${name}" is none of ${Object.keys(recorders).join(', ')}.`, '');
  }
  if (process.platform !== 'win32') throw new ToolError('ETW is part of Windows only.', '');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  sayUnlessItFails(name === 'wpr' ? ['wpr', '-cancel'] : recorder.stop);
  const { failure, heard, stats, status } = JSON.parse(record(recorder));
  console.log(JSON.stringify({ stats, status }));
  if (failure !== undefined) throw new ToolError(failure, '');
  say([...tracewright, 'stats', recordedFile()]);
  say(['tracerpt', recordedFile(), '-o', xmlFile, '-of', 'XML', '-en', 'Unicode', '-y']);
  const recorded = parseTracerpt(tracerptText(readFileSync(xmlFile)));
  const expected = heard.map((event) => ({ ...event, keywords: BigInt(event.keywords) }));
  const problems = recordingProblems(expected, recorded);
  if (Object.keys(stats.dropped).length > 0) problems.push(`Dropped: ${JSON.stringify(stats.dropped)}.`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    const events = tracerptText(readFileSync(xmlFile)).match(/<Event\s[^>]*>.*?<\/Event>/gs) ?? [];
    console.error(`What tracerpt wrote begins with:\n${events.slice(0, 4).join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(`${name} recorded all ${expected.length} events, with every field and activity.`);
  }
} catch (error) {
  report(error);
}
