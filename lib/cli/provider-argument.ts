/** The providers that a tracing session is asked for, as dotnet-trace takes them. */
import { MAX_LEVEL } from '../wire/diagnostics-ipc/constants.ts';
import {
  type ProviderText,
  ProviderTextError,
  parseProviderTexts,
} from '../wire/diagnostics-ipc/provider-text.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { UsageError } from './usage-error.ts';

const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;

/**
 * Every event of every provider. EventPipe knows this name with all keywords and the level Verbose only.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-session-provider.c.
 */
export const ALL_PROVIDERS = '*';

/**
 * @param text see `parseProviderTexts`
 * @throws UsageError
 */
export function providersArgument(text: string): TracingProvider[] {
  const providers = parsed(text);
  if (providers.length === 0) throw new UsageError('--providers takes the names of providers, and got none.');
  return providers.map(({ name, keywords = ALL_KEYWORDS, level = MAX_LEVEL, arguments: values }) => {
    if (level <= MAX_LEVEL) return { name, keywords, level, arguments: values };
    throw new UsageError(`--providers: The level of ${name} is at most ${MAX_LEVEL}, not ${level}.`);
  });
}

function parsed(text: string): ProviderText[] {
  try {
    return parseProviderTexts(text);
  } catch (error) {
    throw error instanceof ProviderTextError ? new UsageError(`--providers: ${error.message}`) : error;
  }
}
