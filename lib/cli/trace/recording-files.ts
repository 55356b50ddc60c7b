/**
 * Which .etl files are one Windows recording: those that PerfView and other tools leave beside each other until they
 * are merged, those that a session started one after the other, and any that are on one clock. They are read as one
 * trace.
 */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { thrownMessage } from '../../base/value-text.ts';
import type { TraceInfo } from '../../trace/trace-reader.ts';
import { openTraceArgument, type TracePlace, type TraceValues } from './trace-argument.ts';

interface Recordings {
  readonly joined: readonly TracePlace[];
  /** What has been joined and what has not, in sentences. */
  readonly messages: readonly string[];
}

/** A file, and whose sibling it is unless it was given itself. */
interface FoundPlace extends TracePlace {
  readonly owner?: string;
}

/** @throws TraceError, or a sentence if a file cannot be opened */
export async function recordingsIn(places: readonly TracePlace[], values: TraceValues): Promise<Recordings> {
  const messages: string[] = [];
  const joined: (TracePlace & { others: string[]; readonly recording: string | undefined })[] = [];
  const found = await withSiblings(places);
  const isAlone = found.length === 1;
  for (const place of found) {
    const { owner, file } = place;
    let recording: string | undefined;
    try {
      recording = isAlone || !isPlainLog(place) ? undefined : await recordingOf(place, values);
    } catch (error) {
      if (owner === undefined) throw error;
      messages.push(`${file} is not read: ${thrownMessage(error)}`);
      continue;
    }
    const whole = joined.find((each) => recording !== undefined && each.recording === recording);
    if (whole !== undefined) whole.others.push(file);
    else if (owner === undefined) joined.push({ ...place, others: [], recording });
    else messages.push(`${file} is not read: its clock is not that of ${owner}.`);
  }
  for (const { file, others } of joined) {
    if (others.length > 0) messages.push(`${[file, ...others].join(', ')}: read as one recording.`);
  }
  return { joined, messages };
}

function isPlainLog({ file, member }: TracePlace): boolean {
  return member === undefined && /\.etl$/i.test(file);
}

async function withSiblings(given: readonly TracePlace[]): Promise<readonly FoundPlace[]> {
  const paths = new Set(given.map(({ file }) => resolve(file)));
  const siblings: FoundPlace[] = [];
  for (const place of given) {
    if (!isPlainLog(place)) continue;
    for (const file of await siblingsOf(place.file)) {
      if (paths.has(resolve(file))) continue;
      paths.add(resolve(file));
      siblings.push({ file, owner: place.file });
    }
  }
  return [...given, ...siblings];
}

/** Finds the siblings of `x.etl` by PerfView's rules: `x.kernel.etl`, `x.clrRundown.etl`, `x.userModeSession.etl`. */
async function siblingsOf(file: string): Promise<readonly string[]> {
  const base = basename(file).slice(0, -'.etl'.length).toLowerCase();
  return filesBeside(file, (name) =>
    ['kernel', 'clr', 'user'].some((kind) => name.startsWith(`${base}.${kind}`) && name.endsWith('.etl')),
  );
}

/** Returns the numbered files of `x_%d.etl`, as a session names them, in their order, and all files of `x_*.etl`. */
export async function numberedFiles(file: string): Promise<readonly string[]> {
  const escaped = basename(file)
    .toLowerCase()
    .replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replaceAll('%d', '\\d+').replaceAll('*', '.*')}$`);
  const found = await filesBeside(file, (other) => pattern.test(other));
  return [...found].sort(new Intl.Collator('en', { numeric: true }).compare);
}

/** @param isWanted given the name in lower case */
async function filesBeside(file: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
  const folder = dirname(file);
  // A folder that cannot be listed may contain files that can be opened.
  const names = await readdir(folder).catch((): string[] => []);
  const found = names.filter((name) => isWanted(name.toLowerCase())).sort();
  return found.map((name) => (file === basename(file) ? name : join(folder, name)));
}

/** What all files on one clock have in common. */
async function recordingOf(place: TracePlace, values: TraceValues): Promise<string | undefined> {
  const trace = await openTraceArgument(place, values);
  await trace.close();
  const { format, properties }: TraceInfo = trace.info;
  const { bootTime, clock, clockFrequency, cpuMHz } = properties;
  return format === 'etl' ? [bootTime, clock, clockFrequency, cpuMHz].join() : undefined;
}
