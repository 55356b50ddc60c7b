/** What is known about the providers of Windows: a file of the package, read when a trace first has an unknown one. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { packageFile } from '../base/package-files.ts';
import { type KnownProvider, WindowsProviders } from './windows-providers.ts';

let providers: WindowsProviders | undefined;

/** @param guid lower case */
export function windowsProvider(guid: string): KnownProvider | undefined {
  providers ??= new WindowsProviders(readPacked());
  return providers.find(guid);
}

/** A bundled application has no files of the package: there, nothing is known. */
function readPacked(): string {
  const file = packageFile('dist/windows-providers.br');
  return file === undefined ? '' : brotliDecompressSync(readFileSync(file)).toString('utf8');
}
