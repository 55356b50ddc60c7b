/** macOS, as far as Linux can play it: its name, no /proc, no addon. Everything but a tracer works there. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { collectTracing2 } from '../diagnostics/server/byte-messages.ts';
import { linuxOnly, named } from '../platforms.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const preload = fileURLToPath(new URL('darwin.cjs', import.meta.url));
const notHere = linuxOnly('what the test takes away');

const PROGRAM = `
  import { defineEventSource, event } from 'tracewright';
  const log = defineEventSource('Mac-App', { Ping: event({ n: 'int32' }) });
  console.log(log.status.backend);
  let n = 0;
  const timer = setInterval(() => log.Ping({ n: n++ }), 5);
  process.stdin.on('end', () => clearInterval(timer)).resume();`;

describe.skipIf(notHere !== undefined)(named('on macOS', notHere), () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const cli = ['node_modules/tracewright/dist/cjs/cli.cjs'];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-'));
    const installed = join(folder, 'node_modules/tracewright');
    for (const part of ['package.json', 'dist/cjs']) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    for (const name of ['yauzl', 'fzstd']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    }
    writeFileSync(join(folder, 'app.mjs'), PROGRAM);
    env = { ...process.env, TMPDIR: folder, NODE_OPTIONS: `--require ${preload}` };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, args, { cwd: folder, env: { ...env, ...more }, encoding: 'utf8', input: '' });
  const sockets = () => readdirSync(folder).filter((name) => name.startsWith('dotnet-diagnostic-'));

  async function countIn(file: string, counted = 'Ping'): Promise<number> {
    let count = 0;
    for await (const { name } of await openTrace(join(folder, file))) if (name === counted) count++;
    return count;
  }

  it('a process has a private socket, which tools find by its name and use', async () => {
    const args = ['--import', 'tracewright/diagnostics/register', 'app.mjs'];
    const app = spawn(process.execPath, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const [backend] = await once(app.stdout, 'data');
      expect(String(backend)).toBe('none\n');
      const [socket = ''] = sockets();
      expect(socket).toMatch(new RegExp(`^dotnet-diagnostic-${app.pid}-\\d{10}-socket$`));
      expect(statSync(join(folder, socket)).mode & 0o777).toBe(0o600);
      const listed = run([...cli, 'ps', '--json']);
      expect(JSON.parse(listed.stdout)).toMatchObject({ processId: app.pid });
      const pid = String(app.pid);
      const collected = run([...cli, 'collect', '-p', pid, '--duration', '300ms', '-o', 'port.nettrace']);
      expect(collected.status, collected.stderr).toBe(0);
      expect(await countIn('port.nettrace')).toBeGreaterThan(5);
      const ended = once(app, 'exit');
      app.stdin.end();
      expect(await ended).toEqual([0, null]);
      expect(sockets()).toEqual([]);
    } finally {
      app.kill();
    }
  });

  it('a command is collected until it ends, and record does the same', async () => {
    const program = join(folder, 'short.mjs');
    writeFileSync(program, `${PROGRAM}\nfor (let i = 0; i < 100; i++) log.Ping({ n: i });`);
    const collect = run([...cli, 'collect', '-o', 'own.nettrace', '--', process.execPath, 'short.mjs']);
    expect(collect.status, collect.stderr).toBe(0);
    expect(await countIn('own.nettrace')).toBeGreaterThanOrEqual(100);
    const record = run([...cli, 'record', '-o', 'record.nettrace', '--', process.execPath, 'short.mjs']);
    expect(record.stderr).toContain('There is no tracer for user_events on darwin. ');
    expect(await countIn('record.nettrace')).toBeGreaterThanOrEqual(100);
  });

  it('a process that exits sends what a socket cannot hold, as long as its client reads', async () => {
    const program = `${PROGRAM}
      const text = 'x'.repeat(100);
      const burst = defineEventSource('Mac-Burst', { Hit: event({ n: 'int32', text: 'string' }) });
      setInterval(() => {
        if (!burst.Hit.enabled) return;
        for (let n = 0; n < 3000; n++) burst.Hit({ n, text });
        process.exit(3);
      }, 5);`;
    writeFileSync(join(folder, 'burst.mjs'), program);
    const args = ['-o', 'burst.nettrace', '--', process.execPath, 'burst.mjs'];
    const collect = run([...cli, 'collect', ...args]);
    expect(collect.status, collect.stderr).toBe(3);
    expect(await countIn('burst.nettrace', 'Hit')).toBe(3000);
  });

  it('a process that exits does not wait for a client that reads nothing', async () => {
    const program = `
      import { connect } from 'node:net';
      import { defineEventSource, event } from 'tracewright';
      import { enableDiagnostics } from 'tracewright/diagnostics';
      const log = defineEventSource('Mac-Burst', { Hit: event({ text: 'string' }) });
      const socket = connect(enableDiagnostics().address).pause();
      socket.write(Buffer.from('${collectTracing2({ name: 'Mac-Burst', level: 5 }).toString('base64')}', 'base64'));
      const text = 'x'.repeat(100);
      setInterval(() => {
        if (!log.Hit.enabled) return;
        for (let n = 0; n < 20_000; n++) log.Hit({ text });
        process.exit(3);
      }, 5);`;
    writeFileSync(join(folder, 'unread.mjs'), program);
    const begun = performance.now();
    const { status, stderr } = run(['unread.mjs']);
    expect(status, stderr).toBe(3);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('what needs a tracer says so in a sentence', () => {
    const refused = (...args: string[]) => {
      const { status, stdout, stderr } = run([...cli, ...args]);
      expect({ status: status !== 0, stdout }).toEqual({ status: true, stdout: '' });
      return stderr;
    };
    expect(refused('sessions')).toMatch(/Only Linux and Windows have sessions and providers to list/);
    expect(refused('live', '--', 'x')).toMatch(
      /Recording works only on Linux and Windows, and this is darwin; "tracewright collect" and/,
    );
    expect(refused('record', '--cpu', '--', 'x')).toMatch(/--cpu is supported only on Linux and Windows/);
  });

  it('a socket path of more than 103 bytes is a warning, and the program runs', () => {
    const long = join(folder, 'x'.repeat(80));
    mkdirSync(long);
    const args = ['--import', 'tracewright/diagnostics/register', 'app.mjs'];
    const { status, stdout, stderr } = run(args, { TMPDIR: long });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'none\n' });
    expect(stderr).toContain('The path of a socket can have at most 103 bytes');
    // The command's own socket is then elsewhere.
    const collected = run([...cli, 'collect', '-o', 'long.nettrace', '--', process.execPath, 'app.mjs'], {
      TMPDIR: long,
    });
    expect(collected.status, collected.stderr).toBe(0);
    expect(existsSync(join(folder, 'long.nettrace'))).toBe(true);
  });

  it('a worker thread has no port, and changes no umask, which would throw there', () => {
    const program = `
      import { isMainThread, Worker } from 'node:worker_threads';
      import { enableDiagnostics } from 'tracewright/diagnostics';
      if (isMainThread) new Worker(new URL(import.meta.url));
      else console.log(enableDiagnostics().problem);`;
    writeFileSync(join(folder, 'worker.mjs'), program);
    expect(run(['worker.mjs'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: 'A worker thread has no diagnostic port: the main thread opens the one of the process.\n',
    });
  });
});
