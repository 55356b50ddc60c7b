/** The requests of a client: every command of the protocol, as bytes and back. */
import { readTracing, writeTracing } from './collect-tracing.ts';
import {
  CommandSet,
  DumpCommand,
  EventPipeCommand,
  PerfMapType,
  ProcessCommand,
  ProfilerCommand,
} from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import { encodeMessage, readMessage } from './message.ts';
import type { MessageCursor } from './message-cursor.ts';
import type { MessageWriter } from './message-writer.ts';
import type { ProcessInfoVersion } from './process-info.ts';
import type { Tracing, TracingVersion } from './tracing.ts';

export type Request =
  | {
      readonly command: 'GenerateCoreDump';
      readonly version: 1 | 2 | 3;
      readonly path: string;
      readonly dumpType: number;
      /** Version 1 says whether diagnostic output is requested. */
      readonly flags: number;
    }
  | { readonly command: 'StopTracing' | 'CaptureState'; readonly sessionId: bigint }
  | { readonly command: 'CollectTracing'; readonly version: TracingVersion; readonly tracing: Tracing }
  | {
      readonly command: 'AttachProfiler';
      readonly timeoutMs: number;
      readonly profilerGuid: string;
      readonly path: string;
      readonly data: Uint8Array;
    }
  | { readonly command: 'StartupProfiler'; readonly profilerGuid: string; readonly path: string }
  | { readonly command: 'ProcessInfo'; readonly version: ProcessInfoVersion }
  | { readonly command: 'ResumeRuntime' }
  | { readonly command: 'ProcessEnvironment' }
  /** The variable is removed if there is no value. */
  | {
      readonly command: 'SetEnvironmentVariable';
      readonly name: string;
      readonly value: string | undefined;
    }
  /** `mapType`: one of `PerfMapType`. */
  | { readonly command: 'EnablePerfMap'; readonly mapType: number }
  | { readonly command: 'DisablePerfMap' }
  | { readonly command: 'ApplyStartupHook'; readonly path: string };

const PROCESS_INFO_COMMANDS: Readonly<Record<ProcessInfoVersion, number>> = {
  1: ProcessCommand.ProcessInfo,
  2: ProcessCommand.ProcessInfo2,
  3: ProcessCommand.ProcessInfo3,
};
const PERF_MAP_TYPES: readonly number[] = Object.values(PerfMapType);
const COMMAND_SET_OFFSET = 16;

/** @throws DiagnosticsIpcError if it does not fit into a message, or its version */
export function encodeRequest(request: Request): Uint8Array {
  switch (request.command) {
    case 'GenerateCoreDump':
      return encodeMessage(CommandSet.Dump, DumpCommand.GenerateCoreDump + request.version - 1, (writer) => {
        writer.text(request.path);
        writer.uint32(request.dumpType);
        writer.uint32(request.flags);
      });
    case 'StopTracing':
    case 'CaptureState':
      return encodeMessage(CommandSet.EventPipe, EventPipeCommand[request.command], (writer) =>
        writer.uint64(request.sessionId),
      );
    case 'CollectTracing':
      return encodeMessage(
        CommandSet.EventPipe,
        EventPipeCommand.CollectTracing + request.version - 1,
        (writer) => writeTracing(writer, request.version, request.tracing),
      );
    case 'AttachProfiler':
      return encodeMessage(CommandSet.Profiler, ProfilerCommand.AttachProfiler, (writer) => {
        writer.uint32(request.timeoutMs);
        writer.guid(request.profilerGuid);
        writer.text(request.path);
        writer.uint32(request.data.length);
        writer.bytes(request.data);
      });
    case 'StartupProfiler':
      return encodeMessage(CommandSet.Profiler, ProfilerCommand.StartupProfiler, (writer) => {
        writer.guid(request.profilerGuid);
        writer.text(request.path);
      });
    case 'ProcessInfo':
      return encodeMessage(CommandSet.Process, PROCESS_INFO_COMMANDS[request.version]);
    case 'SetEnvironmentVariable':
      return processMessage(ProcessCommand.SetEnvironmentVariable, (writer) => {
        writer.text(request.name);
        writer.text(request.value);
      });
    case 'EnablePerfMap':
      return processMessage(ProcessCommand.EnablePerfMap, (writer) => writer.uint32(request.mapType));
    case 'ApplyStartupHook':
      return processMessage(ProcessCommand.ApplyStartupHook, (writer) => writer.text(request.path));
    case 'ResumeRuntime':
    case 'ProcessEnvironment':
    case 'DisablePerfMap':
      return processMessage(ProcessCommand[request.command]);
  }
}

