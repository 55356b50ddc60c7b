/**
 * The numbers of the diagnostics IPC protocol, by which tools request traces from a process.
 *
 * Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md; where it differs from the runtime
 * (dotnet/runtime, src/native/eventpipe), the runtime.
 */

/** 14 bytes, with a final NUL. */
export const MESSAGE_MAGIC = 'DOTNET_IPC_V1\0';
/** Magic, size, command set, command and two bytes that are 0. */
export const HEADER_SIZE = 20;
/** A message's size, including its header, is a u16. */
export const MAX_MESSAGE_SIZE = 0xffff;

export const CommandSet = { Dump: 1, EventPipe: 2, Profiler: 3, Process: 4, Server: 0xff } as const;

export const DumpCommand = { GenerateCoreDump: 1, GenerateCoreDump2: 2, GenerateCoreDump3: 3 } as const;

/**
 * CollectTracing versions 1 to 6 are the commands 2 to 7. CaptureState is tracewright's own, after ETW's control code
 * EVENT_CONTROL_CODE_CAPTURE_STATE: .NET's runtime does not know it.
 */
export const EventPipeCommand = { StopTracing: 1, CollectTracing: 2, CaptureState: 0x80 } as const;

export const ProfilerCommand = { AttachProfiler: 1, StartupProfiler: 2 } as const;

export const ProcessCommand = {
  ProcessInfo: 0,
  ResumeRuntime: 1,
  ProcessEnvironment: 2,
  SetEnvironmentVariable: 3,
  ProcessInfo2: 4,
  EnablePerfMap: 5,
  DisablePerfMap: 6,
  ApplyStartupHook: 7,
  ProcessInfo3: 8,
} as const;

/** The command set `Server` has these types of replies. */
export const ServerReply = { Ok: 0, Error: 0xff } as const;

/** HRESULTs, unsigned: the code in an error reply. */
export const ErrorCode = {
  BadEncoding: 0x80131384,
  UnknownCommand: 0x80131385,
  UnknownMagic: 0x80131386,
  UnknownError: 0x80131387,
  NotSupported: 0x80131515,
  /** A session that cannot be started has this code, too. */
  Fail: 0x80004005,
  NotYetAvailable: 0x8013135b,
  RuntimeUninitialized: 0x80131371,
  InvalidArgument: 0x80070057,
  InsufficientBuffer: 0x8007007a,
  EnvironmentVariableNotFound: 0x800000cb,
  ProfilerAlreadyActive: 0x8013136a,
} as const;

/** CollectTracing5 and 6 request one of these. */
export const SessionType = { Streaming: 0, UserEvents: 1 } as const;

/** The format of a streaming session. */
export const StreamFormat = {
  NetPerf: 0,
  /** Version 4. */
  NetTrace: 1,
  /** Version 6: tracewright's own number, which .NET's runtime refuses. */
  NetTrace6: 6,
} as const;

/** The provider with which a tool requests the contents of a flight recorder: tracewright's own. */
export const FLIGHT_RECORDER = 'Tracewright-FlightRecorder';

/** CollectTracing6 says what a session does when its buffers are full. */
export const BufferMode = { Drop: 0, Block: 1 } as const;

/** The runtime's rundown keyword if a request only says that there is to be a rundown. */
export const DEFAULT_RUNDOWN_KEYWORD = 0x80020139n;

/** The highest event level: Verbose. */
export const MAX_LEVEL = 5;
/** The limit applies to each session. */
export const MAX_PROVIDERS = 1000;

export const PerfMapType = { Disabled: 0, All: 1, JitDump: 2, PerfMap: 3 } as const;
