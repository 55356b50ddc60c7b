/** tracewright/etw: ETW sessions of Windows: starting, changing and ending them. */
import { resolve } from 'node:path';
import {
  controlEtwProvider,
  controlEtwSession,
  enablePrivilege,
  type FoundSession,
  type SessionProperties,
  setEtwInformation,
  startEtwSession,
} from '../platform/etw-session.ts';
import { ControlCode } from '../wire/etw/enable-filters.ts';
import {
  encodeClassicEventIds,
  encodeProfileInterval,
  LogFileMode,
  SessionControl,
  TraceInfoClass,
} from '../wire/etw/session-properties.ts';
import { guidBytes } from '../wire/guid.ts';
import {
  type EtwProviderOptions,
  enableRequest,
  levelAndKeywords,
  providerGuidOf,
} from './etw-provider-options.ts';
import {
  checkInteger,
  checkName,
  type EtwKernelEvents,
  type EtwSessionOptions,
  type EtwSystemOptions,
  kernelFlags,
  MS_PER_SECOND,
  sampleUnits,
  sessionProperties,
  wholeUnits,
} from './etw-session-options.ts';

export { RecorderError } from '../platform/recorder-error.ts';
export { etwEventsOf } from './etw-event-stream.ts';
export type { EtwProviderOptions, EtwStackFilter } from './etw-provider-options.ts';
export type {
  EtwKernelEvents,
  EtwSessionMode,
  EtwSessionOptions,
  EtwSystemOptions,
} from './etw-session-options.ts';

/** What a running session can become. Whatever is missing stays. */
export interface EtwSessionUpdate {
  /** The file to go on with. */
  readonly file?: string;
  /** How many buffers at most, for all processors together. */
  readonly maxBuffers?: number;
  /** After how many milliseconds, in whole seconds, a buffer is written that is not full. */
  readonly flushIntervalMs?: number;
  /** Whether consumers get the events. */
  readonly realTime?: boolean;
  /** The events of a session that records the kernel. */
  readonly kernelEvents?: readonly EtwKernelEvents[];
}

/** What ETW says of a session. */
export interface EtwSessionStatus {
  readonly name: string;
  /** The file is empty if there is none. */
  readonly file: string;
  /** LogFileMode of EVENT_TRACE_PROPERTIES. */
  readonly mode: number;
  readonly isRealTime: boolean;
  /** The size of a buffer. */
  readonly bufferBytes: number;
  readonly buffers: number;
  readonly freeBuffers: number;
  readonly minBuffers: number;
  readonly maxBuffers: number;
  /** How large a file gets; 0: no limit. */
  readonly maxFileBytes: number;
  /** 0: only full buffers are written. */
  readonly flushIntervalMs: number;
  readonly buffersWritten: number;
  readonly eventsLost: number;
  /** Lost, with an unknown number of events. */
  readonly buffersLost: number;
  /** Counts lost buffers for consumers. */
  readonly realTimeBuffersLost: number;
}

/** These are the kernel's events whose stacks are worth having, of PerfInfo and Thread. */
const STACKED: readonly { readonly kind: EtwKernelEvents; readonly guid: string; readonly type: number }[] = [
  { kind: 'profile', guid: 'ce1dbfb4-137e-4da6-87b0-3f59aa102cbc', type: 46 },
  { kind: 'contextSwitch', guid: '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c', type: 36 },
  { kind: 'dispatcher', guid: '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c', type: 50 },
];
const PROFILE_PRIVILEGE = 'SeSystemProfilePrivilege';

/**
 * An ETW session. Windows runs it, even after this process has ended, until it is closed: `using` closes it at the end
 * of a block. Only administrators, members of Performance Log Users and services may control sessions.
 */
export class EtwSession {
  readonly #session: bigint;
  /** Private sessions, and the kernel's, are controlled by their GUID. */
  readonly #guid: string | undefined;

  private constructor(session: bigint, guid?: string) {
    this.#session = session;
    this.#guid = guid;
  }

  /**
   * Starts a session, with no providers yet.
   *
   * @throws RecorderError if Windows refuses it, or this is not Windows; TypeError and RangeError for bad options
   */
  static start(options: EtwSessionOptions): EtwSession {
    const properties = sessionProperties(options);
    const { system } = options;
    if (system === undefined) return new EtwSession(startEtwSession(properties), properties.guid);
    return EtwSession.#startOfSystem(properties, system);
  }

  /**
   * The running session of this name, whoever started it.
   *
   * @returns undefined if there is none
   * @throws RecorderError
   */
  static open(name: string): EtwSession | undefined {
    checkName(name);
    const found = controlEtwSession(SessionControl.Query, name);
    return found && new EtwSession(found.session);
  }

