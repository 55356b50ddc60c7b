/** The providers that a session requests, in dotnet-trace's syntax. */

import { SessionError } from '../../eventpipe/session-error.ts';
import { tracingProvider, tracingProviders } from '../../eventpipe/session-provider.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { UsageError } from '../parse-options.ts';

/**
 * Every event of every provider. EventPipe supports this name only with all keywords and level Verbose.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-session-provider.c.
 */
const ALL_PROVIDERS = '*';

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
