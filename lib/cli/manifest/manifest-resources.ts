/**
 * `tracewright manifest FILE --resources DIR`: what installs manifests in Windows, with the DLLs in which the Event Log
 * looks for names and messages.
 */
import { join } from 'node:path';
import { makeFolders } from '../../base/folders.ts';
import { writeOutput } from '../../base/output-file.ts';
import { thrownMessage } from '../../base/value-text.ts';
import { compileManifest } from '../../wire/manifest/resource/compile.ts';
import { say } from '../messages.ts';

/** They describe a program, and services read them. */
const FOR_SERVICES = { mode: 0o644 };

export interface NamedManifest {
  /** The provider's. */
  readonly name: string;
  readonly xml: string;
}

/** @throws Error if two manifests would have the same file, or one cannot be compiled; then it writes none */
export async function writeResources(folder: string, manifests: readonly NamedManifest[]): Promise<void> {
  const named = manifests.map(({ name, xml }) => ({ name, xml, file: fileNameOf(name) }));
  for (const [index, { name, file }] of named.entries()) {
    const other = named.slice(0, index).find((earlier) => earlier.file.toLowerCase() === file.toLowerCase());
    if (other === undefined) continue;
    throw new Error(
      `The event sources "${other.name}" and "${name}" would have the same file, ${file}.man: define them in different modules.`,
    );
  }
  const files = named.map(({ file }) => file);
  const libraries = named.map(({ name, xml }) => compiled(name, xml));
  makeFolders(folder);
  for (const [index, { file, xml }] of named.entries()) {
    writeOutput(join(folder, `${file}.man`), xml, FOR_SERVICES);
    writeOutput(join(folder, `${file}.dll`), libraries[index] as Uint8Array, FOR_SERVICES);
  }
  const scripts = {
    'install.cmd': install(files),
    'uninstall.cmd': uninstall(files),
  };
  for (const [name, lines] of Object.entries(scripts)) {
    writeOutput(join(folder, name), [...lines, ''].join('\r\n'), FOR_SERVICES);
  }
  say(
    `Wrote ${[...files.flatMap((file) => [`${file}.man`, `${file}.dll`]), ...Object.keys(scripts)].join(', ')} to ${folder}.`,
  );
}

function compiled(name: string, xml: string): Uint8Array {
  try {
    return compileManifest(xml);
  } catch (error) {
    throw new Error(`${name}: ${thrownMessage(error)}`, { cause: error });
  }
}

/** A name that neither Windows nor its command prompt takes for anything else. */
function fileNameOf(provider: string): string {
  return provider.replaceAll(/[^A-Za-z0-9_.-]/g, '_').replace(/^[.-]/, '_');
}

const FAILED = 'if errorlevel 1 exit /b 1';
const BEGINNING = ['@echo off', 'setlocal', 'cd /d "%~dp0"'];

function install(files: readonly string[]): string[] {
  return [
    ...BEGINNING,
    'rem As administrator, in a folder that services can read. What was installed before is replaced.',
    ...files.flatMap((file) => [
      `wevtutil um ${file}.man 2> nul`,
      `wevtutil im ${file}.man /rf:"%~dp0${file}.dll" /mf:"%~dp0${file}.dll"`,
      FAILED,
    ]),
  ];
}

function uninstall(files: readonly string[]): string[] {
  return [...BEGINNING, 'rem As administrator.', ...files.map((file) => `wevtutil um ${file}.man`)];
}
