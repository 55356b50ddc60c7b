// `node record.mjs FILE`: records the demo's application with perf into FILE, on a kernel with user_events. Prints what
// the application says about its events, as JSON.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const server = spawn(process.execPath, [join(import.meta.dirname, 'recorded-server.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();

async function nextLine() {
  const { value, done } = await lines.next();
  if (done) throw new Error('The application ended before it was recorded.');
  return JSON.parse(value);
}

/**
 * Resolves when perf has ended, which it does with the process that it records.
 * @returns {Promise<void>}
 */
function recordWithPerf(tracepoints) {
  const events = tracepoints.flatMap((tracepoint) => ['-e', `user_events:${tracepoint}`]);
  const perf = spawn('perf', ['record', '--quiet', ...events, '-p', `${server.pid}`, '-o', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let problem = '';
  perf.stderr.on('data', (text) => {
    problem += text;
  });
  return new Promise((resolve, reject) => {
    perf.on('error', (error) => reject(new Error(`perf could not be started (${error.message}).`)));
    perf.on('close', (status) => {
      if (status === 0) resolve();
      else
        reject(new Error(`perf record failed: ${/^Error:\s*(.+)$/m.exec(problem)?.[1] ?? problem.trim()}.`));
    });
  });
}

try {
  const { tracepoints, reason } = await nextLine();
  if (reason !== undefined) throw new Error(reason);
  const [stats] = await Promise.all([nextLine(), recordWithPerf(tracepoints)]);
  console.log(JSON.stringify(stats));
} catch (error) {
  server.kill();
  console.error(error.message);
  process.exitCode = 1;
}
