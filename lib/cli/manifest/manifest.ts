/**
 * `tracewright manifest FILE`: prints the manifests of the event sources that a module defines. The module runs in a
 * child process whose stdout is our stderr: nothing that the application prints, by whatever means, mixes with the XML,
 * and a module that would run for ever can be stopped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { thrownMessage, thrownText } from '../../base/value-text.ts';
import { definedSources, generateManifest } from '../../source/manifest.ts';
import { FOLDER } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { StandardOutput } from '../command-output.ts';
import type { NamedManifest } from './manifest-resources.ts';

export const commandLine = new CommandLine('manifest', 'FILE [--resources DIR]', [
  `Loads the JavaScript module FILE and prints an ETW manifest (XML) for each event source that it, or a module that it
  imports, has defined. The output of FILE goes to stderr. On Windows, "wevtutil im" installs a manifest; tools that
  support .NET's EventSource need none.`,
  {
    resources: FOLDER.option(`instead of printing them, writes the manifests to the folder DIR as NAME.man,
        with NAME.dll for their names and messages, and install.cmd and uninstall.cmd for administrators of
        Windows`),
  },
]);

/** Tells the child process that it runs the module. */
const MODULE_VARIABLE = 'TRACEWRIGHT_MANIFEST_MODULE';
/** The child process writes its result here. */
const RESULT_FD = 3;

interface Result {
  readonly manifests: readonly NamedManifest[];
  /** Why there are no manifests, as a sentence. */
  readonly problem?: string;
}

/** @throws UsageError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.file(args);
  if (given === undefined) return;
  if (process.env[MODULE_VARIABLE] !== undefined) return runModule(given.file);
  const { manifests, problem } = await resultOf(given.file, args);
  if (problem !== undefined) throw new Error(problem);
  const { resources } = given.values;
  if (resources !== undefined) {
    const { writeResources } = await import('./manifest-resources.ts');
    return writeResources(resources, manifests);
  }
  const output = new StandardOutput();
  for (const { xml } of manifests) await output.write(`${xml}\n`);
}

async function resultOf(file: string, args: readonly string[]): Promise<Result> {
  const program = [...process.execArgv, process.argv[1] as string, 'manifest', ...args];
  const child = spawn(process.execPath, program, {
    stdio: ['inherit', process.stderr, 'inherit', 'pipe'],
    env: { ...process.env, [MODULE_VARIABLE]: '1' },
  });
  const [json, [status, signal]] = await Promise.all([
    text(child.stdio[RESULT_FD] as Readable),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (json !== '') return JSON.parse(json) as Result;
  const how = signal === null ? `with status ${status}` : `by ${signal}`;
  return { manifests: [], problem: `${file} ended ${how} before its event sources could be read.` };
}

/** Runs in the child process, and exits it. */
async function runModule(file: string): Promise<never> {
  // Processes that the module starts must not inherit it.
  delete process.env[MODULE_VARIABLE];
  let problem: string | undefined;
  // Even if the module itself exits the process.
  process.once('exit', () => writeFileSync(RESULT_FD, JSON.stringify(found(file, problem))));
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    problem = thrownMessage(error);
  }
  process.exit();
}

function found(file: string, problem: string | undefined): Result {
  if (problem !== undefined) return { manifests: [], problem };
  try {
    const manifests = definedSources().map((source) => ({
      name: source.name,
      xml: generateManifest(source),
    }));
    if (manifests.length > 0) return { manifests };
    return { manifests, problem: `${file} defines no event source.` };
  } catch (error) {
    return { manifests: [], problem: thrownText((error as Partial<Error>).message ?? error) };
  }
}
