/** What all events of one source have in common: their provider, and who receives them. */
import { Guid } from '../activity/guid.ts';
import { shown } from '../base/value-text.ts';
import type { Subscriptions } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { Tracer } from '../platform/tracer.ts';
import { MAX_PROVIDER_AND_GROUP_LENGTH } from '../wire/eventheader/constants.ts';
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
  /** Linux: the same, as part of its tracepoints' names. */
  readonly groupName?: string;
}

/**
 * @param options its GUID is by default the one derived from the name
 * @throws DefinitionError
 */
export function providerOf(name: string, options: Partial<Omit<Provider, 'name'>>): Provider {
  const { guid, groupGuid, groupName } = options;
  return {
    name,
    guid: guid === undefined ? providerGuid(name) : guidOption(name, 'guid', guid),
    ...(groupGuid !== undefined && { groupGuid: guidOption(name, 'groupGuid', groupGuid) }),
    ...(groupName !== undefined && { groupName: groupNameOption(name, groupName) }),
  };
}

function groupNameOption(name: string, group: string): string {
  const most = MAX_PROVIDER_AND_GROUP_LENGTH - name.length;
  if (typeof group === 'string' && /^[a-z0-9]+$/.test(group) && group.length <= most) return group;
  throw new DefinitionError(
    name,
    `the groupName must be lower-case letters and digits, at most ${most}, not ${shown(group)}.`,
  );
}

function guidOption(name: string, option: string, text: string): string {
  const guid = typeof text === 'string' ? Guid.tryParse(text) : undefined;
  if (guid !== undefined && !guid.isEmpty) return guid.toString();
  throw new DefinitionError(name, `the ${option} must be the text of a GUID, not ${JSON.stringify(text)}.`);
}
