/**
 * Where the package's own files are. Compiled modules and bundles both lie two folders below the package folder, so one
 * rule serves both. A bundled application no longer has the package folder; the files it needs are then beside the
 * bundle.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder of the running code. The package's own CommonJS takes `import.meta` from its faces for bundlers
 * (scripts/compile.mjs): in a bundle that is a module, `__dirname` is not defined.
 */
const codeFolder: string | undefined = typeof __dirname === 'string' ? __dirname : import.meta.dirname;

/** The folder of the package's package.json. */
export function packageFolder(): string {
  return join(codeFolder ?? '.', '../..');
}

/** The folder of the running code's package; undefined if the code is a part of a bundled application. */
export function ownPackageFolder(): string | undefined {
  return codeFolder !== undefined && isThisPackage(packageFolder(), codeFolder) ? packageFolder() : undefined;
}

/** Folders to search for the package's binaries, the most likely first: the package's own, then the bundle's. */
export function binaryFolders(): string[] {
  const folders = new Set<string>();
  if (codeFolder !== undefined) folders.add(ownPackageFolder() ?? codeFolder);
  if (process.argv[1] !== undefined) folders.add(dirname(process.argv[1]));
  return [...folders];
}

/**
 * Two folders above a bundle can be anything, even `/tmp`, where others can plant files: the package's own package.json
 * has its name, and the same owner as the code.
 */
function isThisPackage(folder: string, code: string): boolean {
  try {
    const { uid } = statSync(join(folder, 'package.json'));
    return uid === statSync(code).uid && manifestOf(folder).name === 'tracewright';
  } catch {
    return false;
  }
}

/** @returns its path; undefined if only a bundle of the package exists */
export function packageFile(path: string): string | undefined {
  return binaryFolders()
    .map((folder) => join(folder, path))
    .find((file) => existsSync(file));
}

export function packageVersion(): string {
  return manifestOf(packageFolder()).version;
}

function manifestOf(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
