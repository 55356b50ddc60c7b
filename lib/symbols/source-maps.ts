/**
 * Source maps (ECMA-426): which file, line and function of the source a position in bundled, minified or compiled
 * JavaScript comes from. A map is found in the user's folders, beside the JavaScript, or inside it; never on a network.
 * Traces name the JavaScript, so the rules for opening files that they name apply.
 */
import { SourceMap, type SourceMapPayload } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from './symbol-folders.ts';
import { openIn, readText } from './trusted-files.ts';

/** JavaScript and maps have at most so many characters: decoding takes about 50 ms for a million of them. */
const MAX_TEXT_LENGTH = 64 << 20;
/** All maps together have at most so many characters. */
const MAX_MAPS_LENGTH = 128 << 20;
/** Their mappings together have at most so many characters: Node.js takes 100 bytes for a position, which may have two. */
const MAX_MAPPINGS_LENGTH = 16 << 20;
/** The folders of a path that are looked for in the user's folders. */
const MAX_PATH_PARTS = 32;
/** What may be opened beside itself, without a folder from the user: JavaScript on this machine, on no other. */
const LOCAL_SCRIPT = /^(?:\/(?!\/)|[A-Za-z]:[\\/]).*\.[cm]?[jt]sx?$/;
/** Node.js would take a separator here for a digit, and lose count of lines. */
const MALFORMED_MAPPINGS = /[^A-Za-z0-9+/,;]|(?:^|[,;]),|,(?:;|$)/;
const MAPPING_URL = ['//# sourceMappingURL=', '//@ sourceMappingURL='] as const;
const DATA_URL = /^data:application\/json(?:;charset=[\w-]+)?(;base64)?,/;
const SCHEME = /^[a-z][\w+.-]*:/i;
/** A URL such as `webpack://application/./src/cart.ts`: what follows is a path in the project. */
const SCHEME_AND_HOST = /^[a-z][\w+.-]*:(?:\/\/[^/]*)?\/*/i;
/** This much of the text around a function's begin is searched for its name. */
const MAX_NAME_TEXT = 200;
const KEYWORDS =
  /^(?:async|await|case|catch|class|const|default|else|export|for|function|get|if|in|let|new|of|return|set|static|switch|typeof|var|void|while|yield)$/;
const NAME = String.raw`([\p{ID_Start}$_#][\p{ID_Continue}$]*)`;
const TYPE = String.raw`(?:\s*:[^=;{}()]*)?`;
const FUNCTION = String.raw`(?:async\b\s*)?(?:function\b\s*\*?\s*)?`;
/** This finds `total(`, `total = (` and `total: function` where the place is that of the name. */
const NAME_AFTER = new RegExp(
  String.raw`^${FUNCTION}${NAME}\s*(?:[(<]|${TYPE}\s*=[^=]|:\s*(?:async\b|function\b|\())`,
  'u',
);
/** This finds the same where the place is that of the parameters, or of the first one. */
const NAME_BEFORE = new RegExp(
  String.raw`(?:${NAME}${TYPE}\s*=\s*${FUNCTION}\(?|[{,\n]\s*${NAME}\s*:\s*${FUNCTION}\(?|${NAME}\s*)$`,
  'u',
);

/** What may be between a name and the parameters. */
const BETWEEN = new RegExp(String.raw`\s*(?:[:=]\s*)?${FUNCTION}$`);
const IS_FUNCTION = new RegExp(`^${FUNCTION}$`);

/** A function's begin, in lines and columns from 1. */
export interface ScriptPlace {
  /** Its name in the script; empty if it has none. */
  readonly name: string;
  /** A path or a `file:` URL. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Source {
  readonly path: string;
  readonly text: string | undefined;
}

/** What `SourceMap.findEntry` returns; lines and columns count from 0. */
interface MapEntry {
  readonly generatedLine: number;
  readonly generatedColumn: number;
  /** An index of `LoadedMap.sources`; undefined for what no source has. */
  readonly originalSource: string | undefined;
  readonly originalLine: number;
  readonly originalColumn: number;
  /** A hostile map's name may be anything. */
  readonly name: unknown;
}

interface LoadedMap {
  readonly map: SourceMap;
  readonly sources: readonly (Source | undefined)[];
  /** The text of the script, if it was found. */
  readonly script: string | undefined;
  /** Where the lines of sources begin, by source; of the script by undefined. */
  readonly lines: Map<Source | undefined, readonly number[] | undefined>;
}

export class SourceMaps {
  readonly #folders: readonly string[];
  readonly #maps = new Map<string, LoadedMap | undefined>();
  #room = MAX_MAPS_LENGTH;
  #mappingsRoom = MAX_MAPPINGS_LENGTH;

