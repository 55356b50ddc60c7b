import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTrace, TraceError } from '../../lib/trace/index.ts';
import { bufferBytes, etlBytes } from '../wire/etl/etl-bytes.ts';
import { at } from './etl/read-etl.ts';
import { zipArchive } from './source/zip-archive.ts';

const bytes = etlBytes([bufferBytes([at(10), at(20)]), bufferBytes([at(15)])]);
/** Ends inside the first record of the last buffer. */
const cut = bytes.subarray(0, etlBytes([bufferBytes([at(10), at(20)])]).length + 100);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracewright-open-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function* inPieces(all: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < all.length; start += 100) yield all.subarray(start, start + 100);
}

async function idsOf(input: Parameters<typeof openTrace>[0]): Promise<number[]> {
  const ids: number[] = [];
  for await (const event of await openTrace(input)) ids.push(event.id);
  return ids;
}

describe('a trace', () => {
  it('can be a path, a URL, bytes, or a stream of them', async () => {
    const path = join(folder, 'trace');
    await writeFile(path, bytes);
    for (const input of [path, pathToFileURL(path), bytes, inPieces(bytes)]) {
      expect(await idsOf(input)).toEqual([10, 15, 20]);
    }
  });

  it('can be compressed, and compressed again', async () => {
    expect(await idsOf(gzipSync(bytes))).toEqual([10, 15, 20]);
    expect(await idsOf(zipArchive({ 'trace.etl.gz': gzipSync(bytes) }))).toEqual([10, 15, 20]);
  });

  it('describes itself before its events', async () => {
    const trace = await openTrace(bytes);
    expect(trace.info).toMatchObject({ format: 'etl', hasWallTime: true });
    expect(trace.name).toBe('the given bytes');
    expect(trace.bytesRead).toBe(0);
    await trace.close();
  });

  it('can be read only once', async () => {
    const trace = await openTrace(bytes);
    for await (const _ of trace.batches());
    await expect(trace.batches().next()).rejects.toThrow(
      'the given bytes has already been read: open it again to read it again.',
    );
  });

  it('leaves nothing open or behind if it is closed halfway', async () => {
    const spooled = () => readdirSync(tmpdir()).filter((name) => /^tracewright-.*\.tmp$/.test(name));
    const before = spooled();
    for await (const _ of await openTrace(gzipSync(bytes))) break;
    const trace = await openTrace(inPieces(bytes));
    expect(spooled().length).toBe(before.length + (process.platform === 'win32' ? 1 : 0));
    await trace.close();
    expect(spooled()).toEqual(before);
  });
});

describe('a damaged trace', () => {
  it('delivers what precedes its damage, then throws', async () => {
    const ids: number[] = [];
    const read = async () => {
      for await (const event of await openTrace(cut)) ids.push(event.id);
    };
    await expect(read()).rejects.toBeInstanceOf(TraceError);
    expect(ids).toEqual([10, 20]);
  });

  it('only ends there on request, and says why', async () => {
    const trace = await openTrace(cut, { onDamage: 'warning' });
    const ids: number[] = [];
    for await (const event of trace) ids.push(event.id);
    expect(ids).toEqual([10, 20]);
    expect(trace.problem).toMatchObject({ code: 'truncated', offset: expect.any(Number) });
  });

  it('is rejected at once if not even its head can be read', async () => {
    await expect(openTrace(bytes.subarray(0, 130))).rejects.toMatchObject({ name: 'TraceError' });
  });
});

describe('an event', () => {
  it('shows everything it has, in JSON and in the console', async () => {
    for await (const event of await openTrace(bytes)) {
      const shown = JSON.parse(JSON.stringify(event));
      expect(shown).toMatchObject({
        id: 10,
        keywords: expect.stringMatching(/^0x/),
        timestamp: expect.any(String),
      });
      expect(Object.values(shown)).not.toContain(null);
      expect(inspect(event)).toContain('keywords:');
      break;
    }
  });
});
