/**
 * `tracewright manifest FILE --resources DIR`: what installs manifests in Windows. The Event Log looks for names and
 * messages in a DLL, which Windows' own tools make of the manifest.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from './messages.ts';

export interface NamedManifest {
  /** The provider's. */
  readonly name: string;
  readonly xml: string;
}

/** @throws Error if two manifests would have the same file */
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
  await mkdir(folder, { recursive: true });
  for (const { file, xml } of named) await writeFile(join(folder, `${file}.man`), xml);
  const scripts = {
    'build.cmd': build(files),
    'install.cmd': install(files),
    'uninstall.cmd': uninstall(files),
  };
  for (const [name, lines] of Object.entries(scripts)) {
    await writeFile(join(folder, name), [...lines, ''].join('\r\n'));
  }
  say(`Wrote ${[...files.map((file) => `${file}.man`), ...Object.keys(scripts)].join(', ')} to ${folder}.`);
}

/** A name that neither Windows nor its command prompt takes for anything else. */
function fileNameOf(provider: string): string {
  return provider.replaceAll(/[^A-Za-z0-9_.-]/g, '_').replace(/^[.-]/, '_');
}

const FAILED = 'if errorlevel 1 exit /b 1';
const BEGINNING = ['@echo off', 'setlocal', 'cd /d "%~dp0"'];

/** `csc` is part of every Windows, unlike a linker, and puts resources into a DLL just as well. */
function build(files: readonly string[]): string[] {
  return [
    ...BEGINNING,
    'rem Makes the DLLs with names and messages. mc and rc are in the Windows SDK: run this in its command prompt.',
    'set csc=%WINDIR%\\Microsoft.NET\\Framework\\v4.0.30319\\csc.exe',
    'type nul > empty.cs',
    ...files.flatMap((file) => [
      `mc ${file}.man`,
      FAILED,
      `rc /nologo ${file}.rc`,
      FAILED,
      `"%csc%" /nologo /target:library /win32res:${file}.res /out:${file}.dll empty.cs`,
      FAILED,
    ]),
    'del empty.cs',
  ];
}

function install(files: readonly string[]): string[] {
  return [
    ...BEGINNING,
    'rem As administrator, in a folder that services can read. What was installed before is replaced.',
    ...files.flatMap((file) => [
      `if not exist ${file}.dll (echo ${file}.dll is missing: run build.cmd first.& exit /b 1)`,
      `wevtutil um ${file}.man 2> nul`,
      `wevtutil im ${file}.man /rf:"%~dp0${file}.dll" /mf:"%~dp0${file}.dll"`,
      FAILED,
    ]),
  ];
}

function uninstall(files: readonly string[]): string[] {
  return [...BEGINNING, 'rem As administrator.', ...files.map((file) => `wevtutil um ${file}.man`)];
}
