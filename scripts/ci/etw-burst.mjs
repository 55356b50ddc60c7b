// `node etw-burst.mjs losses|boundary`: what ETW refuses or loses is counted, and nothing else is missing. Starts a
// session by logman, writes, stops it and reads the file. As administrator, on Windows; the checkout set up.
//
//   losses    two buffers of 4 KiB, and events faster than they can be written: written = in the file + lost
//   boundary  events around ETW's 64 KiB, in a session with room for them: each is in the file, or counted
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { openTrace } from '../../dist/trace/open-trace.js';
import { report, run, ToolError } from '../lib/run.mjs';

const [name] = process.argv.slice(2);
const folder = join(import.meta.dirname, '../../build/etw', String(name));
const file = join(folder, 'trace.etl');
const session = 'tracewright-ci-burst';
const WAIT_MILLISECONDS = 30_000;
const LARGEST = 65_535;
const SIZES = 406;

const cases = {
  losses: {
    buffers: ['-bs', '4', '-nb', '2', '2'],
    write: (log) => {
      for (let number = 0; number < 500_000; number++) log.Text({ number, text: 'x'.repeat(100) });
    },
  },
  boundary: {
    buffers: ['-bs', '1024', '-nb', '16', '64'],
    write: (log) => {
      for (let size = 0; size < SIZES; size++)
        log.Text({ number: size, text: 'x'.repeat(LARGEST - 400 + size) });
    },
  },
};

function logman(...args) {
  console.log(run('logman', [...args, '-ets'], { timeout: WAIT_MILLISECONDS }).trim());
}

async function untilEnabled(isEnabled) {
  const end = Date.now() + WAIT_MILLISECONDS;
  while (!isEnabled()) {
    if (Date.now() > end) throw new ToolError('No session has enabled the provider.', '');
    await sleep(10);
  }
}

try {
  const chosen = cases[name];
  if (chosen === undefined) throw new ToolError(`"${name}" is none of ${Object.keys(cases).join(', ')}.`, '');
  if (process.platform !== 'win32') throw new ToolError('ETW is part of Windows only.', '');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const log = defineEventSource('Tracewright-Burst', { Text: event({ number: 'uint32', text: 'string' }) });
  logman('start', session, '-p', `{${log.guid}}`, '0xffffffffffffffff', '0x5', '-o', file, ...chosen.buffers);
  try {
    await untilEnabled(() => log.Text.enabled);
    chosen.write(log);
  } finally {
    logman('stop', session);
  }
  const { written, dropped } = log.stats();
  const trace = await openTrace(file);
  let found = 0;
  let largest = 0;
  for await (const { provider, payload } of trace) {
    if (provider !== 'Tracewright-Burst') continue;
    found++;
    largest = Math.max(largest, String(payload.text).length);
  }
  const { lostEvents: lost, lostBuffers } = trace;
  console.log(JSON.stringify({ written, dropped, found, lost, lostBuffers, largest }));
  const problems = [];
  // ETW reported to the writer what it had no buffer for (noFreeBuffers), or counted it in the file.
  if (written < found) problems.push(`${found} events are in the file, and ${written} were written.`);
  // A lost buffer contained an unknown number of events.
  if (written > found + lost && lostBuffers === 0) {
    problems.push(`Of ${written} events ${found} are in the file, and only ${lost} are counted as lost.`);
  }
  if (name === 'losses' && written === found && dropped.noFreeBuffers === undefined) {
    problems.push('Nothing was lost, so nothing is proven: write faster.');
  }
  if (name === 'boundary' && (dropped.tooLarge ?? 0) === 0) problems.push('No event was too large.');
  if (
    name === 'boundary' &&
    written + Object.values(dropped).reduce((sum, count) => sum + count, 0) !== SIZES
  ) {
    problems.push('An event was neither written nor counted.');
  }
  if (problems.length > 0) throw new ToolError(problems.join('\n'), '');
} catch (error) {
  report(error);
}
