/** What all events of one source have in common: their provider, and who receives them. */
import { Guid } from '../activity/guid.ts';
import type { Subscriptions } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { Tracer } from '../platform/tracer.ts';
import { providerGuid } from '../wire/provider-guid.ts';
import type { Account } from './account.ts';
import { DefinitionError } from './definition-error.ts';

export interface SourceContext {
  readonly provider: Provider;
  readonly tracer: Tracer;
  readonly account: Account;
  readonly throwOnErrors: boolean;
  readonly subscriptions: Subscriptions;
  /** The source itself; undefined until all of its events exist. */
  readonly source: () => Listenable;
}

/** The writer of events: what an event source is to the tracers. */
export interface Provider {
  readonly name: string;
  /** Its identity in ETW; GUID text in lower case. */
  readonly guid: string;
  /** ETW: a group of providers that can be enabled together. */
  readonly groupGuid?: string;
}

/**
 * @param guid by default, the one derived from the name
 * @throws DefinitionError
 */
export function providerOf(name: string, guid: string | undefined, groupGuid: string | undefined): Provider {
  const provider = { name, guid: guid === undefined ? providerGuid(name) : guidOption(name, 'guid', guid) };
  return groupGuid === undefined
    ? provider
    : { ...provider, groupGuid: guidOption(name, 'groupGuid', groupGuid) };
}

function guidOption(name: string, option: string, text: string): string {
  const guid = typeof text === 'string' ? Guid.tryParse(text) : undefined;
  if (guid !== undefined && !guid.isEmpty) return guid.toString();
  throw new DefinitionError(name, `the ${option} must be the text of a GUID, not ${JSON.stringify(text)}.`);
}