  static #startOfSystem(properties: SessionProperties, system: EtwSystemOptions): EtwSession {
    const { stacks = true } = system;
    const units = sampleUnits(system);
    enablePrivilege(PROFILE_PRIVILEGE);
    if (units !== undefined) {
      setEtwInformation(0n, TraceInfoClass.SampledProfileInterval, encodeProfileInterval(units));
    }
    const session = new EtwSession(startEtwSession(properties), properties.guid);
    const stacked = stacks ? STACKED.filter(({ kind }) => system.events.includes(kind)) : [];
    if (stacked.length === 0) return session;
    try {
      const ids = stacked.map(({ guid, type }) => ({ guid: guidBytes(guid), type }));
      setEtwInformation(session.#session, TraceInfoClass.StackTracing, encodeClassicEventIds(ids));
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  /**
   * Records a provider, in all processes that have it or will have it. Called again, it changes what is recorded.
   *
   * @param provider a name or a GUID
   * @throws RecorderError; TypeError and RangeError for bad options
   */
  enable(provider: string, options: EtwProviderOptions = {}): void {
    controlEtwProvider(this.#session, enableRequest(provider, options));
  }

  /**
   * Records a provider no longer.
   *
   * @throws RecorderError
   */
  disable(provider: string): void {
    this.#request(provider, ControlCode.Disable, { level: 0, keywords: 0n });
  }

  /**
   * Asks a provider to write its state: what it would have written had it been recorded from its start.
   *
   * @throws RecorderError
   */
  captureState(
    provider: string,
    options: Pick<EtwProviderOptions, 'level' | 'keywords' | 'allKeywords'> = {},
  ): void {
    this.#request(provider, ControlCode.CaptureState, options);
  }

  /**
   * What the session is, and what it has recorded and lost so far.
   *
   * @returns undefined if it has ended, by itself or from outside
   * @throws RecorderError
   */
  query(): EtwSessionStatus | undefined {
    return status(this.#control(SessionControl.Query));
  }

  /**
   * Changes the running session.
   *
   * @returns what it is now; undefined if it has ended
   * @throws RecorderError; TypeError and RangeError for bad options
   */
  update(change: EtwSessionUpdate): EtwSessionStatus | undefined {
    const { file, maxBuffers, flushIntervalMs, realTime, kernelEvents } = change;
    if (maxBuffers !== undefined) checkInteger('maxBuffers', maxBuffers, 1, 2 ** 32 - 1);
    const flushTimer =
      flushIntervalMs === undefined
        ? undefined
        : wholeUnits('flushIntervalMs', flushIntervalMs, { unit: MS_PER_SECOND, min: 1, max: 2 ** 32 - 1 });
    const enableFlags = kernelEvents && kernelFlags({ events: kernelEvents });
    // Numbers that are not given would become 0.
    const before = this.#control(SessionControl.Query)?.numbers;
    if (before === undefined) return undefined;
    const numbers = {
      ...before,
      mode: realTime === undefined ? before.mode : withBit(before.mode, LogFileMode.RealTime, realTime),
      maximumBuffers: maxBuffers ?? before.maximumBuffers,
      flushTimer: flushTimer ?? before.flushTimer,
      enableFlags: enableFlags ?? before.enableFlags,
    };
    return status(
      this.#control(SessionControl.Update, { numbers, file: file === undefined ? '' : resolve(file) }),
    );
  }

  /**
   * Writes buffers that are not full; of a session in memory, writes all of them into a file.
   *
   * @param file of a session in memory
   * @returns undefined if the session has ended
   * @throws RecorderError
   */
  flush(file?: string): EtwSessionStatus | undefined {
    return status(this.#control(SessionControl.Flush, { file: file === undefined ? '' : resolve(file) }));
  }

  /**
   * Goes on with the next file of a session of mode newFile; Windows 10 1809 and later.
   *
   * @returns undefined if the session has ended
   * @throws RecorderError
   */
  nextFile(): EtwSessionStatus | undefined {
    return status(this.#control(SessionControl.IncrementFile));
  }

  /**
   * Ends the session, which completes its file.
   *
   * @returns its last numbers; undefined if it had already ended
   * @throws RecorderError
   */
  close(): EtwSessionStatus | undefined {
    return status(this.#control(SessionControl.Stop));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #control(code: SessionControl, properties: Partial<SessionProperties> = {}): FoundSession | undefined {
    return controlEtwSession(code, this.#session, { ...properties, guid: this.#guid });
  }

  #request(provider: string, code: ControlCode, options: EtwProviderOptions): void {
    controlEtwProvider(this.#session, {
      provider: providerGuidOf(provider),
      code,
      ...levelAndKeywords(provider, options),
      properties: 0,
      filters: [],
    });
  }
}

function withBit(bits: number, bit: number, isSet: boolean): number {
  return isSet ? bits | bit : bits & ~bit;
}

function status(found: FoundSession | undefined): EtwSessionStatus | undefined {
  if (found === undefined) return undefined;
  const { name, file, numbers } = found;
  const isInKib = (numbers.mode & LogFileMode.KibForSize) !== 0;
  return {
    name,
    file,
    mode: numbers.mode,
    isRealTime: (numbers.mode & LogFileMode.RealTime) !== 0,
    bufferBytes: numbers.bufferKib * 1024,
    buffers: numbers.buffers,
    freeBuffers: numbers.freeBuffers,
    minBuffers: numbers.minimumBuffers,
    maxBuffers: numbers.maximumBuffers,
    maxFileBytes: numbers.maximumFileSize * (isInKib ? 2 ** 10 : 2 ** 20),
    flushIntervalMs: numbers.flushTimer * MS_PER_SECOND,
    buffersWritten: numbers.buffersWritten,
    eventsLost: numbers.eventsLost,
    buffersLost: numbers.logBuffersLost,
    realTimeBuffersLost: numbers.realTimeBuffersLost,
  };
}
