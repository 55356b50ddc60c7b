/** Opens the trace given to a command, and reads it for the user. */
import { access, constants } from 'node:fs/promises';
import { openTrace } from '../../trace/open-trace.ts';
import type { OnDamage, Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ManifestFinder, TmfFinder } from '../../trace/trace-reader.ts';
import { countText, dataSize } from '../../view/number-text.ts';
import { lossText } from '../../view/report/reported-trace.ts';
import { FILE, text } from '../argument-values.ts';
import { warn } from '../messages.ts';
import type { OptionRows, OptionValues } from '../parse-options.ts';
import { Progress } from '../progress.ts';
import { MemoryWatch } from './memory-watch.ts';

export const TRACE_OPTIONS = {
  manifest: FILE.repeated(
    `describes events of an .etl that are not self-describing, or a folder of such files`,
  ),
  tmf: FILE.repeated(`describes WPP messages of an .etl: a .tmf file, the PDB of a program, or a folder of
      them`),
  member: text('NAME', 'the name of a trace in an archive').repeated(`the trace to read from a zip or
      .diagsession with several: its name, or a part of it`),
} as const satisfies OptionRows;

export type TraceValues = OptionValues<typeof TRACE_OPTIONS>;

export const TRACE_HELP =
  'FILE is an .etl, .nettrace, .netperf, perf.data or trace.dat, plain or in gzip, zstd or zip; - is standard input.';

/** A trace to open. */
export interface TracePlace {
  /** A path; `-` is standard input. */
  readonly file: string;
  /** The trace's name in an archive. */
  readonly member?: string | undefined;
  /** Further files of the same recording, which are one trace with it. */
  readonly others?: readonly string[];
}

export async function openTraceArgument(
  { file, member, others = [] }: TracePlace,
  { manifest = [], tmf = [] }: TraceValues,
  onDamage: OnDamage = 'error',
): Promise<Trace> {
  const options = {
    onDamage,
    ...(manifest.length === 0 ? {} : { manifests: await manifestsOf(manifest) }),
    ...(tmf.length === 0 ? {} : { tmf: await tmfOf(tmf) }),
    ...(member === undefined ? {} : { member }),
  };
  const progress = new Progress(() => `Opening ${file === '-' ? 'standard input' : file}`);
  try {
    const input = file === '-' ? process.stdin : others.length > 0 ? [file, ...others] : file;
    return await inWords(file, openTrace(input, options));
  } finally {
    progress.end();
  }
}

/** Loaded only for `--manifest`. */
async function manifestsOf(paths: readonly string[]): Promise<ManifestFinder> {
  for (const path of paths) await inWords(path, access(path, constants.R_OK));
  return (await import('./manifest-files.ts')).manifestFinder(paths);
}

/** Loaded only for `--tmf`. */
async function tmfOf(paths: readonly string[]): Promise<TmfFinder> {
  for (const path of paths) await inWords(path, access(path, constants.R_OK));
  return (await import('./tmf-files.ts')).tmfFinder(paths);
}

/** Its name in sentences. */
export function fileText(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file "${path}".`,
  EISDIR: (path) => `"${path}" is a folder, not a file.`,
  EACCES: (path) => `This user may not read "${path}".`,
  EPERM: (path) => `This user may not read "${path}".`,
};

/** The opened file, or a sentence that says why the system refuses it. */
export async function inWords<T>(path: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code]?.(path);
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
}

/**
 * The trace's batches, with progress on a terminal and, at the end, a message on stderr about missing or unordered
 * events.
 *
 * @param isShownMeanwhile whether each batch is printed at once, which on a terminal is progress enough
 */
export async function* readWithProgress(
  trace: Trace,
  { isShownMeanwhile = false }: { readonly isShownMeanwhile?: boolean } = {},
): AsyncGenerator<readonly TraceEvent[], void, undefined> {
  const progress =
    isShownMeanwhile && process.stdout.isTTY === true ? undefined : new Progress(() => readingText(trace));
  const memory = new MemoryWatch(trace.name);
  try {
    for await (const batch of trace.batches()) {
      progress?.update();
      memory.check();
      yield batch;
    }
  } finally {
    progress?.end();
  }
  for (const text of [
    ...(trace.info.problems ?? []),
    lossText(trace),
    lateText(trace),
    unreadText(trace),
    messagesText(trace),
  ]) {
    if (text !== undefined) warn(text);
  }
}

export function readingText({ bytesRead, size }: Trace): string {
  const share = size === undefined ? '' : ` of ${dataSize(size)} (${Math.floor((100 * bytesRead) / size)} %)`;
  return `Reading: ${dataSize(bytesRead)}${share}`;
}

/** The messages without their text, as a sentence. */
function messagesText({ undescribedMessages: count }: Trace): string | undefined {
  if (count === 0) return undefined;
  const [messages, their] = count === 1 ? ['1 WPP message', 'its'] : [`${count} WPP messages`, 'their'];
  return `Nothing describes ${messages}: pass the TMF files or PDBs of ${their} program with --tmf.`;
}

/** What the trace has besides its events, as a sentence. */
export function unreadText({ unread }: Trace): string | undefined {
  if (unread.size === 0) return undefined;
  return `Not read: ${Array.from(unread, ([what, count]) => countText(count, what)).join(', ')}.`;
}

/** What is out of order, as a sentence. */
function lateText({ lateEvents }: Trace): string | undefined {
  if (lateEvents === 0) return undefined;
  const [events, come] = lateEvents === 1 ? ['1 event', 'comes'] : [`${lateEvents} events`, 'come'];
  return `${events} ${come} out of order: too late in the trace to be sorted.`;
}
