/**
 * Where the package's own files are. Compiled modules and bundles alike lie two folders below the package's, so one
 * rule serves both. An application that bundles tracewright takes its code out of there; what it needs of the
 * package's files lies beside the bundle then.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder of the running code. Bundlers that write CommonJS leave `import.meta` empty, and know `__dirname`
 * instead.
 */
function codeFolder(): string | undefined {
  return import.meta.dirname ?? (typeof __dirname === 'string' ? __dirname : undefined);
}

/** The folder of the package's package.json. */
export function packageFolder(): string {
  return join(codeFolder() ?? '.', '../..');
}

/**
 * Folders that the package's binaries are looked for in, the likeliest first: the package's own, then a bundle's.
 */
export function binaryFolders(): string[] {
  const code = codeFolder();
  const folders = new Set<string>();
  if (code !== undefined) folders.add(isThisPackage(packageFolder(), code) ? packageFolder() : code);
  if (process.argv[1] !== undefined) folders.add(dirname(process.argv[1]));
  return [...folders];
}

/**
 * Two folders above a bundle may be anything, `/tmp` too, where others put what they like: the package's own
 * package.json has its name, and the owner of its code.
 */
function isThisPackage(folder: string, code: string): boolean {
  try {
    const { uid } = statSync(join(folder, 'package.json'));
    return uid === statSync(code).uid && manifestOf(folder).name === 'tracewright';
  } catch {
    return false;
  }
}

export function packageVersion(): string {
  return manifestOf(packageFolder()).version;
}

function manifestOf(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
