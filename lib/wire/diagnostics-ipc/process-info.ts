/** What a process reports about itself: the reply to ProcessInfo, versions 1 to 3. */
import type { MessageCursor } from './message-cursor.ts';
import type { MessageWriter } from './message-writer.ts';

export type ProcessInfoVersion = 1 | 2 | 3;

export interface ProcessInfo {
  /** The id in the process's own namespace. */
  readonly processId: bigint;
  /** Random, and constant for the lifetime of the process: lower-case GUID text. */
  readonly runtimeCookie: string;
  readonly commandLine: string;
  /** `Linux`, `Windows`, `macOS`. */
  readonly operatingSystem: string;
  /** `x64`, `arm64`. */
  readonly architecture: string;
  /** The name of what the process runs. It and the version are present from version 2 on. */
  readonly entryAssembly?: string | undefined;
  /** The runtime's version, such as `10.0.1`. */
  readonly productVersion?: string | undefined;
  /** The platform, such as `linux-x64`, from version 3 on. */
  readonly runtimeIdentifier?: string | undefined;
}

/** The first field of version 3. */
const STRUCTURE_VERSION = 1;

/** Absent texts are written as empty ones: .NET's client cannot read absent texts in a reply. */
export function writeProcessInfo(
  writer: MessageWriter,
  version: ProcessInfoVersion,
  info: ProcessInfo,
): void {
  if (version >= 3) writer.uint32(STRUCTURE_VERSION);
  writer.uint64(info.processId);
  writer.guid(info.runtimeCookie);
  writer.text(info.commandLine);
  writer.text(info.operatingSystem);
  writer.text(info.architecture);
  if (version < 2) return;
  writer.text(info.entryAssembly ?? '');
  writer.text(info.productVersion ?? '');
  if (version >= 3) writer.text(info.runtimeIdentifier ?? '');
}

/** @throws DiagnosticsIpcError */
export function readProcessInfo(payload: MessageCursor, version: ProcessInfoVersion): ProcessInfo {
  // Later structures have more at their end, which is ignored.
  if (version >= 3) payload.uint32();
  const info: ProcessInfo = {
    processId: payload.uint64(),
    runtimeCookie: payload.guid(),
    commandLine: payload.text() ?? '',
    operatingSystem: payload.text() ?? '',
    architecture: payload.text() ?? '',
  };
  if (version < 2) return info;
  const named = { ...info, entryAssembly: payload.text(), productVersion: payload.text() };
  return version >= 3 ? { ...named, runtimeIdentifier: payload.text() } : named;
}

/** The script or assembly; for old runtimes, which do not report it, the program's file. */
export function processName({ entryAssembly, commandLine }: ProcessInfo): string {
  if (entryAssembly !== undefined && entryAssembly !== '') return entryAssembly;
  const { quoted, plain } = /^"(?<quoted>[^"]*)"|^(?<plain>\S*)/.exec(commandLine)?.groups ?? {};
  return (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? '';
}
