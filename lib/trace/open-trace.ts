/** Opens a trace of any supported format. */
import { fileURLToPath } from 'node:url';
import type { OpenedSource } from './byte-source.ts';
import { formatOf, unrecognized } from './sniff.ts';
import { openFile } from './source/file-source.ts';
import { isGzip, openGzip } from './source/gzip.ts';
import { MemorySource } from './source/memory-source.ts';
import { openStream } from './source/stream-source.ts';
import { isZip, openZip } from './source/zip.ts';
import { isZstd, openZstd } from './source/zstd.ts';
import { type OnDamage, Trace } from './trace.ts';
import type { ManifestFinder, OpenReader, TraceFormat } from './trace-reader.ts';

export interface OpenTraceOptions {
  /**
   * `error` (the default): a damaged trace delivers the events before the damage, then throws. `warning`: it ends after
   * them, and `Trace.problem` says why.
   */
  readonly onDamage?: OnDamage;
  /**
   * Describe events of an .etl, in addition to the manifests in the trace itself: their XML, or a function that finds
   * the XML of a provider's.
   */
  readonly manifests?: readonly string[] | ManifestFinder;
  /** Which file of a zip archive (or .diagsession) to open: its name, or a unique part of it. */
  readonly member?: string;
}

/** How many levels of nested archives are opened: `.nettrace.gz` in a zip. */
const MAX_ARCHIVE_DEPTH = 2;

/** Loaded when the first trace of the format is opened. */
const READERS: Readonly<Record<TraceFormat, () => Promise<OpenReader>>> = {
  etl: async () => (await import('./etl/open-etl.ts')).openEtl,
  nettrace: loadNetTrace,
  netperf: loadNetTrace,
  'perf.data': async () => (await import('./perf-data/open-perf-data.ts')).openPerfData,
  'trace.dat': async () => (await import('./trace-dat/open-trace-dat.ts')).openTraceDat,
  perfetto: async () => (await import('./perfetto/open-perfetto.ts')).openPerfetto,
};

async function loadNetTrace(): Promise<OpenReader> {
  return (await import('./nettrace/open-nettrace.ts')).openNetTrace;
}

/**
 * Opens a trace: .etl (ETW), .nettrace and .netperf (EventPipe), perf.data (perf record), trace.dat (trace-cmd), .pftrace
 * (Perfetto, Chromium), optionally compressed by gzip or Zstandard, or in a zip (including .diagsession). The first bytes
 * determine the format.
 *
 * @param input a path, a file URL, the bytes, or a stream of bytes (such as standard input)
 * @throws TraceError if it is not a trace, or its head is damaged
 * @throws the system's error if the file cannot be opened
 */
export async function openTrace(
  input: string | URL | Uint8Array | AsyncIterable<Uint8Array>,
  options: OpenTraceOptions = {},
): Promise<Trace> {
  let source = await openInput(input);
  try {
    source = await unpacked(source, options.member);
    const format = formatOf(source.head);
    if (format === undefined) throw unrecognized(source.name, source.head);
    const open = await READERS[format]();
    const reader = await open(source, { manifests: options.manifests ?? [] });
    return new Trace(source, reader, options.onDamage ?? 'error');
  } catch (error) {
    await source.close();
    throw error;
  }
}

function openInput(input: string | URL | Uint8Array | AsyncIterable<Uint8Array>): Promise<OpenedSource> {
  if (typeof input === 'string') return openFile(input);
  if (input instanceof URL) return openFile(fileURLToPath(input));
  if (input instanceof Uint8Array) return Promise.resolve(new MemorySource(input));
  return openStream(input, 'the given stream');
}

async function unpacked(source: OpenedSource, member: string | undefined): Promise<OpenedSource> {
  let opened = source;
  for (let depth = 0; depth < MAX_ARCHIVE_DEPTH; depth++) {
    if (isGzip(opened.head)) opened = await openGzip(opened);
    else if (isZstd(opened.head)) opened = await openZstd(opened);
    else if (isZip(opened.head)) opened = await openZip(opened, member);
    else break;
  }
  return opened;
}
