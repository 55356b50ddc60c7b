/** What a user_events session may request. */
import { shown } from '../../base/value-text.ts';
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';
import { RefusedError } from '../../wire/diagnostics-ipc/error.ts';
import type { TracepointSet, UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { isTracepointName } from '../../wire/tracepoint-v1/definition.ts';
import { ProviderRequests } from '../requests.ts';
import { SessionError } from '../session-error.ts';
import { sessionProvider } from '../session-provider.ts';
import { namesOf } from './tracepoints.ts';

/** @throws RefusedError */
export function checkProviders(providers: readonly UserEventsProvider[]): void {
  if (providers.length === 0) refuse('A session must request events of at least one provider.');
  for (const provider of providers) {
    checkRequest(provider);
    checkTracepoints(provider);
  }
}

function checkRequest(provider: UserEventsProvider): void {
  try {
    ProviderRequests.from([sessionProvider(provider)]);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    refuse(error.message);
  }
}

function checkTracepoints({ name: provider, tracepoints }: UserEventsProvider): void {
  const names = namesOf(tracepoints);
  if (names.length === 0) refuse(`${provider} has neither a default tracepoint nor sets of events.`);
  const badName = names.find((name) => !isTracepointName(name));
  if (badName !== undefined) refuse(`${shown(badName)} of ${provider} cannot be the name of a tracepoint.`);
  const emptySet = tracepoints.sets.find(({ ids }) => ids.length === 0);
  if (tracepoints.defaultName === undefined && emptySet !== undefined) {
    refuse(`The tracepoint ${emptySet.name} of ${provider} has no events.`);
  }
  const id = idOfTwo(tracepoints.sets);
  if (id !== undefined) refuse(`Event ${id} of ${provider} has two tracepoints.`);
}

function idOfTwo(sets: readonly TracepointSet[]): number | undefined {
  const seen = new Set<number>();
  for (const { ids } of sets) {
    const id = ids.find((each) => seen.has(each));
    if (id !== undefined) return id;
    for (const each of ids) seen.add(each);
  }
  return undefined;
}

function refuse(message: string): never {
  throw new RefusedError(ErrorCode.BadEncoding, message);
}
