/**
 * The tracepoint for an event of a provider: that of the set that lists its id, otherwise the default one, otherwise
 * none. Source: dotnet/diagnostics `documentation/design-docs/ipc-protocol.md`, "tracepoint_config".
 */
import type { TracepointConfig, UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';

/** The tracepoint's name. */
export function tracepointOf({ defaultName, sets }: TracepointConfig, eventId: number): string | undefined {
  return sets.find(({ ids }) => ids.includes(eventId))?.name ?? defaultName;
}

/** The tracepoints of all providers, each once. */
export function tracepointNames(providers: readonly UserEventsProvider[]): readonly string[] {
  return [...new Set(providers.flatMap(({ tracepoints }) => namesOf(tracepoints)))];
}

/** The names of one provider's tracepoints; duplicate names mean one tracepoint. */
export function namesOf({ defaultName, sets }: TracepointConfig): readonly string[] {
  const names = sets.map(({ name }) => name);
  return defaultName === undefined ? names : [defaultName, ...names];
}
