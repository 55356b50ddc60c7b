/** `tracewright manifest FILE`: the manifests of the event sources that a module defines. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definedSources, generateManifest } from '../source/manifest.ts';
import { fileArguments } from './file-arguments.ts';

const USAGE = `Usage: tracewright manifest FILE

Runs the JavaScript module FILE, and prints an ETW manifest (XML) for each event source that it, or what it
imports, defines. On Windows, "wevtutil im" installs one; tools that know .NET's EventSource need it not.
`;

/** @throws UsageError */
export async function manifestCommand(args: readonly string[]): Promise<void> {
  const given = fileArguments('manifest', USAGE, args, {});
  if (given === undefined) return;
  await import(pathToFileURL(resolve(given.file)).href);
  const sources = definedSources();
  if (sources.length === 0) throw new Error(`${given.file} defines no event source.`);
  for (const source of sources) process.stdout.write(`${generateManifest(source)}\n`);
}
