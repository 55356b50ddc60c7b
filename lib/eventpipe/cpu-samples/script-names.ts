/** Scripts as V8 knows them, by their URLs, and as people like to read them. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ScriptNames {
  /** Where it is: a path, if it is a file. */
  readonly path: string;
  /** Short: inside its package, or seen from the working folder. */
  readonly name: string;
}

/** Functions of V8 and Node.js that are not JavaScript. */
const NATIVE: ScriptNames = { path: process.execPath, name: 'native' };
const EVALUATED: ScriptNames = { path: process.execPath, name: 'eval' };

const PACKAGES = '/node_modules/';
/** A `data:` URL can be as long as a program. */
const MAX_LENGTH = 200;

/**
 * @param scriptId V8's, '0' where there is no script
 * @param folder what names start from
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

function nameOf(path: string, folder: string): string {
  const slashed = path.replaceAll(sep, '/');
  const packageAt = slashed.lastIndexOf(PACKAGES);
  if (packageAt >= 0) return slashed.slice(packageAt + PACKAGES.length);
  const inside = relative(folder, path).replaceAll(sep, '/');
  // Else it is elsewhere; of its folders, the last one tells most.
  return inside.startsWith('../') ? slashed.split('/').slice(-2).join('/') : inside;
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    // One that somebody made up.
    return undefined;
  }
}
