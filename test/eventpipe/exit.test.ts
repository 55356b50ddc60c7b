/** A session that nobody stops: its file is complete anyway when the process exits. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readSession } from './session-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-exit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = join(import.meta.dirname, 'programs/exits.mjs');

it.each([
  ['comes to its end', 'end', 0],
  ['comes to its end with handlers that write events', 'busy', 0],
  ['exits', 'exit', 3],
  ['throws', 'throw', 1],
  ['ends a worker thread', 'worker', 0],
])('a process that %s completes the file', async (_, ending, code) => {
  const file = join(folder, `${ending}.nettrace`);
  const { status } = spawnSync(process.execPath, [program, file, ending], { timeout: 20_000 });
  expect(status).toBe(code);
  const { events } = await readSession(readFileSync(file));
  expect(events.length).toBe(50_000);
  expect(events.at(-1)?.payload.n).toBe(49_999);
});

it('events of later exit handlers are counted', () => {
  const file = join(folder, 'counted.nettrace');
  const { stdout } = spawnSync(process.execPath, [program, file, 'busy'], {
    timeout: 20_000,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ events: 50_000, dropped: 3 });
});

it.each(['drop', 'block'])(
  'a process that exits while its workers write has their events in the file (%s)',
  async (mode) => {
    const file = join(folder, `workers-${mode}.nettrace`);
    const exiting = join(import.meta.dirname, 'programs/exits-with-workers.mjs');
    const { status } = spawnSync(process.execPath, [exiting, file, mode], { timeout: 20_000 });
    expect(status).toBe(3);
    const { checked, events } = await readSession(readFileSync(file));
    const next = new Map<number | undefined, number>();
    for (const { threadId, payload } of events) {
      const n = Number(payload.n);
      const expected = next.get(threadId) ?? 0;
      if (mode === 'block' ? n !== expected : n < expected) throw new Error(`${n} instead of ${expected}`);
      next.set(threadId, n + 1);
    }
    expect(next.size).toBeGreaterThan(0);
    expect(events.length).toBeGreaterThan(1000);
    // Where nothing else is lost, that is what each of the three workers was writing when its thread ended.
    if (mode === 'block') expect(checked.dropped).toBeLessThanOrEqual(3);
  },
);
