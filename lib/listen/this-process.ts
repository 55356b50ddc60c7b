/** What this process reports about itself, in the form that .NET's tools expect. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessInfo } from '../wire/diagnostics-ipc/process-info.ts';

const OPERATING_SYSTEMS: Readonly<Record<string, string>> = {
  linux: 'Linux',
  win32: 'Windows',
  darwin: 'macOS',
  freebsd: 'FreeBSD',
};
/** The first parts of .NET's platform names. */
const PLATFORMS: Readonly<Record<string, string>> = { win32: 'win', darwin: 'osx' };
const ARCHITECTURES: Readonly<Record<string, string>> = { ia32: 'x86', arm: 'arm32' };
/** A reply is a single message, and must have room for everything. */
const MAX_COMMAND_LINE = 16_384;

const MUSL = /\/(?:ld-musl-[^/]+\.so\.1|libc\.so)$/m;

const architecture = ARCHITECTURES[process.arch] ?? process.arch;

/** Identifies this process; constant for its lifetime. */
let runtimeCookie: string | undefined;

/** The script, or the program if there is none. */
export function entryPoint(): string {
  return basename(process.argv[1] ?? process.argv0);
}

export function thisProcess(): ProcessInfo {
  const { argv, argv0, execArgv, platform } = process;
  runtimeCookie ??= crypto.randomUUID();
  return {
    processId: BigInt(process.pid),
    runtimeCookie,
    commandLine: [argv0, ...execArgv, ...argv.slice(1)].join(' ').slice(0, MAX_COMMAND_LINE),
    operatingSystem: OPERATING_SYSTEMS[platform] ?? platform,
    architecture,
    entryAssembly: entryPoint(),
    // Without the "v" of process.version, which tools would not accept as a version.
    productVersion: process.versions.node,
    runtimeIdentifier: runtimeIdentifier(),
  };
}

/** The name of the platform, such as `linux-musl-x64`. Source: .NET's catalog of runtime identifiers. */
function runtimeIdentifier(): string {
  const platform = PLATFORMS[process.platform] ?? process.platform;
  const library = hasMusl() ? '-musl' : '';
  return `${platform}${library}-${process.arch === 'arm' ? 'arm' : architecture}`;
}

/**
 * Whether the C library is musl, which is its own loader: a file that is mapped under the loader's name in Alpine, and as
 * libc.so, to which the loader links, where musl is installed by its own Makefile.
 */
function hasMusl(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return MUSL.test(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return false;
  }
}
