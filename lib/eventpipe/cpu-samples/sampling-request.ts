/** Whether a session asks for CPU samples, and for how many. */

import { passesEventFilter } from '../../listen/filter.ts';
import type { EventFilter } from '../../wire/diagnostics-ipc/tracing.ts';
import { THREAD_SAMPLE } from './dotnet-events.ts';

/** What a session asks of a provider. */
export interface Asked {
  readonly level: number;
  readonly arguments: Readonly<Record<string, string>>;
  readonly filter: EventFilter | undefined;
}

export interface SamplingRequest {
  /** Between two samples. */
  readonly intervalMs: number;
}

/** .NET's. */
const DEFAULT_INTERVAL_MS = 1;
const MIN_INTERVAL_MS = 0.1;
const MAX_INTERVAL_MS = 10_000;

/**
 * @param asked of the provider itself: who asks for every provider does not ask for samples, which cost
 * @returns undefined where no sample is asked for
 */
export function samplingRequest(asked: Asked | undefined): SamplingRequest | undefined {
  if (asked === undefined || !passesEventFilter(asked.filter, THREAD_SAMPLE.eventId)) return undefined;
  // Level 0 is every level.
  if (asked.level !== 0 && asked.level < THREAD_SAMPLE.level) return undefined;
  const given = Number(asked.arguments.SampleProfilerIntervalMS);
  const isPossible = given >= MIN_INTERVAL_MS && given <= MAX_INTERVAL_MS;
  return { intervalMs: isPossible ? given : DEFAULT_INTERVAL_MS };
}
