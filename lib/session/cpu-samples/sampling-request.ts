/** What a session asks of the sample profiler. */
import type { CommandArguments } from '../commands.ts';
import { THREAD_SAMPLE } from './dotnet-events.ts';

export interface SamplingRequest {
  /** Between two samples. */
  readonly intervalMs: number;
}

/** .NET's. */
const DEFAULT_INTERVAL_MS = 1;
const MIN_INTERVAL_MS = 0.1;
const MAX_INTERVAL_MS = 10_000;

/**
 * @param request of the provider itself: who asks for every provider does not ask for samples, which cost
 * @returns undefined where no sample is asked for
 */
export function samplingRequest(
  request: { readonly level: number; readonly arguments: CommandArguments } | undefined,
): SamplingRequest | undefined {
  if (request === undefined) return undefined;
  // Level 0 is every level.
  if (request.level !== 0 && request.level < THREAD_SAMPLE.level) return undefined;
  const given = Number(request.arguments.SampleProfilerIntervalMS);
  const isPossible = given >= MIN_INTERVAL_MS && given <= MAX_INTERVAL_MS;
  return { intervalMs: isPossible ? given : DEFAULT_INTERVAL_MS };
}
