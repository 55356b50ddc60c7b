/** The providers that a tracing session is asked for, as dotnet-trace takes them. */

import { MAX_LEVEL } from '../wire/diagnostics-ipc/constants.ts';
import {
  type ProviderText,
  ProviderTextError,
  parseProviderTexts,
} from '../wire/diagnostics-ipc/provider-text.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';
import { UsageError } from './usage-error.ts';

/**
 * Every event of every provider. EventPipe knows this name with all keywords and the level Verbose only.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-session-provider.c.
 */
const ALL_PROVIDERS = '*';

/** What is asked of providers that do not say it themselves. */
interface Filter {
  readonly level?: number;
  readonly keywords?: bigint;
}

/**
 * What a session of a process is asked for, by the options of a command.
 *
 * @param names all providers, where it is left out
 * @param areTexts whether each may say more than its name; see `parseProviderTexts`
 * @throws UsageError
 */
export function sessionProviders(
  names: readonly string[] = [ALL_PROVIDERS],
  { level = MAX_LEVEL, keywords }: Filter,
  areTexts: boolean,
): TracingProvider[] {
  // Sessions have levels up to 5, which is all that .NET knows; level 0 asks for all.
  const filter = { level: level > MAX_LEVEL ? 0 : level, ...(keywords !== undefined && { keywords }) };
  if (areTexts) return names.flatMap((name) => providersOf(name, filter));
  return names.map((name) => providerOf({ name, arguments: '' }, filter));
}

function providersOf(text: string, filter: Filter): TracingProvider[] {
  const providers = parsed(text);
  if (providers.length === 0) throw new UsageError(`--provider takes the names of providers, and got none.`);
  return providers.map((provider) => providerOf(provider, filter));
}

function providerOf(
  { name, keywords, level, arguments: values }: Partial<ProviderText> & { readonly name: string },
  filter: Filter,
): TracingProvider {
  const asked = level ?? filter.level ?? MAX_LEVEL;
  if (asked > MAX_LEVEL) {
    throw new UsageError(`--provider: The level of ${name} is at most ${MAX_LEVEL}, not ${asked}.`);
  }
  return {
    name,
    keywords: keywords ?? filter.keywords ?? ALL_KEYWORDS,
    level: asked,
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
