/** A session's file under load: waiting chunks are written together. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { FileOutput } from '../../lib/eventpipe/file-output.ts';

/** Of each call of the file system, the parts that it was given. */
const calls = vi.hoisted<number[]>(() => []);

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const writev = (...args: Parameters<typeof fs.writev>) => {
    calls.push(args[1].length);
    return fs.writev(...args);
  };
  return { ...fs, writev };
});

const folder = mkdtempSync(join(tmpdir(), 'tracewright-file-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pieces = Array.from({ length: 300 }, (_, i) => Buffer.from(`${i},`.repeat(i + 1)));
const startOf = (index: number): number =>
  pieces.slice(0, index).reduce((size, { length }) => size + length, 0);

it('writes the chunks that arrived during the previous write in one call, up to a limit', async () => {
  const path = join(folder, 'a');
  const output = new FileOutput(path, (problem) => expect.fail(problem));
  for (const [i, piece] of pieces.entries()) output.write([piece], startOf(i));
  await output.end();
  expect(calls).toEqual([1, 256, 43]);
  expect(readFileSync(path)).toEqual(Buffer.concat(pieces));
  expect(output.pendingBytes).toBe(0);
  expect(output.writtenBytes).toBe(Buffer.concat(pieces).length);
});

it('contains each byte once if it is drained during a write', async () => {
  const path = join(folder, 'b');
  const output = new FileOutput(path, (problem) => expect.fail(problem));
  for (const [i, piece] of pieces.slice(0, 50).entries()) output.write([piece], startOf(i));
  output.drain();
  expect(readFileSync(path)).toEqual(Buffer.concat(pieces.slice(0, 50)));
  for (const [i, piece] of pieces.slice(50).entries()) output.write([piece], startOf(50 + i));
  await output.end();
  expect(readFileSync(path)).toEqual(Buffer.concat(pieces));
});
