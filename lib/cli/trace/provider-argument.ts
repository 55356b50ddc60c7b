/** The providers that a session requests, in dotnet-trace's syntax. */

import { ACTIVITY_RUN } from '../../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../../activity/switches.ts';
import { TASK_EVENTS } from '../../activity/task-hops.ts';
import { wrongCaseOf } from '../../known/automatic.ts';
import { Level } from '../../source/constants.ts';
import { MAX_LEVEL } from '../../wire/diagnostics-ipc/constants.ts';
import {
  type ProviderText,
  ProviderTextError,
  parseProviderTexts,
} from '../../wire/diagnostics-ipc/provider-text.ts';
import { sessionLevel, type TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { ALL_KEYWORDS } from '../../wire/schema.ts';
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

/** Runs tell more than switches: see `tracewright explain`. */
export const ACTIVITY_RUNS: TracingProvider = {
  ...ACTIVITY_SWITCHES,
  name: ACTIVITY_RUN.provider,
  keywords: ACTIVITY_RUN.keyword,
};

/** PerfView and TraceEvent charge samples to activities by .NET's tasks. */
export const TASKS: TracingProvider = {
  name: TASK_EVENTS.provider,
  keywords: TASK_EVENTS.taskKeywords,
  level: Level.Informational,
  arguments: '',
};

/** The defaults for providers that do not specify these. */
interface Filter {
  readonly level?: number;
  readonly keywords?: bigint;
}

/**
 * The providers of a session, from a command's options.
 *
 * @param names if omitted, all providers
 * @param areTexts whether each name may be followed by more; see `parseProviderTexts`
 * @throws UsageError
 */
export function sessionProviders(
  names: readonly string[] = [ALL_PROVIDERS],
  { level = MAX_LEVEL, keywords }: Filter,
  areTexts: boolean,
): TracingProvider[] {
  const filter = { level, ...(keywords !== undefined && { keywords }) };
  if (areTexts) return names.flatMap((name) => providersOf(name, filter));
  return names.map((name) => providerOf({ name, arguments: '' }, filter));
}

function providersOf(text: string, filter: Filter): TracingProvider[] {
  const providers = parsed(text);
  if (providers.length === 0) throw new UsageError(`--provider takes names of providers, but is empty.`);
  return providers.map((provider) => providerOf(provider, filter));
}

function providerOf(
  { name, keywords, level, arguments: values }: Partial<ProviderText> & { readonly name: string },
  filter: Filter,
): TracingProvider {
  const problem = wrongCaseOf(name);
  if (problem !== undefined) throw new UsageError(`--provider: ${problem}`);
  return {
    name,
    keywords: keywords ?? filter.keywords ?? ALL_KEYWORDS,
    level: sessionLevel(level ?? filter.level ?? MAX_LEVEL),
    arguments: values ?? '',
  };
}

function parsed(text: string): ProviderText[] {
  try {
    return parseProviderTexts(text);
  } catch (error) {
    throw error instanceof ProviderTextError ? new UsageError(`--provider: ${error.message}`) : error;
  }
}
