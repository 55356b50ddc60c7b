import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HEAD_SIZE, type OpenedSource } from '../../../lib/trace/byte-source.ts';
import { isGzip, openGzip } from '../../../lib/trace/source/gzip.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import { openStream } from '../../../lib/trace/source/stream-source.ts';
import { isZip, openZip } from '../../../lib/trace/source/zip.ts';
import { isZstd, openZstd } from '../../../lib/trace/source/zstd.ts';
import { zipArchive } from './zip-archive.ts';

const ZSTD = 'KLUv/WRAHoUAAEBOZXR0cmFjZQEANb++cAGJwZ4J';

/** Does not compress, and takes several pieces. */
let state = 1;
const contents = Buffer.from(
  Array.from({ length: 300_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  }),
);

async function allOf(source: OpenedSource): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.chunks()) pieces.push(piece);
  return Buffer.concat(pieces);
}

const spooled = () => readdirSync(tmpdir()).filter((name) => /^tracewright-.*\.tmp$/.test(name));

describe('a trace in gzip', () => {
  const archive = gzipSync(contents);

  it('is recognised by its first bytes, and read as what it contains', async () => {
    expect(isGzip(archive)).toBe(true);
    const source = await openGzip(new MemorySource(archive));
    expect(Buffer.from(source.head)).toEqual(contents.subarray(0, HEAD_SIZE));
    expect(await allOf(source)).toEqual(contents);
  });

  it('can be read at any position, from a temporary file that is gone when its process is', async () => {
    const before = spooled();
    const source = await openGzip(new MemorySource(archive));
    const bytes = await source.seekable();
    expect(bytes.size).toBe(contents.length);
    // Windows deletes it when it is closed; elsewhere it has no name any more.
    expect(spooled().length).toBe(before.length + (process.platform === 'win32' ? 1 : 0));
    expect(Buffer.from(await bytes.read(200_000, 5))).toEqual(contents.subarray(200_000, 200_005));
    expect((await bytes.read(contents.length - 2, 100)).length).toBe(2);
    await source.close();
    expect(spooled()).toEqual(before);
  });

  it('is not unpacked into a file without limits', async () => {
    const before = spooled();
    const source = await openStream(new MemorySource(contents).chunks(), 'a bomb', async () => {}, 100_000);
    await expect(source.seekable()).rejects.toThrow(
      'a bomb decompresses to more than the 100000 bytes allowed for a temporary file: decompress it to a file yourself, and open that.',
    );
    expect(spooled()).toEqual(before);
  });

  it('delivers what precedes its damage, then says how far it got', async () => {
    const source = await openGzip(new MemorySource(archive.subarray(0, archive.length / 2)));
    let length = 0;
    const read = async () => {
      for await (const piece of source.chunks()) length += piece.length;
    };
    await expect(read()).rejects.toMatchObject({ name: 'TraceError', code: 'truncated' });
    expect(length).toBeGreaterThan(100_000);
  });
});

describe('a trace in Zstandard', () => {
  /** What zstd 1.5.4 makes of "Nettrace" 1000 times, with a checksum. */
  const archive = Buffer.from(ZSTD, 'base64');
  const text = Buffer.from('Nettrace'.repeat(1000));

  it.each([
    ['one frame', archive, text],
    ['several frames', Buffer.concat([archive, archive]), Buffer.concat([text, text])],
  ])('is recognised by its first bytes, and read: %s', async (_, bytes, expected) => {
    expect(isZstd(bytes)).toBe(true);
    expect(await allOf(await openZstd(new MemorySource(bytes)))).toEqual(expected);
  });

  it.each([
    ['in its last block', archive.length - 5],
    ['in its checksum', archive.length - 1],
  ])('says so if it is cut off %s', async (_, length) => {
    const read = async () => allOf(await openZstd(new MemorySource(archive.subarray(0, length))));
    await expect(read()).rejects.toMatchObject({ name: 'TraceError', code: 'truncated' });
  });
});

describe('a trace in a zip archive', () => {
  it('is the only file', async () => {
    const archive = zipArchive({ 'some/name': contents });
    expect(isZip(archive)).toBe(true);
    const source = await openZip(new MemorySource(archive));
    expect(source.name).toBe('the given bytes/some/name');
    expect(await allOf(source)).toEqual(contents);
  });

  it('or the only one with the extension of a trace', async () => {
    const archive = zipArchive({
      'a.pdb': Buffer.from('no'),
      'trace.etl': contents,
      'readme.txt': Buffer.from('no'),
    });
    expect(await allOf(await openZip(new MemorySource(archive)))).toEqual(contents);
  });

  it('is rejected if there is none, or more than one', async () => {
    const none = zipArchive({ 'a.txt': contents, 'b.txt': contents });
    await expect(openZip(new MemorySource(none))).rejects.toThrow(
      'The archive the given bytes contains no trace (a file ending in .etl, .nettrace, .netperf, .data, .dat or .pftrace).',
    );
    const two = zipArchive({ 'a.etl': contents, 'b.nettrace': contents });
    await expect(openZip(new MemorySource(two))).rejects.toThrow(
      'contains 2 traces. Choose a member: a.etl, b.nettrace.',
    );
  });

  it('is the selected member, by its name or a part of it', async () => {
    const archive = zipArchive({
      'x/a.etl': Buffer.from('no'),
      'x/a.etl.etl': contents,
      'b.nettrace': contents,
    });
    const memberOf = async (member: string) => (await openZip(new MemorySource(archive), member)).name;
    expect(await memberOf('x/a.etl')).toBe('the given bytes/x/a.etl');
    expect(await memberOf('l.etl')).toBe('the given bytes/x/a.etl.etl');
    expect(await memberOf('nettrace')).toBe('the given bytes/b.nettrace');
    await expect(memberOf('.etl')).rejects.toThrow(
      'The archive the given bytes has 2 members ".etl". Choose one of: x/a.etl, x/a.etl.etl.',
    );
    await expect(memberOf('zzz')).rejects.toThrow(
      'has no member "zzz". Choose one of: x/a.etl, x/a.etl.etl, b.nettrace.',
    );
  });

  it('is rejected if it contains more files than are listed', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, Buffer.of()]));
    await expect(openZip(new MemorySource(zipArchive(files)))).rejects.toThrow(
      'contains more than 10000 files.',
    );
  });

  it('says so if it is damaged', async () => {
    const archive = zipArchive({ 'a.etl': contents });
    await expect(openZip(new MemorySource(archive.subarray(0, 1000)))).rejects.toMatchObject({
      name: 'TraceError',
    });
    archive.fill(0xff, 1000, 2000);
    const read = async () => allOf(await openZip(new MemorySource(archive)));
    await expect(read()).rejects.toMatchObject({ name: 'TraceError', code: 'malformed' });
  });
});
