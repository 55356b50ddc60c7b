import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningCommand } from './run-tracewright.ts';

const AUTO = pathToFileURL(join(import.meta.dirname, '../../dist/cjs/auto.cjs')).href;
const PROGRAM = fileURLToPath(new URL('programs/slow-request.mjs', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'tracewright-empty-'));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-explain-'));
const run = (cwd: string, ...args: string[]) => new RunningCommand(args, { cwd }).end();

afterAll(() => {
  for (const each of [empty, folder]) rmSync(each, { recursive: true });
});

describe('explain', () => {
  beforeAll(async () => {
    const { status } = await run(folder, 'collect', '--', process.execPath, '--import', AUTO, PROGRAM);
    expect(status).toBe(0);
  }, 60_000);

  it('explains the newest recording of the folder, as collect writes it without options', async () => {
    const { status, stdout } = await run(folder, 'explain');
    expect(status).toBe(0);
    const [sentence, ...lines] = stdout.split('\n');
    expect(sentence).toMatch(
      /^GET \/busy\/:id took [\d.]+ ms\. For [\d.]+ ms its own code ran \((?:now, called by )?keepBusy in \S+\)/,
    );
    expect(lines[0]).toMatch(/^ +[\d.]+ ms {2}its own code/);
    expect(stdout).toMatch(/^1 activity together:$/m);
  });

  it('says why a flight recorder has written a file, and what was slow in it', async () => {
    const written = join(folder, 'flight');
    const options = { slow: { Request: 50 }, folder: written, providers: '*,Node.Runtime:20:0' };
    mkdirSync(written);
    const { status } = spawnSync(process.execPath, ['--import', AUTO, PROGRAM], {
      env: { ...process.env, TRACEWRIGHT_FLIGHT_RECORDER: JSON.stringify(options) },
    });
    expect(status).toBe(0);
    const { stdout } = await run(written, 'explain');
    const [reason, , sentence] = stdout.split('\n');
    expect(reason).toMatch(/^A flight recorder wrote this: Request took [\d.]+ ms\.$/);
    expect(sentence).toMatch(/^GET \/busy\/:id took [\d.]+ ms\. For [\d.]+ ms its own code ran\b/);
  });

  it('tells first of the request that had a flight recorder write the file', async () => {
    const written = join(folder, 'failed');
    const options = { slow: {}, failure: true, error: false, folder: written };
    mkdirSync(written);
    const failing = fileURLToPath(new URL('programs/failed-request.mjs', import.meta.url));
    const { status } = spawnSync(process.execPath, ['--import', AUTO, failing], {
      env: { ...process.env, TRACEWRIGHT_FLIGHT_RECORDER: JSON.stringify(options) },
    });
    expect(status).toBe(0);
    const { stdout } = await run(written, 'explain');
    const [reason, , sentence] = stdout.split('\n');
    expect(reason).toBe('A flight recorder wrote this: Request has failed.');
    expect(sentence).toMatch(/^GET \/broken took [\d.]+ ms and failed/);
    expect(stdout).toMatch(/^GET \/slow took/m);
  });

  it('reads the files of all processes that a recorded command has started', async () => {
    const started = join(folder, 'started');
    mkdirSync(started);
    const command = `require('child_process').spawnSync(process.execPath, ['--import', '${AUTO}', '${PROGRAM}'])`;
    expect(await run(started, 'collect', '--', process.execPath, '-e', command)).toMatchObject({ status: 0 });
    expect(readdirSync(started)).toHaveLength(2);
    const { stdout } = await run(started, 'explain');
    expect(stdout).toMatch(/^GET \/busy\/:id took/);
  });

  it.each(['view', 'report'])('shares its choice of the newest recording with %s', async (name) => {
    const options = name === 'report' ? ['-o', '-'] : [];
    const without = await run(folder, name, ...options);
    expect(without.status).toBe(0);
    const [trace = ''] = readdirSync(folder).filter((file) => file.endsWith('.nettrace'));
    expect(without).toEqual(await run(folder, name, ...options, trace));
    const { status, stderr } = await run(empty, name, ...options);
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${name} takes at least one file.`),
    });
  });

  it('needs a recording', async () => {
    const { status, stderr } = await run(empty, 'explain');
    expect(status).toBe(2);
    expect(stderr).toMatch(/explain takes at least one file\./);
  });

  it('says that there is no such activity, and which there are', async () => {
    const [trace = ''] = readdirSync(folder).filter((name) => name.endsWith('.nettrace'));
    const { status, stderr } = await run(folder, 'explain', '--name', 'Reqest', trace);
    expect(status).toBe(1);
    expect(stderr).toMatch(/has no activity Reqest that has ended\. Its activities are .*GET \/busy\/:id/);
  });

  it.each(['GET /busy/:id', 'get /busy/*', 'Request', 'node.http/request'])(
    'explains only activities with the name or route %s',
    async (name) => {
      const { stdout } = await run(folder, 'explain', '--name', name, '--slowest', '1');
      expect(stdout).toMatch(/^GET \/busy\/:id took/);
    },
  );
});

describe('explain of a running process', () => {
  let server: ChildProcess;
  beforeAll(async () => {
    const program = fileURLToPath(new URL('programs/serves-slowly.mjs', import.meta.url));
    server = spawn(process.execPath, ['--import', AUTO, program], {
      env: { ...process.env, TRACEWRIGHT_DIAGNOSTICS: '1' },
      stdio: 'ignore',
    });
    const isListed = async () => (await run(empty, 'ps')).stdout.includes(String(server.pid));
    while (!(await isListed())) expect(server.exitCode).toBe(null);
  }, 60_000);
  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
  });

  it('records it for a while, says why its requests are slow, and leaves no file', async () => {
    const { status, stdout } = await run(empty, 'explain', '-p', String(server.pid), '--duration', '4s');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^GET \/busy\/:id took [\d.]+ ms, usually [\d.]+ ms \(p50\), the slowest of \d+\. For [\d.]+ ms its own code/,
    );
    expect(readdirSync(empty)).toEqual([]);
    expect(server.exitCode).toBe(null);
  });

  it('answers programs, too', async () => {
    const { stdout } = await run(empty, 'explain', '-p', String(server.pid), '--duration', '2s', '--json');
    const { kinds, recorded } = JSON.parse(stdout);
    expect(kinds[0]).toMatchObject({ label: 'GET /busy/:id', failed: 0 });
    expect(kinds[0].p50MSec).toBeGreaterThan(59);
    expect(recorded).toMatchObject({ runs: true, losses: 0 });
  });

  it('takes no file besides, and no process that is not there', async () => {
    expect(await run(empty, 'explain', '-p', String(server.pid), 'a.nettrace')).toMatchObject({ status: 2 });
    const { status, stdout, stderr } = await run(empty, 'explain', '-p', '4194304');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/4194304/);
  });
});
