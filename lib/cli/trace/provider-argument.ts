/** The providers that a session requests, in dotnet-trace's syntax. */

import { ACTIVITY_RUN } from '../../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../../activity/switches.ts';
import { TASK_EVENTS } from '../../activity/task-hops.ts';
import { SessionError, tracingProvider, tracingProviders } from '../../eventpipe/session-provider.ts';
import { RuntimeKeywords } from '../../known/automatic.ts';
import { Level } from '../../source/constants.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { UsageError } from '../parse-options.ts';

/**
 * Every event of every provider. EventPipe supports this name only with all keywords and level Verbose.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-session-provider.c.
 */
const ALL_PROVIDERS = '*';

/** Level 0 requests all: that of activity switches is higher than those of sessions. */
export const ACTIVITY_SWITCHES: TracingProvider = {
  name: ACTIVITY_SWITCH.provider,
  keywords: ACTIVITY_SWITCH.keyword,
  level: 0,
  arguments: '',
};

/** Runs tell more than switches, with the thread pool that they may have waited for: see `tracewright explain`. */
export const ACTIVITY_RUNS: TracingProvider = {
  ...ACTIVITY_SWITCHES,
  name: ACTIVITY_RUN.provider,
  keywords: ACTIVITY_RUN.keyword | RuntimeKeywords.ThreadPool,
};

/** PerfView and TraceEvent charge samples to activities by .NET's tasks. */
export const TASKS: TracingProvider = {
  name: TASK_EVENTS.provider,
  keywords: TASK_EVENTS.taskKeywords,
  level: Level.Informational,
  arguments: '',
};

/**
 * The providers of a session, from a command's options.
 *
 * @param names if omitted, all providers
 * @param defaults for providers that do not specify these
 * @param areTexts whether each name may be followed by more; see `parseProviderTexts`
 * @throws UsageError
 */
export function sessionProviders(
  names: readonly string[] = [ALL_PROVIDERS],
  defaults: { readonly level?: number; readonly keywords?: bigint },
  areTexts: boolean,
): TracingProvider[] {
  try {
    if (!areTexts) return names.map((name) => tracingProvider({ name }, defaults));
    return names.flatMap((text) => {
      const providers = tracingProviders(text, defaults);
      if (providers.length > 0) return providers;
      throw new UsageError(`--provider takes names of providers, but is empty.`);
    });
  } catch (error) {
    throw error instanceof SessionError ? new UsageError(`--provider: ${error.message}`) : error;
  }
}
