/** The environment variables that make a command, and everything it starts, connect to our diagnostic port and wait. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../base/package-files.ts';

/**
 * .NET programs connect by themselves; Node.js programs are made to, by a module of ours that they load first.
 *
 * @param address of the port
 */
export function portVariables(address: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options } = process.env;
  const register = pathToFileURL(join(packageFolder(), 'dist/cjs/diagnostics-register.mjs'));
  // A URL has no spaces and no quotes, which have a meaning in NODE_OPTIONS.
  const load = `--import=${register.href}`;
  return {
    DOTNET_DiagnosticPorts: `${address},connect,suspend`,
    NODE_OPTIONS: options === undefined || options === '' ? load : `${options} ${load}`,
  };
}
