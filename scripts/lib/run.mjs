// Runs a build tool, silent unless it fails.
import { spawnSync } from 'node:child_process';

/** A tool that could not be started or that failed; `output` contains its whole output. */
export class ToolError extends Error {
  constructor(message, output) {
    super(message);
    this.name = 'ToolError';
    this.output = output;
  }
}

/**
 * Runs a program to its end and returns its stdout.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 * @returns {string}
 * @throws {ToolError} if it cannot be started or its exit status is not 0
 */
export function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    maxBuffer: 1024 ** 3,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    encoding: 'utf8',
  });
  const what = [program, ...args].join(' ');
  if (result.error) throw new ToolError(`"${what}" could not be run: ${result.error.message}.`, '');
  if (result.status !== 0) {
    const end = result.signal ? `was killed by ${result.signal}` : `ended with exit status ${result.status}`;
    throw new ToolError(`"${what}" ${end}.`, `${result.stdout ?? ''}${result.stderr ?? ''}`);
  }
  return result.stdout ?? '';
}

/** Prints an error as a command-line tool does: the output of a failed tool, then one sentence. */
export function report(error) {
  if (error instanceof ToolError && error.output) process.stderr.write(`${error.output.trimEnd()}\n`);
  process.stderr.write(`${error instanceof ToolError ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
