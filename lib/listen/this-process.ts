/** What this process tells of itself, as .NET's tools expect it of a process of .NET. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessInfo } from '../wire/diagnostics-ipc/process-info.ts';

const OPERATING_SYSTEMS: Readonly<Record<string, string>> = {
  linux: 'Linux',
  win32: 'Windows',
  darwin: 'macOS',
  freebsd: 'FreeBSD',
};
/** As the names of .NET's platforms begin. */
const PLATFORMS: Readonly<Record<string, string>> = { win32: 'win', darwin: 'osx' };
const ARCHITECTURES: Readonly<Record<string, string>> = { ia32: 'x86', arm: 'arm32' };
/** A reply is one message, and has room for all of it. */
const MAX_COMMAND_LINE = 16_384;

const architecture = ARCHITECTURES[process.arch] ?? process.arch;

/** Tells this process from all others; the same as long as it lives. */
let runtimeCookie: string | undefined;

export function thisProcess(): ProcessInfo {
  const { argv, argv0, execArgv, platform } = process;
  runtimeCookie ??= crypto.randomUUID();
  return {
    processId: BigInt(process.pid),
    runtimeCookie,
    commandLine: [argv0, ...execArgv, ...argv.slice(1)].join(' ').slice(0, MAX_COMMAND_LINE),
    operatingSystem: OPERATING_SYSTEMS[platform] ?? platform,
    architecture,
    entryAssembly: basename(argv[1] ?? argv0),
    // Without the "v" of process.version, with which no tool takes it for a version.
    productVersion: process.versions.node,
    runtimeIdentifier: runtimeIdentifier(),
  };
}

/** As `linux-musl-x64`. Source: .NET's catalog of runtime identifiers. */
function runtimeIdentifier(): string {
  const platform = PLATFORMS[process.platform] ?? process.platform;
  const library = hasMusl() ? '-musl' : '';
  return `${platform}${library}-${process.arch === 'arm' ? 'arm' : architecture}`;
}

/** Whether the C library is musl, whose loader is then mapped. */
function hasMusl(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-');
  } catch {
    return false;
  }
}
