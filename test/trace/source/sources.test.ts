import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CHUNK_SIZE, HEAD_SIZE, type OpenedSource } from '../../../lib/trace/byte-source.ts';
import { openFile } from '../../../lib/trace/source/file-source.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import { openStream } from '../../../lib/trace/source/stream-source.ts';
import { missingOnWindows, named } from '../../platforms.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

const contents = Buffer.alloc(2 * CHUNK_SIZE + 12_345, 'all kinds of bytes ');
const path = join(folder, 'trace');
writeFileSync(path, contents);

async function* inPieces(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < contents.length; at += size) yield contents.subarray(at, at + size);
}

const SOURCES: Readonly<Record<string, () => Promise<OpenedSource>>> = {
  'a file': () => openFile(path),
  memory: async () => new MemorySource(contents),
  'a stream of small pieces': () => openStream(inPieces(1000), 'a stream'),
  'a stream of one piece': () => openStream(inPieces(contents.length), 'a stream'),
};

describe.each(Object.entries(SOURCES))('%s', (_, open) => {
  it('shows its head and then delivers all bytes from the start', async () => {
    const source = await open();
    expect(Buffer.from(source.head)).toEqual(contents.subarray(0, HEAD_SIZE));
    const pieces: Uint8Array[] = [];
    for await (const piece of source.chunks()) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(contents)).toBe(true);
    await source.close();
  });

  it('delivers any part, and less at the end', async () => {
    const source = await open();
    const bytes = await source.seekable();
    expect(bytes.size).toBe(contents.length);
    expect(Buffer.from(await bytes.read(CHUNK_SIZE - 3, 6))).toEqual(
      contents.subarray(CHUNK_SIZE - 3, CHUNK_SIZE + 3),
    );
    expect((await bytes.read(contents.length - 10, 100)).length).toBe(10);
    expect((await bytes.read(contents.length + 10, 100)).length).toBe(0);
    await source.close();
    await source.close();
  });
});

describe('a stream', () => {
  it('is closed when reading is abandoned', async () => {
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(100);
      } finally {
        isClosed = true;
      }
    }
    const source = await openStream(endless(), 'endless');
    for await (const _ of source.chunks()) break;
    expect(isClosed).toBe(true);
  });

  it('may be shorter than a head', async () => {
    const source = await openStream((async function* () {})(), 'nothing');
    expect(source.head.length).toBe(0);
  });
});

describe.skipIf(missingOnWindows('FIFOs') !== undefined)(named('a path', missingOnWindows('FIFOs')), () => {
  it('can be a pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    createWriteStream(pipe).end(contents);
    const source = await openFile(pipe);
    expect(source.size).toBeUndefined();
    let length = 0;
    for await (const piece of source.chunks()) length += piece.length;
    expect(length).toBe(contents.length);
  });

  it("that cannot be opened fails with the system's error", async () => {
    await expect(openFile(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
