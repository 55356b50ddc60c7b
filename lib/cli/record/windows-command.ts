/**
 * Finds a command like Windows' own prompt: with the extensions of PATHEXT, and with cmd.exe for batch files, which npm
 * installs for each program. Node.js cannot start either by name alone.
 *
 * Source: "Everyone quotes command line arguments the wrong way" (Microsoft), and the advisory BatBadBut
 * (CVE-2024-24576) on what cmd.exe expands within quotes.
 */
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { UsageError } from '../parse-options.ts';

interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments are already quoted for the command line. */
  readonly isVerbatim: boolean;
}

/** What the search depends on. */
export interface WindowsPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  isFile(path: string): boolean;
}

function here(): WindowsPlaces {
  return { env: process.env, folder: process.cwd(), isFile };
}

/** A file that cannot be examined counts as missing. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The extensions in PATHEXT from which a process can be started; not the scripts of other hosts. */
const PROGRAMS = ['.com', '.exe'];
const BATCH_FILES = ['.bat', '.cmd'];
const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

/** cmd.exe and batch files take these unchanged; everything else is quoted. */
const PLAIN = /^[\w#$*+\-./:?@\\\u{a0}-\u{10ffff}]*$/u;
/** Ends a command line, even within quotes. */
const LINE_ENDS = /[\0\r\n]/;

/**
 * How to start the command. If it is not found, Node.js reports that.
 *
 * @throws UsageError for an argument that cannot be passed to a batch file
 */
export function windowsCommand(
  name: string,
  args: readonly string[],
  places: WindowsPlaces = here(),
): WindowsCommand {
  const file = foundFile(name, places);
  if (file === undefined) return { file: name, args, isVerbatim: false };
  if (!BATCH_FILES.includes(extensionOf(file))) return { file, args, isVerbatim: false };
  const wrong = args.find((arg) => LINE_ENDS.test(arg));
  if (wrong !== undefined) {
    throw new UsageError(
      `${name} is a batch file, to which an argument with several lines cannot be passed: ${JSON.stringify(wrong)}.`,
    );
  }
  // No AutoRun of the user's, extensions for what follows, no expansion of "!", and the outer quotes removed.
  const options = ['/d', '/e:on', '/v:off', '/s', '/c'];
  const line = [`"${file}"`, ...args.map(batchArgument)].join(' ');
  return { file: places.env.ComSpec ?? 'cmd.exe', args: [...options, `"${line}"`], isVerbatim: true };
}

/**
 * An argument quoted for cmd.exe and for a batch file that passes it on to a program as `%*`.
 *
 * Quotes are doubled: for cmd.exe they close and reopen, so nothing between them is ever outside quotes; for the
 * program they are one quote. A percent sign would expand a variable, even in quotes: it is followed by an expansion of
 * nothing, so that cmd.exe expands only that.
 */
export function batchArgument(text: string): string {
  const escaped = text.replaceAll(/(?<!\\)(\\*)"/g, '$1$1""').replaceAll('%', '%%cd:~,%');
  // An empty argument would vanish. A backslash at the end would escape a quote that the batch file adds after it.
  if (text !== '' && PLAIN.test(text) && !text.endsWith('\\')) return escaped;
  return `"${escaped.replace(/(?<!\\)\\+$/, '$&$&')}"`;
}

function foundFile(name: string, { env, folder, isFile }: WindowsPlaces): string | undefined {
  // A path is not searched for.
  const folders = /[\\/:]/.test(name) ? [folder] : [...currentFolder(env, folder), ...searchedFolders(env)];
  const extensions = (env.PATHEXT ?? DEFAULT_EXTENSIONS)
    .split(';')
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => PROGRAMS.includes(extension) || BATCH_FILES.includes(extension));
  const names = extensions.includes(extensionOf(name))
    ? [name]
    : extensions.map((extension) => name + extension);
  for (const each of folders) {
    const found = names.map((file) => win32.resolve(each, file)).find(isFile);
    // No Windows file name contains a quote; on other systems it must not end ours.
    if (found !== undefined && !found.includes('"')) return found;
  }
  return undefined;
}

/** The current folder is searched first, as by Windows, unless this variable is set. */
function currentFolder(env: WindowsPlaces['env'], folder: string): readonly string[] {
  return env.NoDefaultCurrentDirectoryInExePath === undefined ? [folder] : [];
}

function searchedFolders(env: WindowsPlaces['env']): readonly string[] {
  const folders = (env.PATH ?? '').split(';').map((folder) => folder.replaceAll('"', '').trim());
  // Relative folders would depend on the current one.
  return folders.filter((folder) => win32.isAbsolute(folder));
}

function extensionOf(file: string): string {
  return win32.extname(file).toLowerCase();
}
