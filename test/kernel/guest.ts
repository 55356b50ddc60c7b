/** Runs the programs next to this file on a kernel with user_events, as root, and reads their output. */
import { fileURLToPath } from 'node:url';
import { isRequired } from '../../scripts/lib/require.mjs';
import { runInVm, vmUnavailable } from '../../scripts/vm/index.mjs';

export type KernelKind = 'uml' | 'qemu';

/** Why the tests of this kernel are skipped; undefined when they are not, or must not be. */
export function skipReason(kernel: KernelKind): string | undefined {
  return isRequired(kernel === 'uml' ? 'kernel' : 'qemu') ? undefined : vmUnavailable(kernel);
}

/** For the name of a suite. */
export function suiteName(what: string, kernel: KernelKind): string {
  const reason = skipReason(kernel);
  return reason === undefined ? `${what} (${kernel})` : `${what} (${kernel}; skipped: ${reason})`;
}

export const programs = fileURLToPath(new URL('programs', import.meta.url));

export interface GuestOptions {
  readonly kernel?: KernelKind;
  /** Folders that the guest may write to. */
  readonly rw?: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
}

/** What `recorded.mjs` ends with, and so whatever records it. */
const RECORDED = 3;

/** Runs a shell script in the guest, in the folder of the programs; returns what it printed. */
export async function runScript(script: string, options: GuestOptions = {}): Promise<string> {
  const { kernel = 'uml', rw = [], timeout = 120 } = options;
  const command = ['sh', '-c', `cd '${programs}' && ${script}`];
  const result = await runInVm(command, { kernel, rw: [...rw], timeout });
  if (result.status !== 0 && result.status !== RECORDED) {
    throw new Error(`The script ended with ${result.status}:\n${script}\n${result.stdout}${result.stderr}`);
  }
  return result.stdout;
}

/** Runs one of the programs in the guest; returns the JSON that it printed last. */
export async function runProgram<Result>(
  program: string,
  args: readonly (string | number)[] = [],
  options: GuestOptions = {},
): Promise<Result> {
  const output = await runScript(`node ${program} ${args.join(' ')}`, options);
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Result;
}
