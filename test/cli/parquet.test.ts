/** `--parquet` as a user types it, on the built package: what is in the folder, at the end and meanwhile. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { folder, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { askDuckDb, filesOf } from '../export/parquet/parquet-folder.ts';
import { command, run } from './fake-target.ts';

const WRITES = fileURLToPath(new URL('programs/writes.mjs', import.meta.url));
const NODE = process.execPath;
const PROVIDER = ['--provider', 'Collected-Service'];

useFakeProcesses();

const lake = () => join(folder.path, 'lake');
const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

async function numbers(): Promise<number[]> {
  const sql = `SELECT (payload->>'number')::INT AS number FROM $events WHERE provider = 'Collected-Service' ORDER BY ts_ns, number`;
  return (await askDuckDb(lake(), sql)).map((row) => row.number as number);
}

describe('collect --parquet', () => {
  it('writes all events of a process, under its name', async () => {
    const { status, stderr } = await run('collect', '--parquet', 'lake', ...PROVIDER, '--', NODE, WRITES);
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/\nCollected 10\d events into 7 files in lake\.\n$/),
    });
    expect(await numbers()).toEqual(upTo(100));
    const [row] = await askDuckDb(lake(), 'SELECT DISTINCT service FROM $events');
    expect(row).toEqual({ service: 'writes.mjs' });
    expect(readdirSync(lake()).sort()).toEqual(
      ['activities', 'events', 'losses', 'processes', 'samples', 'stacks', 'threads'].sort(),
    );
  });

  it('has complete files while it runs, which stay when it is killed, and no others', async () => {
    const options = ['--parquet', 'lake', '--parquet-every', '0.2', '--service', '../a=b', ...PROVIDER];
    const collect = command('collect', ...options, '--', NODE, WRITES, 'wait');
    await vi.waitFor(() => expect(filesOf(lake(), 'events').length).toBeGreaterThan(2), { timeout: 20_000 });
    // Of files being written.
    await vi.waitFor(() => expect(filesOf(lake(), '.partial')).not.toEqual([]), { timeout: 20_000 });
    collect.kill();
    const [writer] = await askDuckDb(lake(), 'SELECT DISTINCT pid FROM $events');
    process.kill(Number(writer?.pid));
    await collect.end();
    const written = await numbers();
    expect(written.length).toBeGreaterThanOrEqual(100);
    expect(written).toEqual(upTo(written.length));
    const [row] = await askDuckDb(lake(), 'SELECT DISTINCT service FROM $events');
    expect(row).toEqual({ service: '../a=b' });
    expect(filesOf(lake(), '.partial')).not.toEqual([]);
  });

  it.each([
    [['-o', 'a'], '--parquet writes no single file: --output cannot be given.'],
    [['--otlp', 'http://localhost:4318'], '--otlp and --parquet cannot be given together.'],
    [['--parquet-every', '0'], '--parquet-every takes a duration such as 10s or 500ms, not "0".'],
    [['--parquet-size', 'x'], '--parquet-size takes a size such as 64MB or 512KiB, not "x".'],
  ])('refuses %j', async (args, sentence) => {
    const { status, stderr } = await run('collect', '--parquet', 'lake', ...args, '-p', '1');
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(sentence) });
  });
});
