/** Names of scripts: V8's URLs, and short names for readers. */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPackageFolder } from '../../base/package-files.ts';

interface ScriptNames {
  /** Its location; a path, if it is a file. */
  readonly path: string;
  /** A short name: within its package, or relative to the working directory. */
  readonly name: string;
}

/** Functions of V8 and Node.js that are not JavaScript. */
const NATIVE: ScriptNames = { path: process.execPath, name: 'native' };
const EVALUATED: ScriptNames = { path: process.execPath, name: 'eval' };

const PACKAGES = '/node_modules/';
/** A `data:` URL can contain a whole program. */
const MAX_LENGTH = 200;

/**
 * @param scriptId V8's id, '0' if there is no script
 * @param folder what names are relative to
 */
export function scriptNames(url: string, scriptId: string, folder: string): ScriptNames {
  if (url === '') return scriptId === '0' ? NATIVE : EVALUATED;
  if (url.startsWith('node:')) return { path: process.execPath, name: url };
  const path = pathOf(url);
  if (path === undefined) {
    const short = url.slice(0, MAX_LENGTH);
    return { path: short, name: short };
  }
  return { path, name: nameOf(path, folder) };
}

let ownCode: string | undefined;

/** The folder of this package's code, with a separator; an impossible one if it is a part of the application. */
function folderOfOwnCode(): string {
  const folder = ownPackageFolder();
  return folder === undefined ? '\0' : join(folder, 'dist', sep);
}

function nameOf(path: string, folder: string): string {
  ownCode ??= folderOfOwnCode();
  const slashed = path.replaceAll(sep, '/');
  // A package that is linked is in no folder of packages.
  if (path.startsWith(ownCode)) return `tracewright/dist/${path.slice(ownCode.length).replaceAll(sep, '/')}`;
  const packageAt = slashed.lastIndexOf(PACKAGES);
  if (packageAt >= 0) return slashed.slice(packageAt + PACKAGES.length);
  const inside = relative(folder, path).replaceAll(sep, '/');
  // A script outside: of its directories, the last one says the most.
  return inside.startsWith('../') ? slashed.split('/').slice(-2).join('/') : inside;
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    // An invented URL.
    return undefined;
  }
}
