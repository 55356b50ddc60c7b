/**
 * Source maps (ECMA-426): which file, line and function of the source a position in bundled, minified or compiled
 * JavaScript comes from. A map is found in the user's folders, beside the JavaScript, or inside it; never on a network.
 * Traces name the JavaScript, so the rules for opening files that they name apply.
 */
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TraceMap } from '@jridgewell/trace-mapping';
import { packageFolder } from '../base/package-files.ts';
import { cached } from './symbol-folders.ts';
import { openIn, readText } from './trusted-files.ts';

type TraceMapping = typeof import('@jridgewell/trace-mapping');

/** JavaScript and maps have at most so many characters: decoding takes about 150 ms for a million of them. */
const MAX_TEXT_LENGTH = 64 << 20;
/** All maps together have at most so many characters. */
const MAX_MAPS_LENGTH = 128 << 20;
/** The folders of a path that are looked for in the user's folders. */
const MAX_PATH_PARTS = 32;
/** What may be opened beside itself, without a folder from the user: JavaScript on this machine, on no other. */
const LOCAL_SCRIPT = /^(?:\/(?!\/)|[A-Za-z]:[\\/]).*\.[cm]?[jt]sx?$/;
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

interface LoadedMap {
  readonly map: TraceMap;
  /** What the map's sources are relative to, with slashes. */
  readonly folder: string;
  /** The text of the script, if it was found. */
  readonly script: string | undefined;
  /** Where the lines of sources begin, by source; of the script by an empty name. */
  readonly lines: Map<string, readonly number[] | undefined>;
}

export class SourceMaps {
  readonly #folders: readonly string[];
  readonly #maps = new Map<string, LoadedMap | undefined>();
  #room = MAX_MAPS_LENGTH;
  #library: TraceMapping | undefined;

  /** @param folders with maps, or with the JavaScript that has them, in any part of its path */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Returns undefined without a map, or if nothing in the source belongs to the place. */
  sourceOf(place: ScriptPlace): ScriptPlace | undefined {
    const path = pathOf(place.file);
    if (path === undefined) return undefined;
    const loaded = cached(this.#maps, path, () => this.#load(path));
    const { originalPositionFor } = this.#library ?? {};
    if (loaded === undefined || originalPositionFor === undefined) return undefined;
    const [line, column] = [place.line, place.column - 1];
    if (line < 1 || column < 0) return undefined;
    const found = originalPositionFor(loaded.map, { line, column });
    const { source } = found;
    if (source === null) return undefined;
    const name = this.#nameAt(loaded, place, { ...found, source }) ?? place.name;
    return { name, file: sourcePath(source, loaded.folder), line: found.line, column: found.column + 1 };
  }

  #nameAt(
    loaded: LoadedMap,
    { name, line, column }: ScriptPlace,
    found: { readonly source: string; readonly line: number; readonly column: number },
  ): string | undefined {
    const library = this.#library as TraceMapping;
    const before = textBefore(loaded, line, column);
    const at = name === '' ? undefined : nameColumn(before, name, column);
    if (at !== undefined) {
      const [from, , , , index] = library.traceSegment(loaded.map, line - 1, at) ?? [];
      if (from === at && index !== undefined) return loaded.map.names[index];
    } else if (before !== undefined || name === '') {
      const [from = 0] = library.traceSegment(loaded.map, line - 1, column - 1) ?? [];
      const between = from === column - 1 ? '' : before?.slice(from - (column - 1));
      // Otherwise, what the map says is about something before the function.
      if (between === undefined || !IS_FUNCTION.test(between)) return undefined;
    }
    const text = library.sourceContentFor(loaded.map, found.source);
    if (typeof text !== 'string') return undefined;
    const starts = cached(loaded.lines, found.source, () => lineStarts(text)) ?? [];
    const start = starts[found.line - 1];
    if (start === undefined) return undefined;
    const begin = start + found.column;
    const [, after] = NAME_AFTER.exec(text.slice(begin, begin + MAX_NAME_TEXT)) ?? [];
    if (after !== undefined && !KEYWORDS.test(after)) return after;
    const named = NAME_BEFORE.exec(text.slice(Math.max(0, begin - MAX_NAME_TEXT), begin))
      ?.slice(1)
      .find((each) => each !== undefined);
    return named === undefined || KEYWORDS.test(named) ? undefined : named;
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
      this.#library ??= createRequire(posix.join(packageFolder(), 'package.json'))(
        '@jridgewell/trace-mapping',
      ) as TraceMapping;
      const map = this.#library.AnyMap(JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')));
      // Decoded now, so that a broken one is noticed here.
      this.#library.traceSegment(map, 0, 0);
      return { map, folder, script, lines: new Map() };
    } catch {
      // It is none.
      return undefined;
    }
  }
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
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return path;
  if (!SCHEME.test(path)) return posix.join(folder, path);
  return posix.normalize(path.replace(SCHEME_AND_HOST, '').replace(/\?[^/]*$/, ''));
}

/** What is before a place in the line of its script. */
function textBefore({ script, lines }: LoadedMap, line: number, column: number): string | undefined {
  if (script === undefined) return undefined;
  const start = cached(lines, '', () => lineStarts(script))?.[line - 1];
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
