/** Opens the traces given to a command: one, or several as one. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { glob } from '../../base/glob.ts';
import { listZipTraces } from '../../trace/source/zip.ts';
import type { Trace } from '../../trace/trace.ts';
import { mergeTexts } from '../../view/merge/merge-texts.ts';
import { type MergedTrace, openMergedTrace } from '../../view/merge/merged-trace.ts';
import { say } from '../messages.ts';
import { UsageError } from '../parse-options.ts';
import { Progress } from '../progress.ts';
import {
  fileText,
  inWords,
  openTraceArgument,
  readingText,
  TRACE_HELP,
  type TracePlace,
  type TraceValues,
} from './trace-argument.ts';

/** Paths; a single one may be `-`, standard input. */
export type TraceFiles = readonly string[];

export const FILES_HELP = `${TRACE_HELP} Several FILEs are read as one: their activities are joined by W3C's trace and span ids, and
  their times corrected to the clock of the first. A zip or .diagsession with several traces is read as these. The .etl
  files of one Windows recording are one trace: X.etl includes X.kernel.etl and others beside it, and X_%d.etl means all
  with a number.`;

export const NEWEST_HELP = `Without FILE, it is the newest recording in the current folder: the .nettrace files that
  "tracewright collect" has written.`;

/**
 * The newest recording in the current folder: its newest .nettrace file and those recorded at the same time, since each
 * process that a command such as `npm start` starts has a file of its own. It is empty if there is none.
 */
export function newestRecording(): TraceFiles {
  const files = readdirSync('.').filter((name) => name.endsWith('.nettrace'));
  const timed = files.map((name) => ({ name, stat: statSync(name, { throwIfNoEntry: false }) }));
  const endOf = ({ stat }: (typeof timed)[number]) => stat?.mtimeMs ?? 0;
  timed.sort((a, b) => endOf(b) - endOf(a));
  const begin = timed[0]?.stat?.birthtimeMs ?? 0;
  return timed.filter((each) => endOf(each) >= begin).map(({ name }) => name);
}

/**
 * @param areClocksSaid whether to say on stderr how the clocks of several traces have been corrected
 * @throws UsageError, TraceError
 */
export async function openTraceFiles(
  files: TraceFiles,
  values: TraceValues,
  areClocksSaid = true,
): Promise<Trace | MergedTrace> {
  const places = await placesOf(files, values);
  const [first] = places;
  if (first !== undefined && places.length === 1) return openTraceArgument(first, values);
  if (files.includes('-')) {
    throw new UsageError('Several traces are read twice, which is not possible with standard input.');
  }
  let surveyed: Trace | undefined;
  const progress = new Progress(() => (surveyed === undefined ? 'Reading' : readingText(surveyed)));
  const onSurvey = (trace: Trace) => {
    surveyed = trace;
    progress.update();
  };
  const opened = places.map((place) => ({
    name: files.length === 1 ? (place.member ?? place.file) : nameOf(place),
    open: (onDamage: 'error' | 'warning') => openTraceArgument(place, values, onDamage),
  }));
  const merged = await openMergedTrace(opened, onSurvey).finally(() => progress.end());
  if (areClocksSaid) for (const text of mergeTexts(merged)) say(text);
  return merged;
}

/** The traces in the files: those of archives are several, and files of one Windows recording are one. */
async function placesOf(files: TraceFiles, values: TraceValues): Promise<readonly TracePlace[]> {
  const all = (await Promise.all(files.map(filesNamed))).flat();
  const places = (await Promise.all(all.map((file) => placesIn(file, values, all.length)))).flat();
  if (new Set(places.map(nameOf)).size < places.length) throw new UsageError('A trace is given twice.');
  if (!places.some(({ file }) => /\.etl$/i.test(file))) return places;
  const { joined, messages } = await (await import('./recording-files.ts')).recordingsIn(places, values);
  for (const message of messages) say(message);
  return joined;
}

async function filesNamed(file: string): Promise<readonly string[]> {
  const isNumbered = /%d|\*/i.test(file) && /\.etl$/i.test(file);
  const numbered = isNumbered ? await (await import('./recording-files.ts')).numberedFiles(file) : [];
  return numbered.length > 0 ? numbered : filesLike(file);
}

/** Finds the files of a pattern: the shells of Windows leave it to the program. */
function filesLike(file: string): readonly string[] {
  const [folder, name] = [dirname(file), basename(file)];
  if (!name.includes('*') || existsSync(file) || !existsSync(folder)) return [file];
  const found = readdirSync(folder).filter(glob(name)).sort();
  return found.length > 0 ? found.map((each) => join(folder, each)) : [file];
}

/** `a.zip/front.nettrace` */
function nameOf({ file, member }: TracePlace): string {
  return member === undefined ? file : `${file}/${member}`;
}

/** The chosen traces of an archive, by default all; what is no archive is one. */
async function placesIn(
  file: string,
  { member: wanted = [] }: TraceValues,
  fileCount: number,
): Promise<readonly TracePlace[]> {
  const names = file === '-' || wanted.length === 1 ? [] : await inWords(file, listZipTraces(file));
  const placesOf = (members: readonly string[]) => members.map((member) => ({ file, member }));
  if (names.length > 1 && wanted.length === 0) return placesOf(names);
  // Of several archives, each has some of them.
  const found = wanted.filter((part) => fileCount === 1 || names.some((name) => name.includes(part)));
  return names.length > 0 && found.length > 0 ? placesOf(found) : [{ file, member: wanted[0] }];
}

/** The traces' names, for sentences. */
export function filesText(files: TraceFiles): string {
  return files.map(fileText).join(', ');
}

/** The traces' names, for a file made from them. */
export function fileNames(files: TraceFiles): string {
  return files.map((file) => (file === '-' ? 'standard input' : basename(file))).join(', ');
}

/** Closing a trace waits for a pending read, which on standard input may never finish. */
export async function closeTraceFiles(files: TraceFiles, trace: Trace): Promise<void> {
  if (files.includes('-')) process.stdin.destroy();
  await trace.close();
}
