/** Opens a trace of any supported format. */

import { fileURLToPath } from 'node:url';
import { TraceError } from '../wire/trace-error.ts';
import type { OpenedSource } from './byte-source.ts';
import { formatOf, unrecognized } from './sniff.ts';
import { openFile } from './source/file-source.ts';
import { isGzip, openGzip } from './source/gzip.ts';
import { MemorySource } from './source/memory-source.ts';
import { openStream } from './source/stream-source.ts';
import { isZip, openZip } from './source/zip.ts';
import { isZstd, openZstd } from './source/zstd.ts';
import { type OnDamage, Trace } from './trace.ts';
import type { ManifestFinder, OpenReader, TmfFinder, TraceFormat } from './trace-reader.ts';

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
  /**
   * Describe WPP messages of an .etl: texts of .tmf files, or a function that finds those of a message's GUID. Messages
   * that cannot be read throw for texts, and are skipped for a function.
   */
  readonly tmf?: readonly string[] | TmfFinder;
  /** Which file of a zip archive (or .diagsession) to open: its name, or a unique part of it. */
  readonly member?: string;
}

/** A path, a file URL, the bytes, or a stream of bytes (such as standard input). */
export type TraceInput = string | URL | Uint8Array | AsyncIterable<Uint8Array>;

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
 * Several inputs are the files of one Windows recording, .etl files on one clock: the kernel's and the user's, or those
 * that a session started one after the other. Each describes the others' events, and names their processes.
 *
 * @param input the trace
 * @throws TraceError if it is not a trace, its head is damaged, or several inputs are not one recording
 * @throws the system's error if the file cannot be opened
 */
export async function openTrace(
  input: TraceInput | readonly TraceInput[],
  options: OpenTraceOptions = {},
): Promise<Trace> {
  const sources: OpenedSource[] = [];
  const close = async () => {
    await Promise.all(sources.map((source) => source.close()));
  };
  try {
    for (const [index, each] of (isSeveral(input) ? input : [input]).entries()) {
      const opened = await openInput(each);
      sources[index] = opened;
      sources[index] = await unpacked(opened, options.member);
    }
    const [first, ...others] = sources;
    if (first === undefined) throw new TypeError('openTrace needs at least one trace.');
    const open = await READERS[formatIn(sources)]();
    const { manifests = [], tmf = [] } = options;
    const reader = await open(first, { manifests, tmf, others });
    const name = sources.map((source) => source.name).join(', ');
    return new Trace({ name, size: sizeOf(sources), close }, reader, options.onDamage ?? 'error');
  } catch (error) {
    await close();
    throw error;
  }
}

function isSeveral(input: TraceInput | readonly TraceInput[]): input is readonly TraceInput[] {
  return Array.isArray(input);
}

/** The format that they all have. */
function formatIn(sources: readonly OpenedSource[]): TraceFormat {
  const formats = sources.map(({ name, head }) => {
    const format = formatOf(head);
    if (format === undefined) throw unrecognized(name, head);
    if (format === 'etl' || sources.length === 1) return format;
    const sentence = `${name} is a ${format}: only .etl files can be parts of one recording.`;
    throw new TraceError('unsupported', 0, sentence);
  });
  return formats[0] as TraceFormat;
}

function sizeOf(sources: readonly OpenedSource[]): number | undefined {
  return sources.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}

function openInput(input: TraceInput): Promise<OpenedSource> {
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
