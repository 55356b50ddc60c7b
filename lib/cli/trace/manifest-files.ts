/**
 * The manifests given to a command: files, and folders of many. What a folder's manifests describe is remembered in the
 * user's cache, so that only those of providers in the trace are read again.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../base/folders.ts';
import { writeOutput } from '../../base/output-file.ts';
import { thrownMessage } from '../../base/value-text.ts';
import type { ManifestFinder } from '../../trace/trace-reader.ts';
import { describeManifest } from '../../wire/manifest/describe.ts';
import { ManifestError } from '../../wire/manifest/error.ts';
import { decodeTextFile } from '../../wire/text.ts';
import { warn } from '../messages.ts';
import { Progress } from '../progress.ts';

const MANIFEST_FILE = /\.(?:man|manifest|xml)$/i;
const MAX_FILES = 10_000;
/** The manifests of Windows take up to 5 MB. */
const MAX_FILE_BYTES = 64e6;

/** What a file of a folder describes. */
interface IndexedFile {
  readonly size: number;
  readonly time: number;
  /** The GUIDs of its providers, lower case. */
  readonly guids: readonly string[];
  /** Why it cannot be read. */
  readonly problem?: string;
}

type Index = Record<string, IndexedFile>;

/**
 * Finds the manifests of a provider in the files, and in the files of the folders.
 *
 * @throws Error if a file cannot be read; those of folders are skipped, with a warning
 */
export async function manifestFinder(paths: readonly string[]): Promise<ManifestFinder> {
  const texts = new Map<string, (() => string)[]>();
  const add = (guids: readonly string[], read: () => string) => {
    for (const guid of guids) texts.set(guid, [...(texts.get(guid) ?? []), read]);
  };
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) {
      for (const [name, { guids }] of Object.entries(await indexFolder(path)))
        add(guids, () => decodeTextFile(readFileSync(join(path, name))));
      continue;
    }
    const xml = decodeTextFile(await readFile(path));
    add(guidsOf(path, xml), () => xml);
  }
  return (guid) => (texts.get(guid) ?? []).map((read) => read());
}

function guidsOf(path: string, xml: string): string[] {
  try {
    return describeManifest(xml).map(({ guid }) => guid);
  } catch (error) {
    throw error instanceof ManifestError ? new Error(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

async function indexFolder(folder: string): Promise<Index> {
  const cached = cacheFile(folder);
  const old = await readIndex(cached);
  const index: Index = {};
  const progress = new Progress(() => `Reading manifests: ${Object.keys(index).length}`);
  try {
    for (const name of await manifestNames(folder)) {
      const { size, mtimeMs: time } = await stat(join(folder, name));
      const known = old[name];
      index[name] =
        known?.size === size && known.time === time ? known : await read(folder, name, size, time);
      progress.update();
    }
  } finally {
    progress.end();
  }
  const names = Object.keys(index);
  const isUnchanged =
    names.length === Object.keys(old).length && names.every((name) => index[name] === old[name]);
  if (!isUnchanged) await writeIndex(cached, index);
  for (const [name, { problem }] of Object.entries(index))
    if (problem !== undefined) warn(`Skipped the manifest ${join(folder, name)}: ${problem}`);
  return index;
}

/** Returns names relative to the folder; links are not followed. */
async function manifestNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && MANIFEST_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '.').length + 1))
    .sort();
  if (names.length === 0) throw new Error(`The folder "${folder}" has no manifest (.man, .xml).`);
  if (names.length > MAX_FILES)
    throw new Error(
      `The folder "${folder}" has ${names.length} files like manifests, more than ${MAX_FILES}.`,
    );
  return names;
}

async function read(folder: string, name: string, size: number, time: number): Promise<IndexedFile> {
  try {
    if (size > MAX_FILE_BYTES) throw new Error('It is larger than 64 MB.');
    const xml = decodeTextFile(await readFile(join(folder, name)));
    // Windows' own describe performance counters, too, and some nothing else.
    if (!/<(?:\w+:)?provider\s[^<>]*\bname\s*=/.test(xml) && /<(?:\w+:)?(?:counters|assembly)\b/.test(xml))
      return { size, time, guids: [] };
    return { size, time, guids: describeManifest(xml, { skipsBadEvents: true }).map(({ guid }) => guid) };
  } catch (error) {
    return { size, time, guids: [], problem: thrownMessage(error) };
  }
}

function cacheFile(folder: string): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const root =
    process.platform === 'win32'
      ? (LOCALAPPDATA ?? join(homedir(), 'AppData/Local'))
      : XDG_CACHE_HOME?.startsWith('/')
        ? XDG_CACHE_HOME
        : join(homedir(), '.cache');
  const key = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 32);
  return join(root, 'tracewright', `manifests-${key}.json`);
}

/** A cache that is not there, or not one of this version, knows nothing. */
async function readIndex(file: string): Promise<Index> {
  try {
    const { version, files } = JSON.parse(await readFile(file, 'utf8'));
    return version === 1 ? files : {};
  } catch {
    return {};
  }
}

/** There is no cache without a folder for it. */
async function writeIndex(file: string, files: Index): Promise<void> {
  try {
    makeFolders(join(file, '..'), 0o700);
    writeOutput(file, JSON.stringify({ version: 1, files }));
  } catch {}
}