  /** @param folders with maps, or with the JavaScript that has them, in any part of its path */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns undefined without a map, or if nothing in the source belongs to the place. */
  sourceOf(place: ScriptPlace): ScriptPlace | undefined {
    const path = pathOf(place.file);
    if (path === undefined) return undefined;
    const loaded = cached(this.#maps, path, () => this.#load(path));
    if (loaded === undefined || place.line < 1 || place.column < 1) return undefined;
    const found = entryAt(loaded, place.line, place.column - 1);
    const source = loaded.sources[Number(found?.originalSource)];
    if (found === undefined || source === undefined) return undefined;
    const { originalLine, originalColumn } = found;
    if (originalLine < 0 || originalColumn < 0) return undefined;
    const name = nameAt(loaded, place, source, found) ?? place.name;
    return { name, file: source.path, line: originalLine + 1, column: originalColumn + 1 };
  }

  #load(path: string): LoadedMap | undefined {
    const slashed = path.replaceAll('\\', '/');
    const parts = slashed.split('/').slice(-MAX_PATH_PARTS);
    for (const folder of this.#folders) {
      for (const index of parts.keys()) {
        const found = this.#find(folder, parts.slice(index).join('/'), slashed);
        if (found !== undefined) return found;
      }
    }
    if (!LOCAL_SCRIPT.test(path)) return undefined;
    return this.#find(posix.dirname(slashed), posix.basename(slashed), slashed);
  }