function processMessage(id: number, write?: (writer: MessageWriter) => void): Uint8Array {
  return encodeMessage(CommandSet.Process, id, write);
}

/**
 * @param bytes a whole message
 * @throws DiagnosticsIpcError, whose `replyCode` is the reply to the message
 */
export function decodeRequest(bytes: Uint8Array): Request {
  const { commandSet, commandId, payload } = readMessage(bytes);
  const request = readRequest(commandSet, commandId, payload);
  if (request !== undefined) return request;
  throw new DiagnosticsIpcError(
    'unknown-command',
    COMMAND_SET_OFFSET,
    `The command set ${commandSet} has no command ${commandId}.`,
  );
}

function readRequest(set: number, id: number, payload: MessageCursor): Request | undefined {
  switch (set) {
    case CommandSet.Dump:
      return readDumpRequest(id, payload);
    case CommandSet.EventPipe:
      return readEventPipeRequest(id, payload);
    case CommandSet.Profiler:
      return readProfilerRequest(id, payload);
    case CommandSet.Process:
      return readProcessRequest(id, payload);
    default:
      return undefined;
  }
}

function readDumpRequest(id: number, payload: MessageCursor): Request | undefined {
  if (!isVersion<1 | 2 | 3>(id, 3)) return undefined;
  return {
    command: 'GenerateCoreDump',
    version: id,
    path: payload.name("dump's path"),
    dumpType: payload.uint32(),
    flags: payload.uint32(),
  };
}

function readEventPipeRequest(id: number, payload: MessageCursor): Request | undefined {
  if (id === EventPipeCommand.StopTracing) return { command: 'StopTracing', sessionId: payload.uint64() };
  if (id === EventPipeCommand.CaptureState) return { command: 'CaptureState', sessionId: payload.uint64() };
  const version = id - EventPipeCommand.CollectTracing + 1;
  if (!isVersion<TracingVersion>(version, 6)) return undefined;
  return { command: 'CollectTracing', version, tracing: readTracing(payload, version) };
}

function isVersion<V extends number>(version: number, last: V): version is V {
  return version >= 1 && version <= last;
}

function readProfilerRequest(id: number, payload: MessageCursor): Request | undefined {
  switch (id) {
    case ProfilerCommand.AttachProfiler: {
      const timeoutMs = payload.uint32();
      const profilerGuid = payload.guid();
      const path = payload.name("profiler's path");
      return { command: 'AttachProfiler', timeoutMs, profilerGuid, path, data: payload.byteArray() };
    }
    case ProfilerCommand.StartupProfiler:
      return {
        command: 'StartupProfiler',
        profilerGuid: payload.guid(),
        path: payload.name("profiler's path"),
      };
    default:
      return undefined;
  }
}

function readProcessRequest(id: number, payload: MessageCursor): Request | undefined {
  switch (id) {
    case ProcessCommand.ProcessInfo:
      return { command: 'ProcessInfo', version: 1 };
    case ProcessCommand.ProcessInfo2:
      return { command: 'ProcessInfo', version: 2 };
    case ProcessCommand.ProcessInfo3:
      return { command: 'ProcessInfo', version: 3 };
    case ProcessCommand.ResumeRuntime:
      return { command: 'ResumeRuntime' };
    case ProcessCommand.ProcessEnvironment:
      return { command: 'ProcessEnvironment' };
    case ProcessCommand.SetEnvironmentVariable:
      return {
        command: 'SetEnvironmentVariable',
        name: payload.name("variable's name"),
        value: payload.text(),
      };
    case ProcessCommand.EnablePerfMap:
      return { command: 'EnablePerfMap', mapType: readPerfMapType(payload) };
    case ProcessCommand.DisablePerfMap:
      return { command: 'DisablePerfMap' };
    case ProcessCommand.ApplyStartupHook:
      return { command: 'ApplyStartupHook', path: payload.name("startup hook's path") };
    default:
      return undefined;
  }
}

function readPerfMapType(payload: MessageCursor): number {
  const at = payload.offset;
  const type = payload.uint32();
  return PERF_MAP_TYPES.includes(type) ? type : payload.fail(`The perf map type ${type} does not exist.`, at);
}
