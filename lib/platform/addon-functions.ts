/**
 * What the native addon exports: the one list of its functions in TypeScript, which a test compares with native/. Numbers
 * named `error` are those of the system, 0 for none.
 */
import type { ControlCode, EnableFilter } from '../wire/etw/enable-filters.ts';
import type { SessionControl } from '../wire/etw/session-properties.ts';

/** The tracer of the operating system that events go to. */
export type Backend = 'user_events' | 'etw' | 'none';

/** A session's request to a provider of this process; ETW only. */
export interface AddonCommand {
  /** The provider's GUID, 16 bytes in struct order. */
  readonly provider: Uint8Array;
  /** 0 disable, 1 enable, 2 write state. */
  readonly code: number;
  /** 0 requests all levels. */
  readonly level: number;
  /** 64 bits; 0 requests all keywords. */
  readonly anyKeyword: bigint;
  /** 64 bits. */
  readonly allKeyword: bigint;
  /** The session's arguments, unparsed. */
  readonly filter: Uint8Array;
  /** Numbers the commands to this process. */
  readonly order: number;
}

/** What writes events. */
export interface TracerAddon {
  readonly platform: Backend;
  /** The results of `open`, `register` and `write`, besides 0 and system errors. */
  readonly codes: {
    readonly unsupported: number;
    readonly fileClosed: number;
    readonly notRegistered: number;
    readonly nobodyListens: number;
  };
  /**
   * Opens the kernel's tracer.
   *
   * @param path of a tracefs mount or its user_events_data file, or empty
   * @param recorder the socket of a recorder that passes on the tracer if it cannot be opened directly, or empty
   */
  open(path: string, recorder: string): { readonly error: number; readonly path: string };
  /** The enabled words of this process. */
  words(): Uint32Array;
  /** The index of an unused word, or `NO_WORD`. */
  allocate(): number;
  /** Undoes `register` and `allocate`. */
  release(index: number): void;
  /** Binds bit 0 of the word to an event, which will be encoded into `scratch`. */
  register(index: number, definition: Uint8Array, scratch: Uint8Array): number;
  /** Calls the handler on this thread for each command; the first handler stays. */
  onCommand(handler: (command: AddonCommand) => void): void;
  /** The last command with code 0 or 1 that was sent to the provider with this GUID. */
  lastCommand(provider: Uint8Array): AddonCommand | undefined;
  /** EventActivityIdControl with this code; `id` is 16 bytes in struct order, in and out. */
  threadActivityId(code: number, id: Uint8Array): number;
  /**
   * How long the thread with this id of the system, or with 0 this thread, has been on a processor, in milliseconds; 0 if
   * the system does not tell.
   */
  threadCpuMSec(osThreadId: number): number;
  /**
   * Measures how long work waits for a thread of libuv's thread pool.
   *
   * @param delay of one element, which is set to the milliseconds by the thread that begins with the work: also while the
   *   event loop is stuck
   * @param resource of the callback
   * @param done called by the event loop afterwards
   */
  probeThreadPool(delay: Float64Array, resource: object, done: () => void): void;
  /**
   * From now on, notes when the event loop asks the system for events. Replaces an earlier call.
   *
   * @param time whenever its one element is not a number, it is set to the next such time, in milliseconds of
   *   `process.hrtime`
   * @returns a system error, or 0
   */
  watchLoop(time: Float64Array): number;
  unwatchLoop(): void;
  /** Sends the first `size` bytes of the scratch buffer as one event; undefined on success. */
  write(index: number, size: number): number | undefined;
  /**
   * Announces a tracepoint to the recorder at this socket, and waits for its answer.
   * @returns a system error, or 0
   */
  awaitRecorder(address: string, tracepoint: string, milliseconds: number): number;
}

/** What happened to the events, on all threads. */
export interface PassedTracerCounts {
  /** A tracer accepted them. */
  readonly written: number;
  /** They could not be written, although a tracer was there. */
  readonly dropped: number;
}

/** This thread's part of a passed tracer. */
export interface PassedTracerPart {
  readonly handle: unknown;
  readonly words: Uint32Array;
}

