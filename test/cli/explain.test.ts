import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

  it('needs a recording', async () => {
    const { status, stderr } = await run(empty, 'explain');
    expect(status).toBe(2);
    expect(stderr).toMatch(/explain takes at least one file\./);
  });

  it('says that there is no such activity, and which there are', async () => {
    const [trace = ''] = readdirSync(folder);
    const { status, stderr } = await run(folder, 'explain', '--name', 'Reqest', trace);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /has no activity Reqest that has ended\. Its activities are .*Node\.Http\/Request/,
    );
  });
});
