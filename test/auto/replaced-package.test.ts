/** A process that outlives the package's files, as a deployment replaces them, and is recorded after that. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-replaced-'));
  for (const each of ['package.json', 'dist/cjs', 'build/Release/tracewright.node']) {
    cpSync(join(root, each), join(folder, each), { recursive: true });
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
  import { rmSync } from 'node:fs';
  import { createRequire } from 'node:module';
  const require = createRequire(process.cwd() + '/app.js');
  require('./dist/cjs/auto.cjs');
  const { defineEventSource, event, EventListener } = require('./dist/cjs/index.cjs');
  const log = defineEventSource('Replaced', { Hit: event({ n: 'int32' }) });
  rmSync('dist', { recursive: true });
  const seen = [];
  new EventListener({
    onEventSourceCreated: (source, listener) => listener.enableEvents(source),
    onEventWritten: ({ payload }) => seen.push(payload.n),
  });
  log.Hit({ n: 1 });
  // A tracer of the system is looked for once a second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  log.Hit({ n: 2 });
  console.log(JSON.stringify(seen));
`;

it('goes on, and says what cannot be observed', () => {
  const args = ['--input-type=module', '-e', PROGRAM];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const warnings = stderr.split('\n').filter((line) => line.includes('TracewrightWarning'));
  expect({ status, stdout, warnings }).toEqual({
    status: 0,
    stdout: '[1,2]\n',
    warnings: [expect.stringMatching(/Automatic activities cannot be observed: Cannot find module/)],
  });
});