/** What every platform has. */
export interface Addon extends TracerAddon {
  // See native/event_ids.h, and `EventIds`.
  claimEventId(keys: readonly string[], layout: string, id: number): string | undefined;
  takeEventId(
    keys: readonly string[],
    layout: string,
    wanted: number,
    next: number,
    downwards: boolean,
  ): number;
  releaseEventId(keys: readonly string[], id: number): void;
  // See native/passed_tracer.h.
  passedTracerStart(
    id: string,
    descriptor: number,
    definitions: readonly string[],
    scratch: Uint8Array,
  ): { readonly error: number; readonly failedAt: number } & PassedTracerPart;
  passedTracerJoin(id: string, scratch: Uint8Array): PassedTracerPart | undefined;
  passedTracerWords(): Uint32Array | undefined;
  passedTracerKind(handle: unknown, text: string): number;
  passedTracerIsDescribed(handle: unknown, kind: number): boolean;
  passedTracerWrite(handle: unknown, tracepoint: number, size: number, describes: number): number | undefined;
  passedTracerDrop(handle: unknown): void;
  passedTracerCounts(handle: unknown): PassedTracerCounts;
  passedTracerEnd(handle: unknown): void;
}

export interface RecorderCounts {
  /** Samples of tracepoints in the file. */
  readonly events: number;
  /** Samples of the processors in the file. */
  readonly cpuSamples: number;
  /** Appended to the file. */
  readonly bytes: number;
  /** Records for which a ring had no room; final once the recording has ended. */
  readonly lost: number;
  /** Counts those that records in the file report. */
  readonly lostInFile: number;
  /** The earliest time of all samples; 0 if there are none. */
  readonly firstTime: bigint;
  readonly lastTime: bigint;
  /** The system's error number if writing the file failed, which ended the recording. */
  readonly error: number;
  /** Everything recorded is in the file. */
  readonly done: boolean;
}

/** Both clocks show the same moment, in nanoseconds. */
export interface ClockPair {
  readonly wall: bigint;
  readonly monotonic: bigint;
}

export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
  /** All of them, including the primary one. */
  readonly groups: Uint32Array;
}

/** What only Linux has. */
export interface LinuxAddon extends Addon {
  readonly platform: 'user_events';
  // See native/recorder.h.
  recorderOpen(
    attr: Uint8Array,
    cpus: Uint32Array,
    ringSize: number,
    sampleTimeAt: number,
    mark: Uint8Array,
    task: number,
    backwardAttr: Uint8Array,
    backwardSize: number,
    sideSize: number,
  ): {
    readonly error: number;
    readonly step: string;
    readonly ids: BigUint64Array;
    readonly handle: unknown;
  };
  recorderStart(handle: unknown, file: number): number;
  recorderClocks(): ClockPair;
  recorderPipe(): { readonly error: number; readonly readEnd: number; readonly writeEnd: number };
  recorderAdd(
    handle: unknown,
    attr: Uint8Array,
    tasks: Int32Array,
  ): { readonly error: number; readonly ids: BigUint64Array };
  recorderEnable(handle: unknown): number;
  recorderAppend(handle: unknown, records: Uint8Array): { readonly error: number; readonly position: number };
  recorderDump(handle: unknown, file: number): RecorderCounts;
  recorderStop(handle: unknown): void;
  recorderCounts(handle: unknown): RecorderCounts;
  // See native/linux/unix_socket.h, port_watch.h, executable_mapping.h and process_context.h, and
  // native/descriptor_watches.h.
  socketListen(path: string): number;
  socketConnect(path: string): number;
  socketAccept(listener: number): number;
  socketDuplicate(descriptor: number): number;
  socketListeningProcess(descriptor: number): number;
  socketConnectedUser(descriptor: number): number;
  socketReceive(descriptor: number, bytes: Uint8Array, offset: number): number;
  socketSend(descriptor: number, bytes: Uint8Array, offset: number): number;
  socketReceiveDescriptor(descriptor: number): { readonly size: number; readonly descriptor: number };
  socketSendDescriptor(descriptor: number, sent: number): number;
  socketEndSending(descriptor: number): number;
  socketAwaitSendable(descriptor: number, milliseconds: number): number;
  watchDescriptor(descriptor: number, events: number, onReady: (events: number) => void): number;
  unwatchDescriptor(descriptor: number): void;
  watchWaiting(listener: number, milliseconds: number, onWaiting: () => void): number;
  unwatchWaiting(listener: number): void;
  mapLikeDotNet(): number;
  setProcessContext(payload: Uint8Array): number;
  // See native/user_functions.cc.
  userEntry(name: string | number): User | undefined;
  callAsUser(uid: number, gid: number, groups: Uint32Array, call: () => void): number;
}

