/** A trace in a zip archive, such as PerfView's `.etl.zip`: its only file, or the only one with a trace's extension. */

import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { TraceError } from '../../wire/trace-error.ts';
import { CHUNK_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { openFile } from './file-source.ts';
import { damagedArchive } from './gzip.ts';
import { openStream } from './stream-source.ts';

const TRACE_NAME = /\.(etl|nettrace|netperf|data|dat|pftrace)(\.gz|\.zst)?$/i;

/** The maximum number of files in an archive: those of tools have a few dozen. */
const MAX_ENTRIES = 10_000;
const MAX_LISTED = 20;
const MAX_LISTED_NAME = 200;

/** Local file header, with which every non-empty archive starts. */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/**
 * @param member the file in it that is the trace: its whole name, or a unique part of it
 * @throws TraceError if it is not clear which of its files is the trace
 */
export async function openZip(source: OpenedSource, member?: string): Promise<OpenedSource> {
  const bytes = await source.seekable();
  const zip = await openArchive(bytes, source.name);
  const entry = traceIn(await entriesOf(zip, source.name), source.name, member);
  return openStream(contents(zip, entry, source.name), `${source.name}/${entry.fileName}`, () =>
    source.close(),
  );
}

/** The traces in a zip archive, if the file is one. */
export async function listZipTraces(path: string): Promise<string[]> {
  const source = await openFile(path);
  try {
    if (!isZip(source.head)) return [];
    const zip = await openArchive(await source.seekable(), source.name);
    return tracesIn(await entriesOf(zip, source.name)).map(({ fileName }) => fileName);
  } finally {
    await source.close();
  }
}

async function openArchive(bytes: SeekableBytes, name: string): Promise<ZipFile> {
  // Loaded only for archives: nothing else needs it.
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
      if (entries.length > MAX_ENTRIES) reject(tooManyEntries(name));
      else zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', (error) => reject(damagedArchive('zip', name, 0, error)));
    zip.readEntry();
  });
}

function tooManyEntries(name: string): TraceError {
  return new TraceError('unsupported', 0, `The archive ${name} contains more than ${MAX_ENTRIES} files.`);
}

function traceIn(entries: readonly Entry[], name: string, member: string | undefined): Entry {
  const traces = tracesIn(entries);
  if (member !== undefined) return memberIn(entries, name, member);
  const [trace] = traces;
  if (trace !== undefined && traces.length === 1) return trace;
  const sentence =
    traces.length === 0
      ? `The archive ${name} contains no trace (a file ending in .etl, .nettrace, .netperf, .data, .dat or .pftrace).`
      : `The archive ${name} contains ${traces.length} traces. Choose a member: ${listed(traces)}.`;
  throw new TraceError('unsupported', 0, sentence);
}

function tracesIn(entries: readonly Entry[]): readonly Entry[] {
  return entries.length === 1 ? entries : entries.filter(({ fileName }) => TRACE_NAME.test(fileName));
}

function memberIn(entries: readonly Entry[], name: string, member: string): Entry {
  const exact = entries.filter(({ fileName }) => fileName === member);
  const found = exact.length > 0 ? exact : entries.filter(({ fileName }) => fileName.includes(member));
  const [entry] = found;
  if (entry !== undefined && found.length === 1) return entry;
  const reason = found.length === 0 ? 'has no member' : `has ${found.length} members`;
  const candidates = found.length === 0 ? entries : found;
  const sentence = `The archive ${name} ${reason} "${member}". Choose one of: ${listed(candidates)}.`;
  throw new TraceError('unsupported', 0, sentence);
}

/** Their names, as many as can be read at a glance. */
function listed(entries: readonly Entry[]): string {
  const names = entries.slice(0, MAX_LISTED).map(({ fileName }) => fileName.slice(0, MAX_LISTED_NAME));
  const more = entries.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
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
    // yauzl does not check it.
    if (length !== entry.uncompressedSize || checksum !== entry.crc32) {
      throw new Error(`the checksum of ${entry.fileName} is wrong`);
    }
  } catch (error) {
    throw damagedArchive('zip', name, length, error);
  }
}
