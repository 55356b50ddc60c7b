/** The options of a flight recorder. */
import { shown } from '../base/value-text.ts';
import { SAMPLE_PROFILER } from '../eventpipe/cpu-samples/dotnet-events.ts';
import { ProviderRequests } from '../eventpipe/requests.ts';
import { SessionError } from '../eventpipe/session-error.ts';
import type { SessionProvider } from '../eventpipe/session-provider.ts';
import type { ActivityTriggers, SlowLimit } from './activity-watch.ts';
import type { ProcessTriggers } from './process-watch.ts';

export interface FlightRecorderOptions {
  /** The events to keep, as for `startSession`; the default is `*`, every provider. */
  readonly providers?: string | readonly SessionProvider[];
  /** How many milliseconds events are kept; the default is a minute. */
  readonly maxAgeMs?: number;
  /** How many bytes of memory the events may take; the default is 16 MiB. */
  readonly maxBytes?: number;
  /** Whether to keep CPU samples of this thread, too: one every 10 ms. */
  readonly cpu?: boolean;
  /** 6 (the default), or 4 for tools that read only that. */
  readonly nettraceVersion?: 4 | 6;
  /** The folder of the files; the default is the current one. */
  readonly folder?: string;
  /** How many files triggers may write per hour; the default is 12. */
  readonly dumpsPerHour?: number;
  /** How many bytes all files together may have; the oldest are removed. The default is 256 MiB. */
  readonly maxDiskBytes?: number;
  /**
   * Triggers, all off by default. Activities by name (`*`: every other) that take longer than this many milliseconds.
   */
  readonly slow?: Readonly<Record<string, SlowLimit>>;
  /** An activity has failed. */
  readonly failure?: boolean;
  /** An event of level Error or Critical. */
  readonly error?: boolean;
  /** The event loop was blocked for longer than this many milliseconds. */
  readonly eventLoopDelayMs?: number;
  /** More than this part of V8's heap limit is used, from 0 to 1. */
  readonly heap?: number;
  /** An exception that ends the process. */
  readonly uncaughtException?: boolean;
  /** A signal, such as `SIGUSR2`, which then no longer ends the process. */
  readonly signal?: NodeJS.Signals;
}

export interface FlightSettings {
  readonly requests: ProviderRequests;
  readonly version: 4 | 6;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly folder: string;
  readonly dumpsPerHour: number;
  readonly maxDiskBytes: number;
  readonly activities: ActivityTriggers;
  readonly process: ProcessTriggers;
}

const DEFAULT_AGE_MS = 60_000;
const DEFAULT_BYTES = 16 << 20;
const DEFAULT_DISK_BYTES = 256 << 20;
const CPU_INTERVAL_MS = '10';

type Check = (value: unknown) => boolean;

const isPositive: Check = (value) => typeof value === 'number' && value > 0 && Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const isText: Check = (value) => typeof value === 'string' && value !== '';
const isLimit: Check = (value) =>
  isPositive(value) || isPositive((value as { readonly timesP99?: unknown } | null | undefined)?.timesP99);
const isLimits: Check = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isLimit);

const POSITIVE = [isPositive, 'a number above 0'] as const;
const BOOLEAN = [isBoolean, 'true or false'] as const;
const CHECKS: Readonly<Record<keyof FlightRecorderOptions, readonly [Check, string]>> = {
  // Checked by their parser.
  providers: [() => true, ''],
  maxAgeMs: POSITIVE,
  maxBytes: POSITIVE,
  cpu: BOOLEAN,
  nettraceVersion: [(value) => value === 4 || value === 6, '4 or 6'],
  folder: [isText, 'a path'],
  dumpsPerHour: POSITIVE,
  maxDiskBytes: POSITIVE,
  slow: [isLimits, 'limits by the names of activities: { Request: 500 } or { Request: { timesP99: 3 } }'],
  failure: BOOLEAN,
  error: BOOLEAN,
  eventLoopDelayMs: POSITIVE,
  heap: [(value) => isPositive(value) && (value as number) < 1, 'a number between 0 and 1'],
  uncaughtException: BOOLEAN,
  signal: [(value) => isText(value) && (value as string).startsWith('SIG'), 'the name of a signal'],
};

/** @throws SessionError for invalid options */
export function flightSettings(options: FlightRecorderOptions): FlightSettings {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new SessionError(
      `The options of a flight recorder must be an object, such as { "maxAgeMs": 60000 }, not ${shown(options)}.`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof FlightRecorderOptions] : undefined;
    if (check === undefined) {
      const names = Object.keys(CHECKS).join(', ');
      throw new SessionError(`A flight recorder has no option "${name}"; the options are ${names}.`);
    }
    const [isValid, kind] = check;
    if (value !== undefined && !isValid(value)) {
      throw new SessionError(`A flight recorder's ${name} must be ${kind}, not ${shown(value)}.`);
    }
  }
  const { providers = '*', maxAgeMs = DEFAULT_AGE_MS, maxBytes = DEFAULT_BYTES, cpu = false } = options;
  const { nettraceVersion = 6, folder = '.', dumpsPerHour = 12, maxDiskBytes = DEFAULT_DISK_BYTES } = options;
  const { slow, failure, error, eventLoopDelayMs, heap, uncaughtException, signal } = options;
  return {
    requests: cpu ? withSamples(ProviderRequests.from(providers)) : ProviderRequests.from(providers),
    version: nettraceVersion,
    maxBytes,
    maxAgeMs,
    folder,
    dumpsPerHour,
    maxDiskBytes,
    activities: { slow, failure, error },
    process: { eventLoopDelayMs, heap, uncaughtException, signal },
  };
}

function withSamples({ byName }: ProviderRequests): ProviderRequests {
  const samples = {
    keywords: 0n,
    keywordNames: undefined,
    level: 0,
    arguments: { SampleProfilerIntervalMS: CPU_INTERVAL_MS },
    filter: undefined,
  };
  return new ProviderRequests(new Map([...byName, [SAMPLE_PROFILER, samples]]));
}
