/** What an ETW session is to be: the options of `EtwSession.start`, checked, as ETW's numbers. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { shown } from '../base/value-text.ts';
import type { SessionProperties } from '../platform/etw-session.ts';
import { KernelFlag, LogFileMode } from '../wire/etw/session-properties.ts';
import { providerGuidOf } from './etw-provider-options.ts';

/**
 * - `sequential`: into a file, until it has `maxSize`
 * - `circular`: into a file of `maxSize`, in which the newest events replace the oldest
 * - `newFile`: into a file, and at `maxSize` into the next, whose number replaces `%d` in `file`
 * - `memory`: into a ring in memory, which `flush` writes into a file
 */
export type EtwSessionMode = 'sequential' | 'circular' | 'newFile' | 'memory';

/** A kind of event that Windows' kernel writes. */
export type EtwKernelEvents = keyof typeof KernelFlag;

/** What a session records of the kernel. */
export interface EtwSystemOptions {
  /** Such as process, thread, imageLoad and profile, which together show who used the CPU. */
  readonly events: readonly EtwKernelEvents[];
  /** Whether samples of the CPU and switches between threads have stacks; default true. */
  readonly stacks?: boolean;
  /** The interval of samples in milliseconds, from 0.125 to 1000, for all of Windows; unchanged by default. */
  readonly sampleInterval?: number;
}

/** A session starts with these. */
export interface EtwSessionOptions {
  /** Unique among sessions. */
  readonly name: string;
  /** Default sequential, if there is a file. */
  readonly mode?: EtwSessionMode;
  /** The .etl file to write. */
  readonly file?: string;
  /** The size of a file in MiB; fractions are rounded to KiB. Default: no limit. */
  readonly maxSize?: number;
  /** Reserves `maxSize` on the disk at once. */
  readonly preallocate?: boolean;
  /** Hands the events to consumers while they are written, too, or only that. */
  readonly realTime?: boolean;
  /** A provider, by name or GUID: the session is of this process only, and records this provider. */
  readonly private?: string;
  /** An event that another session cannot take any more is recorded all the same, and the other way round. */
  readonly independent?: boolean;
  /** Compresses the buffers. */
  readonly compressed?: boolean;
  /** Records the kernel, too. This needs the privilege SeSystemProfilePrivilege. */
  readonly system?: EtwSystemOptions;
  /** The size of a buffer, in KiB, from 4 to 16384: an event must fit into one. Default 128. */
  readonly bufferSize?: number;
  /** How many, at least and for all processors together. Default and minimum: two per processor. */
  readonly buffers?: number;
  /** At most; in memory mode, this is the size of the ring. Default: as many as `buffers`. */
  readonly maxBuffers?: number;
  /** Seconds after which a buffer is written that is not full. Default: only full ones are, except in real time. */
  readonly flushTimer?: number;
}

/** The session that only the kernel's events go to, on any Windows. */
const KERNEL_SESSION = { name: 'NT Kernel Logger', guid: '9e814aad-3204-11d2-9a82-006008a86939' };

const MODES = {
  sequential: LogFileMode.Sequential,
  circular: LogFileMode.Circular,
  newFile: LogFileMode.NewFile,
  memory: LogFileMode.Buffering,
} as const;

/** The limits are in milliseconds. */
const SAMPLE_INTERVAL = { min: 0.125, max: 1000 };
/** A unit is 100 ns. */
const UNITS_PER_MILLISECOND = 10_000;

const MAX_NAME = 1023;
const MAX_UINT_32 = 2 ** 32 - 1;
const KIB_PER_MIB = 1024;
const DEFAULT_BUFFER_KIB = 128;
/** ETW's minimum. */
const BUFFERS_PER_PROCESSOR = 2;

/** @throws TypeError, RangeError */
export function sessionProperties(options: EtwSessionOptions): SessionProperties {
  checkName(options.name);
  checkMode(options);
  checkPrivate(options);
  const { name, file, maxSize = 0, bufferSize = DEFAULT_BUFFER_KIB, flushTimer = 0 } = options;
  const isInMib = Number.isInteger(maxSize);
  const size = isInMib ? maxSize : Math.ceil(maxSize * KIB_PER_MIB);
  checkInteger('bufferSize', bufferSize, 4, 16_384);
  checkInteger('flushTimer', flushTimer, 0, MAX_UINT_32);
  const { buffers = Math.max(BUFFERS_PER_PROCESSOR * availableParallelism(), 0), maxBuffers = buffers } =
    options;
  checkInteger('buffers', buffers, 1, MAX_UINT_32);
  checkInteger('maxBuffers', maxBuffers, buffers, MAX_UINT_32);
  return {
    name,
    file: file === undefined ? '' : resolve(file),
    guid: sessionGuid(options),
    numbers: {
      bufferKib: bufferSize,
      minimumBuffers: buffers,
      maximumBuffers: maxBuffers,
      maximumFileSize: size,
      mode: modeBits(options) | (isInMib ? 0 : LogFileMode.KibForSize),
      flushTimer,
      enableFlags: kernelFlags(options.system),
    },
  };
}

