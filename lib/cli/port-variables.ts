/** The variables with which a command, and all that it starts, connects to a diagnostic port of ours and waits. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../base/package-files.ts';

/**
 * Programs of .NET connect by themselves; those of Node.js are made to, by a module of ours that they load first.
 *
 * @param address of the port
 */
export function portVariables(address: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options } = process.env;
  const register = pathToFileURL(join(packageFolder(), 'dist/cjs/diagnostics-register.mjs'));
  // A URL has no blanks and no quotes, which would have a meaning there.
  const load = `--import=${register.href}`;
  return {
    DOTNET_DiagnosticPorts: `${address},connect,suspend`,
    NODE_OPTIONS: options === undefined || options === '' ? load : `${options} ${load}`,
  };
}