  /** @param recorded the script's path where it ran */
  #find(folder: string, path: string, recorded: string): LoadedMap | undefined {
    const text = openIn(folder, path, readLimited);
    const url = text === undefined ? undefined : mappingUrl(text);
    const inline = url === undefined ? undefined : inlineMap(url);
    if (inline !== undefined) return this.#parse(inline, posix.dirname(recorded), text);
    const named = url === undefined || SCHEME.test(url) || url.startsWith('/') ? [] : [decoded(url)];
    for (const name of [...named, `${posix.basename(path)}.map`]) {
      const map = openIn(folder, posix.join(posix.dirname(path), name), readLimited);
      const found =
        map === undefined
          ? undefined
          : this.#parse(map, posix.dirname(posix.join(posix.dirname(recorded), name)), text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #parse(text: string, folder: string, script: string | undefined): LoadedMap | undefined {
    const size = text.length + (script?.length ?? 0);
    if (size > this.#room) return undefined;
    this.#room -= size;
    try {
      const sources: (Source | undefined)[] = [];
      const sections = sectionsOf(JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')), folder, sources);
      const length = sections.reduce((sum, { map }) => sum + map.mappings.length, 0);
      if (length > this.#mappingsRoom) return undefined;
      this.#mappingsRoom -= length;
      // The declarations of Node.js do not know sections.
      const map = new SourceMap({ sections } as unknown as SourceMapPayload);
      return { map, sources, script, lines: new Map() };
    } catch {
      // It is none.
      return undefined;
    }
  }
}

/**
 * Returns a map's sections as Node.js takes them, with indices of `sources` for the names of sources, which sections may
 * share while their texts differ.
 */
function sectionsOf(parsed: unknown, folder: string, sources: (Source | undefined)[]) {
  const { sections = [{ offset: { line: 0, column: 0 }, map: parsed }] } = parsed as { sections?: unknown[] };
  return sections.map((section) => {
    const { offset, map } = section as { offset: Record<string, unknown>; map: Record<string, unknown> };
    const { mappings, names, sourceRoot } = map;
    if (![offset.line, offset.column].every((each) => Number.isSafeInteger(each) && Number(each) >= 0)) {
      throw new TypeError('A section of the map begins nowhere.');
    }
    if (typeof mappings !== 'string' || MALFORMED_MAPPINGS.test(mappings)) {
      throw new TypeError('The mappings of the map are malformed.');
    }
    const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? `${sourceRoot}/` : '';
    const first = sources.length;
    for (const [index, source] of arrayOf(map.sources).entries()) {
      const text = arrayOf(map.sourcesContent)[index];
      sources.push(
        typeof source === 'string'
          ? { path: sourcePath(root + source, folder), text: typeof text === 'string' ? text : undefined }
          : undefined,
      );
    }
    const indices = Array.from({ length: sources.length - first }, (_, index) => `${first + index}`);
    // Without a separator at the end, Node.js takes the last mapping for one with a source and a name.
    return { offset, map: { sources: indices, names: arrayOf(names), mappings: `${mappings};` } };
  });
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** @param line from 1 @param column from 0 */
function entryAt({ map }: LoadedMap, line: number, column: number): MapEntry | undefined {
  const entry = map.findEntry(line - 1, column) as Partial<MapEntry>;
  // Node.js goes on to earlier lines where this one has nothing.
  return entry.generatedLine === line - 1 ? (entry as MapEntry) : undefined;
}

function nameAt(
  loaded: LoadedMap,
  { name, line, column }: ScriptPlace,
  source: Source,
  { originalLine, originalColumn }: MapEntry,
): string | undefined {
  const before = textBefore(loaded, line, column);
  const at = name === '' ? undefined : nameColumn(before, name, column);
  if (at !== undefined) {
    const entry = entryAt(loaded, line, at);
    if (entry?.generatedColumn === at && typeof entry.name === 'string') return entry.name;
  } else if (before !== undefined || name === '') {
    const from = entryAt(loaded, line, column - 1)?.generatedColumn ?? 0;
    const between = from === column - 1 ? '' : before?.slice(from - (column - 1));
    // Otherwise, what the map says is about something before the function.
    if (between === undefined || !IS_FUNCTION.test(between)) return undefined;
  }
  const { text } = source;
  if (text === undefined) return undefined;
  const start = cached(loaded.lines, source, () => lineStarts(text))?.[originalLine];
  if (start === undefined) return undefined;
  const begin = start + originalColumn;
  const [, after] = NAME_AFTER.exec(text.slice(begin, begin + MAX_NAME_TEXT)) ?? [];
  if (after !== undefined && !KEYWORDS.test(after)) return after;
  const named = NAME_BEFORE.exec(text.slice(Math.max(0, begin - MAX_NAME_TEXT), begin))
    ?.slice(1)
    .find((each) => each !== undefined);
  return named === undefined || KEYWORDS.test(named) ? undefined : named;
}

function readLimited(descriptor: number): string | undefined {
  const text = readText(descriptor);
  return text === undefined || text.length > MAX_TEXT_LENGTH ? undefined : text;
}

/** The last one counts: an earlier one may be a string of the program. */
function mappingUrl(text: string): string | undefined {
  for (const start of MAPPING_URL) {
    const at = text.lastIndexOf(start);
    if (at >= 0) return /^\S+/.exec(text.slice(at + start.length))?.[0];
  }
  return undefined;
}

function inlineMap(url: string): string | undefined {
  const [start, base64] = DATA_URL.exec(url.slice(0, MAX_NAME_TEXT)) ?? [];
  if (start === undefined) return undefined;
  const data = url.slice(start.length);
  return base64 === undefined ? decoded(data) : Buffer.from(data, 'base64').toString('utf8');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns undefined for what is not in a file. */
function pathOf(file: string): string | undefined {
  if (!file.startsWith('file:')) return SCHEME.test(file) && !/^[A-Za-z]:[\\/]/.test(file) ? undefined : file;
  try {
    return fileURLToPath(file);
  } catch {
    return undefined;
  }
}

function sourcePath(source: string, folder: string): string {
  const path = source.startsWith('file:') ? (pathOf(source) ?? source) : source;
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return posix.normalize(path);
  if (!SCHEME.test(path)) return posix.join(folder, path);
  return posix.normalize(path.replace(SCHEME_AND_HOST, '').replace(/\?[^/]*$/, ''));
}

/** What is before a place in the line of its script. */
function textBefore({ script, lines }: LoadedMap, line: number, column: number): string | undefined {
  if (script === undefined) return undefined;
  const start = cached(lines, undefined, () => lineStarts(script))?.[line - 1];
  if (start === undefined) return undefined;
  return script.slice(start + Math.max(0, column - 1 - MAX_NAME_TEXT), start + column - 1);
}

/** The column, from 0, of the name before a function's parameters: `s(e)`, `s=e=>`, `s:function(e)`. */
function nameColumn(before: string | undefined, name: string, column: number): number | undefined {
  if (before === undefined) return undefined;
  const end = before.search(BETWEEN);
  return before.slice(0, end).endsWith(name) ? column - 1 - (before.length - end) - name.length : undefined;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
