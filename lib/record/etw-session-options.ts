/** What an ETW session is to be: the options of `EtwSession.start`, checked, as ETW's numbers. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { shown } from '../base/value-text.ts';
import type { SessionProperties } from '../platform/etw-session.ts';
import { KernelFlag, LogFileMode } from '../wire/etw/session-properties.ts';
import { providerGuidOf } from './etw-provider-options.ts';

/**
 * - `sequential`: into a file, until it has `maxFileBytes`
 * - `circular`: into a file of `maxFileBytes`, in which the newest events replace the oldest
 * - `newFile`: into a file, and at `maxFileBytes` into the next, whose number replaces `%d` in `file`
 * - `memory`: into a ring in memory, which `flush` writes into a file
 */
export type EtwSessionMode = 'sequential' | 'circular' | 'newFile' | 'memory';

/** A kind of event that Windows' kernel writes. */
export type EtwKernelEvents = keyof typeof KernelFlag;

/** What a session records of the kernel. */
export interface EtwSystemOptions {
  /** The groups of events, such as process, thread, imageLoad and profile, which together show who used the CPU. */
  readonly events: readonly EtwKernelEvents[];
  /** Whether samples of the CPU and switches between threads have stacks; default true. */
  readonly stacks?: boolean;
  /** The interval of samples, from 0.125 to 1000, for all of Windows; unchanged by default. */
  readonly sampleIntervalMs?: number;
}

/** A session starts with these. */
export interface EtwSessionOptions {
  /** Unique among sessions. */
  readonly name: string;
  /** Default sequential, if there is a file. */
  readonly mode?: EtwSessionMode;
  /** The .etl file to write. */
  readonly file?: string;
  /** How large a file gets, rounded up to KiB. Default: no limit. */
  readonly maxFileBytes?: number;
  /** Reserves `maxFileBytes` on the disk at once. */
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
  /** The size of a buffer, a multiple of 1024 from 4 KiB to 16 MiB: an event must fit into one. Default 128 KiB. */
  readonly bufferBytes?: number;
  /** How many, at least and for all processors together. Default and minimum: two per processor. */
  readonly buffers?: number;
  /** The maximum number of buffers; in memory mode, this is the size of the ring. Default: as many as `buffers`. */
  readonly maxBuffers?: number;
  /** After how many milliseconds, in whole seconds, a buffer is written that is not full. Default: only full ones are, except in real time. */
  readonly flushIntervalMs?: number;
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
const BYTES_PER_KIB = 1024;
const BYTES_PER_MIB = 1024 * BYTES_PER_KIB;
export const MS_PER_SECOND = 1000;
const DEFAULT_BUFFER_BYTES = 128 * BYTES_PER_KIB;
/** ETW takes 32 bits of KiB. */
const MAX_FILE_BYTES = MAX_UINT_32 * BYTES_PER_KIB;
/** ETW's minimum. */
const BUFFERS_PER_PROCESSOR = 2;

/** @throws TypeError, RangeError */
export function sessionProperties(options: EtwSessionOptions): SessionProperties {
  checkName(options.name);
  checkMode(options);
  checkPrivate(options);
  const { name, file, maxFileBytes = 0, bufferBytes = DEFAULT_BUFFER_BYTES, flushIntervalMs = 0 } = options;
  const isInMib = maxFileBytes % BYTES_PER_MIB === 0;
  const { buffers = Math.max(BUFFERS_PER_PROCESSOR * availableParallelism(), 0), maxBuffers = buffers } =
    options;
  checkInteger('buffers', buffers, 1, MAX_UINT_32);
  checkInteger('maxBuffers', maxBuffers, buffers, MAX_UINT_32);
  return {
    name,
    file: file === undefined ? '' : resolve(file),
    guid: sessionGuid(options),
    numbers: {
      bufferKib: wholeUnits('bufferBytes', bufferBytes, { unit: BYTES_PER_KIB, min: 4, max: 16_384 }),
      minimumBuffers: buffers,
      maximumBuffers: maxBuffers,
      maximumFileSize: Math.ceil(maxFileBytes / (isInMib ? BYTES_PER_MIB : BYTES_PER_KIB)),
      mode: modeBits(options) | (isInMib ? 0 : LogFileMode.KibForSize),
      flushTimer: wholeUnits('flushIntervalMs', flushIntervalMs, {
        unit: MS_PER_SECOND,
        min: 0,
        max: MAX_UINT_32,
      }),
      enableFlags: kernelFlags(options.system),
    },
  };
}

/**
 * Returns the interval in units of 100 ns.
 *
 * @throws RangeError
 */
export function sampleUnits({ sampleIntervalMs }: EtwSystemOptions): number | undefined {
  const { min, max } = SAMPLE_INTERVAL;
  if (sampleIntervalMs === undefined) return undefined;
  if (sampleIntervalMs >= min && sampleIntervalMs <= max) {
    return Math.round(sampleIntervalMs * UNITS_PER_MILLISECOND);
  }
  throw new RangeError(
    `The sampleIntervalMs of an ETW session must be from ${min} to ${max}, not ${shown(sampleIntervalMs)}.`,
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

/** @throws RangeError unless the value is a multiple of ETW's unit */
export function wholeUnits(
  name: string,
  value: number,
  { unit, min, max }: { readonly unit: number; readonly min: number; readonly max: number },
): number {
  const units = value / unit;
  if (Number.isInteger(units) && units >= min && units <= max) return units;
  throw new RangeError(
    `The option ${name} of an ETW session must be a multiple of ${unit} from ${min * unit} to ${max * unit}, not ${shown(value)}.`,
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

function checkMode({ mode, file, maxFileBytes, preallocate, realTime }: EtwSessionOptions): void {
  if (mode !== undefined && !Object.hasOwn(MODES, mode)) {
    throw new TypeError(
      `The mode of an ETW session must be sequential, circular, newFile or memory, not ${shown(mode)}.`,
    );
  }
  if (maxFileBytes !== undefined && !(Number(maxFileBytes) > 0 && Number(maxFileBytes) <= MAX_FILE_BYTES)) {
    throw new RangeError(
      `The maxFileBytes of an ETW session must be from 1 to ${MAX_FILE_BYTES}, not ${shown(maxFileBytes)}.`,
    );
  }
  if (mode === 'memory') {
    const other = Object.entries({ file, maxFileBytes, preallocate, realTime }).find(([, value]) => value);
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
  if ((mode === 'circular' || mode === 'newFile' || preallocate === true) && maxFileBytes === undefined) {
    throw new TypeError(`An ETW session ${needsSize} needs a maxFileBytes for ${shown(file)}.`);
  }
}

function checkPrivate(options: EtwSessionOptions): void {
  const { private: provider, mode, preallocate, realTime, independent, system } = options;
  if (provider === undefined) return;
  const other = Object.entries({ realTime, preallocate, independent, system }).find(
    ([, value]) => value,
  )?.[0];
  const excluded = other ?? (mode === 'newFile' ? 'mode newFile' : undefined);
  if (excluded === undefined) return;
  throw new TypeError(
    `A private ETW session, here of ${shown(provider)}, cannot be combined with ${excluded}.`,
  );
}
