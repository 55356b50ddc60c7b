/** `tracewright manifest FILE`: the manifests of the event sources that a module defines. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { definedSources, generateManifest } from '../source/manifest.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `Usage: tracewright manifest FILE

Runs the JavaScript module FILE, and prints an ETW manifest (XML) for each event source that it, or what it
imports, defines. On Windows, "wevtutil im" installs one; tools that know .NET's EventSource need it not.
`;

/** @throws UsageError */
export async function manifestCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0)
    throw new UsageError(`manifest takes one file.\n\n${USAGE.trimEnd()}`);
  await import(pathToFileURL(resolve(file)).href);
  const sources = definedSources();
  if (sources.length === 0) throw new Error(`${file} defines no event source.`);
  for (const source of sources) process.stdout.write(`${generateManifest(source)}\n`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
