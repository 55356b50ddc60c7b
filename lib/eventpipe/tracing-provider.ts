/** What a tool asks of a provider, as sessions take it. */
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { readArguments, type SessionProvider } from './provider-text.ts';

export function sessionProvider(provider: TracingProvider): SessionProvider {
  const { name, keywords, level, filter } = provider;
  return {
    name,
    keywords,
    level,
    arguments: readArguments(provider.arguments ?? ''),
    ...(filter !== undefined && { filter }),
  };
}
