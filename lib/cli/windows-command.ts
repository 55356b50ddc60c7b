/**
 * A command as Windows' own prompt finds it: with the extensions of PATHEXT, and a batch file, which npm installs for
 * each program, run by cmd.exe. Node.js starts neither by its name alone.
 *
 * Source: "Everyone quotes command line arguments the wrong way" (Microsoft), and the advisory BatBadBut
 * (CVE-2024-24576) on what cmd.exe expands within quotes.
 */
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { UsageError } from './usage-error.ts';

export interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments stand in the command line as they are. */
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

/** What cannot be looked at is none. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Of those that PATHEXT may name, what a process can be started from; scripts of other hosts are not among them. */
const PROGRAMS = ['.com', '.exe'];
const BATCH_FILES = ['.bat', '.cmd'];
const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

/** cmd.exe takes these as they are, and so do batch files; all else stands in quotes. */
const PLAIN = /^[\w#$*+\-./:?@\\\u{a0}-\u{10ffff}]*$/u;
/** What ends a command line, whatever quotes it stands in. */
const LINE_ENDS = /[\0\r\n]/;

/**
 * How to start the command. One that is not found is left to Node.js, which says so.
 *
 * @throws UsageError for an argument that no batch file can be given
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
      `${name} is a batch file, which takes no argument of several lines: ${JSON.stringify(wrong)}.`,
    );
  }
  // No AutoRun of the user's, extensions for what follows, no expansion of "!", and the outer quotes taken away.
  const options = ['/d', '/e:on', '/v:off', '/s', '/c'];
  const line = [`"${file}"`, ...args.map(batchArgument)].join(' ');
  return { file: places.env.ComSpec ?? 'cmd.exe', args: [...options, `"${line}"`], isVerbatim: true };
}

/**
 * An argument as it comes through cmd.exe and a batch file that hands it on, as `%*`, to a program.
 *
 * Quotes are doubled: to cmd.exe they close and open again, so nothing between them is ever outside of quotes; to the
 * program they are one quote. A percent sign would expand a variable, in quotes too: behind it stands an expansion
 * of nothing, which is all that cmd.exe then finds.
 */
export function batchArgument(text: string): string {
  const escaped = text.replaceAll(/(\\*)"/g, '$1$1""').replaceAll('%', '%%cd:~,%');
  // An empty one would be none. A backslash at the end would escape a quote that the batch file puts behind it.
  if (text !== '' && PLAIN.test(text) && !text.endsWith('\\')) return escaped;
  return `"${escaped.replace(/\\+$/, '$&$&')}"`;
}

function foundFile(name: string, { env, folder, isFile }: WindowsPlaces): string | undefined {
  // What has a path is not looked for.
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
    // Windows has no file with a quote in its name; another system's must not end ours.
    if (found !== undefined && !found.includes('"')) return found;
  }
  return undefined;
}

/** As Windows has it: first, unless this variable says no. */
function currentFolder(env: WindowsPlaces['env'], folder: string): readonly string[] {
  return env.NoDefaultCurrentDirectoryInExePath === undefined ? [folder] : [];
}

function searchedFolders(env: WindowsPlaces['env']): readonly string[] {
  const folders = (env.PATH ?? '').split(';').map((folder) => folder.replaceAll('"', '').trim());
  // Relative ones would be of whatever folder we are in.
  return folders.filter((folder) => win32.isAbsolute(folder));
}

function extensionOf(file: string): string {
  return win32.extname(file).toLowerCase();
}