/**
 * Returns the interval in units of 100 ns.
 *
 * @throws RangeError
 */
export function sampleUnits({ sampleInterval }: EtwSystemOptions): number | undefined {
  const { min, max } = SAMPLE_INTERVAL;
  if (sampleInterval === undefined) return undefined;
  if (sampleInterval >= min && sampleInterval <= max) {
    return Math.round(sampleInterval * UNITS_PER_MILLISECOND);
  }
  throw new RangeError(
    `The sampleInterval of an ETW session must be from ${min} to ${max} milliseconds, not ${shown(sampleInterval)}.`,
  );
}

/** @throws TypeError */
export function kernelFlags(system: EtwSystemOptions | undefined): number {
  if (system === undefined) return 0;
  const { events } = system;
  if (!Array.isArray(events) || events.length === 0) {
    throw new TypeError(`The kernel's events of an ETW session must be a list, not ${shown(events)}.`);
  }
  return events.reduce((flags, name) => {
    if (!Object.hasOwn(KernelFlag, name)) {
      const known = Object.keys(KernelFlag).join(', ');
      throw new TypeError(`The kernel has no events ${shown(name)} for an ETW session, only ${known}.`);
    }
    return flags | KernelFlag[name as EtwKernelEvents];
  }, 0);
}

/** @throws RangeError */
export function checkInteger(name: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw new RangeError(
    `The option ${name} of an ETW session must be an integer from ${min} to ${max}, not ${shown(value)}.`,
  );
}

/** @throws TypeError */
export function checkName(name: unknown): void {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME && !name.includes('\0')) return;
  throw new TypeError(`An ETW session's name must have 1 to ${MAX_NAME} characters, not be ${shown(name)}.`);
}

function modeBits(options: EtwSessionOptions): number {
  const { mode = 'sequential', file, name, system } = options;
  const isOfFile = file !== undefined || mode === 'memory';
  return (
    (isOfFile ? MODES[mode] : 0) |
    (options.preallocate === true ? LogFileMode.Preallocate : 0) |
    (options.realTime === true ? LogFileMode.RealTime : 0) |
    (options.private === undefined ? 0 : LogFileMode.PrivateLogger | LogFileMode.PrivateInProcess) |
    (options.independent === true ? LogFileMode.Independent : 0) |
    (options.compressed === true ? LogFileMode.Compressed : 0) |
    (system === undefined || name === KERNEL_SESSION.name ? 0 : LogFileMode.SystemLogger)
  );
}

function sessionGuid({ name, private: provider }: EtwSessionOptions): string | undefined {
  if (name === KERNEL_SESSION.name) return KERNEL_SESSION.guid;
  return provider === undefined ? undefined : providerGuidOf(provider);
}

function checkMode({ mode, file, maxSize, preallocate, realTime }: EtwSessionOptions): void {
  if (mode !== undefined && !Object.hasOwn(MODES, mode)) {
    throw new TypeError(
      `The mode of an ETW session must be sequential, circular, newFile or memory, not ${shown(mode)}.`,
    );
  }
  if (maxSize !== undefined && !(Number(maxSize) > 0 && Number(maxSize) * KIB_PER_MIB <= MAX_UINT_32)) {
    throw new RangeError(`The maxSize of an ETW session must be a size in MiB, not ${shown(maxSize)}.`);
  }
  if (mode === 'memory') {
    const other = Object.entries({ file, maxSize, preallocate, realTime }).find(([, value]) => value);
    if (other === undefined) return;
    throw new TypeError(
      `An ETW session in memory takes no ${other[0]} (${shown(other[1])}): flush writes its events into a file, and ` +
        'maxBuffers limits their size.',
    );
  }
  if (file === undefined && (mode !== undefined || realTime !== true)) {
    throw new TypeError(
      `An ETW session of mode ${mode ?? 'sequential'} needs a file; without one, it is in memory or in real time.`,
    );
  }
  if (mode === 'newFile' && file?.includes('%d') !== true) {
    throw new TypeError(
      `An ETW session of mode newFile needs a %d in its file, which the file's number replaces: ${shown(file)} has none.`,
    );
  }
  const needsSize = preallocate === true ? 'that preallocates its file' : `of mode ${mode}`;
  if ((mode === 'circular' || mode === 'newFile' || preallocate === true) && maxSize === undefined) {
    throw new TypeError(`An ETW session ${needsSize} needs a maxSize for ${shown(file)}.`);
  }
}

function checkPrivate({ private: provider, mode, preallocate, realTime, system }: EtwSessionOptions): void {
  if (provider === undefined) return;
  const other = Object.entries({ realTime, preallocate, system }).find(([, value]) => value)?.[0];
  const excluded = other ?? (mode === 'newFile' ? 'mode newFile' : undefined);
  if (excluded === undefined) return;
  throw new TypeError(
    `A private ETW session, here of ${shown(provider)}, cannot be combined with ${excluded}.`,
  );
}
