/**
 * A trace in a zip archive, such as the `.etl.zip` that PerfView leaves: of its files the only one, or the
 * only one with a trace's extension.
 */
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { CHUNK_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { TraceError } from '../trace-error.ts';
import { damagedArchive } from './gzip.ts';
import { openStream } from './stream-source.ts';

const TRACE_NAME = /\.(etl|nettrace|netperf|data)(\.gz)?$/i;

/** Local file header, as every archive starts that is not empty. */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** @throws TraceError where it is not clear which of its files is the trace */
export async function openZip(source: OpenedSource): Promise<OpenedSource> {
  const bytes = await source.seekable();
  const zip = await openArchive(bytes, source.name);
  const entry = traceIn(await entriesOf(zip, source.name), source.name);
  return openStream(contents(zip, entry, source.name), `${source.name}/${entry.fileName}`, () =>
    source.close(),
  );
}

async function openArchive(bytes: SeekableBytes, name: string): Promise<ZipFile> {
  // Loaded only when there is an archive: nothing else needs it.
  const { default: yauzl } = await import('yauzl');
  class Reader extends yauzl.RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(piecesOf(bytes, start, end), { objectMode: false });
    }
  }
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false };
    yauzl.fromRandomAccessReader(new Reader(), bytes.size, options, (error, zip) =>
      error === null ? resolve(zip) : reject(damagedArchive('zip', name, 0, error)),
    );
  });
}

async function* piecesOf(bytes: SeekableBytes, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let offset = start; offset < end; offset += CHUNK_SIZE) {
    yield await bytes.read(offset, Math.min(CHUNK_SIZE, end - offset));
  }
}

function entriesOf(zip: ZipFile, name: string): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on('entry', (entry: Entry) => {
      if (!entry.fileName.endsWith('/')) entries.push(entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', (error) => reject(damagedArchive('zip', name, 0, error)));
    zip.readEntry();
  });
}

function traceIn(entries: readonly Entry[], name: string): Entry {
  const traces = entries.length === 1 ? entries : entries.filter(({ fileName }) => TRACE_NAME.test(fileName));
  const [trace] = traces;
  if (trace !== undefined && traces.length === 1) return trace;
  const found = traces.length === 0 ? 'no trace' : `${traces.length} traces`;
  throw new TraceError(
    'unsupported',
    0,
    `The archive ${name} holds ${found} (files ending in .etl, .nettrace, .netperf or .data): one is wanted.`,
  );
}

async function* contents(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let length = 0;
  let checksum = 0;
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
    });
    for await (const chunk of stream) {
      length += chunk.length;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    // Not checked by yauzl.
    if (length !== entry.uncompressedSize || checksum !== entry.crc32) {
      throw new Error(`the checksum of ${entry.fileName} is wrong`);
    }
  } catch (error) {
    throw damagedArchive('zip', name, length, error);
  }
}
