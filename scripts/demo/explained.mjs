// The demo's second half: records a server with `tracewright collect`, as a user would, asks `tracewright explain` why
// requests were slow, and writes the report.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

export const command = join(import.meta.dirname, '../../dist/cjs/cli.cjs');
export const auto = pathToFileURL(join(import.meta.dirname, '../../dist/cjs/auto.mjs')).href;
export const application = join(import.meta.dirname, 'slow-app.mjs');

/** One request each; the export comes in the middle of the others. */
export async function sendRequests(address) {
  const answers = [];
  for (let user = 1; user <= 12; user++) {
    answers.push(fetched(`${address}/user/${user}`));
    if (user === 6) answers.push(fetched(`${address}/export`));
    await delay(5);
  }
  await Promise.all(answers);
}

async function fetched(url) {
  const [response] = await once(get(url, { agent: false }), 'response');
  response.resume();
  await once(response, 'end');
}

export function tracewright(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tracewright ${args[0]} ended with exit status ${status}:\n${stderr}`);
  return stdout;
}

export async function recordSlowServer(trace, rounds = 1) {
  const child = spawn(
    process.execPath,
    [command, 'collect', '-o', trace, '--', process.execPath, '--import', auto, application],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'exit');
  const [first] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])]);
  for (let round = 0; round < rounds && String(first).startsWith('http'); round++) {
    await sendRequests(String(first).trim());
  }
  child.stdin.end();
  const [status] = await ended;
  if (status !== 0) throw new Error(`tracewright collect ended with exit status ${status}:\n${errors}`);
}

/** Prints why a request was slow, where its report is, and what to try next. */
export async function explainSlowServer() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-demo-'));
  const [trace, report] = [join(folder, 'slow-app.nettrace'), join(folder, 'report.html')];
  await recordSlowServer(trace);
  console.log(`\nWhy was a request slow? tracewright explain ${trace}\n`);
  console.log(tracewright('explain', '--slowest', '2', trace).trimEnd());
  console.log(`\nIts tree: tracewright view ${trace} --slowest 1\n`);
  console.log(tracewright('view', trace, '--slowest', '1').trimEnd());
  tracewright('report', trace, '-o', report);
  console.log(`\nThe report: ${report}\n\nNext, with an application of yours:
  npm install tracewright
  npx tracewright collect -- node --import tracewright/auto app.mjs
  npx tracewright explain`);
}