/** What has arrived since the last time, and counts of everything so far. */
export interface TakenEvents {
  /** Whole buffers of an .etl. */
  readonly bytes: Uint8Array;
  readonly events: number;
  /** Had no room because they were not taken in time. */
  readonly dropped: number;
  /** The time of the latest one, as FILETIME. */
  readonly newest: bigint;
  /** Nothing follows. */
  readonly ended: boolean;
  /** Why, unless the session has ended. */
  readonly error: number;
}

/** EVENT_TRACE_PROPERTIES: sizes as ETW counts them. */
export interface ListedEtwSession {
  /** The number that its providers know. */
  readonly id: number;
  readonly name: string;
  /** The file is empty if it has none. */
  readonly file: string;
  /** Bits of LogFileMode. */
  readonly mode: number;
  /** 1 performance counter, 2 system time, 3 CPU cycles. */
  readonly clock: number;
  /** The size of each buffer in KiB. */
  readonly bufferSize: number;
  readonly buffers: number;
  readonly minimumBuffers: number;
  readonly maximumBuffers: number;
  readonly freeBuffers: number;
  /** The size is in MiB, unless the mode says KiB; 0: no limit. */
  readonly maximumFileSize: number;
  /** The interval is in seconds, unless the mode says milliseconds. */
  readonly flushTimer: number;
  /** The flags of the kernel's own provider. */
  readonly enableFlags: number;
  readonly eventsLost: number;
  readonly buffersLost: number;
  readonly realTimeBuffersLost: number;
  readonly buffersWritten: number;
}

interface ListResult {
  readonly error: number;
  readonly bytes: Uint8Array;
}

/** What only Windows has. */
export interface WindowsAddon extends Addon {
  readonly platform: 'etw';
  // See native/windows/recorder.h.
  sessionStart(
    name: string,
    numbers: Uint32Array,
    file: string,
    guid: Uint8Array,
  ): { readonly error: number; readonly session: bigint };
  sessionControl(
    code: SessionControl,
    session: bigint,
    name: string,
    numbers: Uint32Array,
    file: string,
    guid: Uint8Array,
  ): {
    readonly error: number;
    readonly session: bigint;
    readonly name: string;
    readonly file: string;
    readonly numbers: Uint32Array;
  };
  sessionProvider(
    session: bigint,
    provider: Uint8Array,
    code: ControlCode,
    level: number,
    anyKeyword: bigint,
    allKeyword: bigint,
    properties: number,
    filters: readonly EnableFilter[],
  ): number;
  sessionInformation(session: bigint, informationClass: number, data: Uint8Array): number;
  enablePrivilege(name: string): number;
  // See native/windows/real_time_functions.h.
  consumerOpen(
    session: string,
    limit: number,
  ): {
    readonly error: number;
    readonly now: bigint;
    readonly header: Uint8Array;
    readonly handle: unknown;
  };
  consumerTake(handle: unknown): TakenEvents;
  consumerClose(handle: unknown): void;
  // See native/windows/trace_list_functions.cc.
  traceSessions(): { readonly error: number; readonly sessions: readonly ListedEtwSession[] };
  traceGuids(provider?: Uint8Array): ListResult;
  registeredProviders(): ListResult;
  processNames(): readonly (readonly [processId: number, name: string])[];
}
