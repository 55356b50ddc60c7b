/** Runs the guide's example as documented. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../child/free-port.mjs';

const root = join(import.meta.dirname, '../..');
const command = join(root, 'dist/cjs/cli.cjs');
const [, example = ''] =
  /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, 'docs/automatic-activities.md'), 'utf8')) ?? [];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-guide-'));
  mkdirSync(join(folder, 'node_modules'));
  const installed = join(folder, 'node_modules/tracewright');
  symlinkSync(root, installed, 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(folder, 'app.mjs'), example);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function fetched(url: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(url)).text();
    } catch {
      await delay(50);
    }
  }
}

it('the guide shows the output of its example', async () => {
  const port = await freePort();
  const program = ['--', process.execPath, '--import', 'tracewright/auto', 'app.mjs'];
  const collect = spawn(
    process.execPath,
    [command, 'collect', '--provider', 'Node.Http', '-o', 'app.nettrace', ...program],
    { cwd: folder, env: { ...process.env, PORT: String(port) }, stdio: 'ignore' },
  );
  const ended = once(collect, 'exit');
  expect(await fetched(`http://127.0.0.1:${port}/`)).toMatch(/^It is \d{4}-.*Z\.\n$/);
  collect.kill('SIGINT');
  await ended;
  const { stdout } = spawnSync(process.execPath, [command, 'view', 'app.nettrace'], { cwd: folder });
  const names = stdout
    .toString()
    .split('\n')
    .map((line) => /\d {2}( *\w+\(.*\))$/.exec(line)?.[1]?.replace(/#\d+/, '#PID'));
  expect(names.filter((name) => name !== undefined)).toEqual([
    'Request(/#PID/1/1/,/pathAndQuery=/)',
    '  ClientRequest(/#PID/1/1/1/,/pathAndQuery=/time)',
    '    Request(/#PID/1/2/,/pathAndQuery=/time)',
  ]);
});
