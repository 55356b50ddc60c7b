/** What a small trace makes its reader retain is bounded, whatever it contains. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { BOMBS, compressed } from './bombs.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-bombs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** JavaScript's heap while it reads: less than any of them would take. */
const HEAP_MB = 640;

interface Read {
  readonly events: number;
  readonly problem?: string;
  readonly error?: string;
}

function readOf(name: string): Read {
  const path = join(folder, `${name.replaceAll(' ', '-')}.nettrace.gz`);
  writeFileSync(path, compressed((BOMBS[name] as () => Buffer)()));
  const program = join(import.meta.dirname, 'read-all.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, program, path],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as Read;
}

const PAYLOAD_PROBLEM = /^Field ".*" cannot be read: The event has more values than fit into its \d+ bytes\./;

it.each([
  ['arrays of empty structs', 8_001, PAYLOAD_PROBLEM],
  ['fixed arrays of empty structs', 8_001, PAYLOAD_PROBLEM],
  ['arrays of arrays of nothing', 8_001, PAYLOAD_PROBLEM],
  ['fields without bytes', 8_001, PAYLOAD_PROBLEM],
  ['arrays that stand upon each other', 101, /Its arrays overlap\./],
])('%s are abandoned, and their events kept', { timeout: 180_000 }, (name, events, problem) => {
  expect(readOf(name)).toEqual({ events, problem: expect.stringMatching(problem) });
});

it('events of one compressed packet are read a part at a time', { timeout: 180_000 }, () => {
  expect(readOf('compressed packets')).toEqual({ events: 700_001 });
});

it('structs of one byte are read', { timeout: 180_000 }, () => {
  expect(readOf('structs of one byte')).toEqual({ events: 21 });
});

it.each([
  ['more events than a block may have', /^A block has more than 2000000 events\./],
  ['blocks that wait', /^More than 512 MB of blocks have events that are waiting/],
  ['interned names', /^The trace has names and stacks of more than 256 MB\./],
  ['threads', /^The threads of the trace exceed the limit of 512 MB\./],
  ['label lists', /^The label lists of the trace exceed the limit/],
  ['stacks', /^The stacks of the trace exceed the limit/],
  ['metadata', /^The metadata of the trace exceed the limit/],
])('%s end the trace with a sentence', { timeout: 180_000 }, (name, error) => {
  expect(readOf(name)).toMatchObject({ error: expect.stringMatching(error) });
});
