/** What a session requests from each provider, assembled from its options. */

import { shown } from '../base/value-text.ts';
import { argumentTexts } from '../listen/commands.ts';
import { checkFilter, eventIdTest, keywordBits } from '../listen/filter.ts';
import { eventSources } from '../listen/sources.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';
import { SessionError } from './session-error.ts';
import { parseProviders, type SessionProvider } from './session-provider.ts';

const VERBOSE = 5;
/** The name for every provider. */
const EVERY = '*';

/** The events that one of the requests for a provider selects. */
interface Selection {
  readonly keywords: bigint;
  /** Further keywords, whose bits each source knows; undefined for none. */
  readonly keywordNames: readonly string[] | undefined;
  readonly level: number;
}

/** Cloneable with structuredClone, for worker threads. */
export interface ProviderRequest extends Selection {
  /** What is selected, if there were several requests; keywords and level are then those of all together. */
  readonly either?: readonly Selection[] | undefined;
  readonly arguments: Readonly<Record<string, string>>;
  readonly filter: EventFilter | undefined;
}

export class ProviderRequests {
  readonly #byName: ReadonlyMap<string, ProviderRequest>;

  constructor(byName: ReadonlyMap<string, ProviderRequest>) {
    this.#byName = byName;
  }

  /** @throws SessionError */
  static from(given: string | readonly SessionProvider[]): ProviderRequests {
    const providers: unknown = typeof given === 'string' ? parseProviders(given) : given;
    if (!Array.isArray(providers) || providers.length === 0) {
      throw new SessionError(`A session needs the names of providers, not ${shown(given)}.`);
    }
    const byName = new Map<string, ProviderRequest>();
    for (const provider of providers as readonly SessionProvider[]) {
      const request = requestOf(provider);
      const before = byName.get(provider.name);
      byName.set(provider.name, before === undefined ? request : merged(before, request));
    }
    for (const [name, { keywordNames }] of byName) checkKeywordNames(name, keywordNames);
    return new ProviderRequests(byName);
  }

  get byName(): ReadonlyMap<string, ProviderRequest> {
    return this.#byName;
  }

  /** The requested name that differs from a provider's only in its case. */
  inOtherCase(name: string): string | undefined {
    const folded = name.toLowerCase();
    return [...this.#byName.keys()].find((asked) => asked.toLowerCase() === folded);
  }

  /**
   * The request for a provider: that for its name and that for every provider, combined. Undefined if there is neither.
   */
  of(name: string): ProviderRequest | undefined {
    const own = this.#byName.get(name);
    const every = this.#byName.get(EVERY);
    return own !== undefined && every !== undefined ? merged(every, own) : (own ?? every);
  }
}

function requestOf(provider: SessionProvider): ProviderRequest {
  if (typeof provider?.name !== 'string' || provider.name === '') {
    throw new SessionError(`A session's provider must have a name, and ${shown(provider)} has none.`);
  }
  const { name, keywords = ALL_KEYWORDS, level = VERBOSE, arguments: args = {}, filter } = provider;
  const keywordNames =
    typeof keywords === 'string' || Array.isArray(keywords) ? [keywords].flat() : undefined;
  const bits = keywordNames === undefined ? (keywords as bigint) : 0n;
  try {
    checkFilter({ keywords: bits, level });
  } catch (error) {
    throw new SessionError(`The session's provider ${name}: ${(error as RangeError).message}`);
  }
  return {
    keywords: bits,
    keywordNames,
    level,
    arguments: argumentTexts(args),
    filter: filter && checkedFilter(filter, name),
  };
}

/** @throws SessionError if none of the provider's sources defines one of them; there may be sources later */
function checkKeywordNames(provider: string, names: readonly string[] | undefined): void {
  if (names === undefined) return;
  if (provider === EVERY) {
    throw new SessionError(
      `The keywords of ${EVERY} must be a bigint (0x2n): each source has names of its own.`,
    );
  }
  const sources = eventSources().filter((source) => source.name === provider);
  const known = Object.assign({}, ...sources.map((source) => subscriptionsOf(source).keywordNames));
  if (sources.length === 0) return;
  keywordBits(names, known, (problem) => {
    throw new SessionError(`${provider}: ${problem}`);
  });
}

/** The request with bits in place of names. */
export function inBitsOf(
  source: Listenable,
  request: ProviderRequest,
  onUnknown: (problem: string) => void,
): ProviderRequest {
  if (request.keywordNames === undefined) return request;
  const inBits = <Of extends Selection>(selection: Of): Of => {
    const { keywords, keywordNames = [] } = selection;
    const named = keywordBits(keywordNames, subscriptionsOf(source).keywordNames, onUnknown);
    return { ...selection, keywords: keywords | named, keywordNames: undefined };
  };
  return { ...inBits(request), either: request.either?.map(inBits) };
}

function checkedFilter(filter: EventFilter, provider: string): EventFilter {
  const { isAllowList, ids } = filter;
  if (typeof isAllowList !== 'boolean' || !Array.isArray(ids) || !ids.every(Number.isInteger)) {
    throw new SessionError(
      `The filter of the session's provider ${provider} must be { isAllowList, ids }, not ${shown(filter)}.`,
    );
  }
  return { isAllowList, ids: [...ids] };
}

/** Passes the events that either filter passes. */
function eitherOf(first: EventFilter | undefined, second: EventFilter | undefined): EventFilter | undefined {
  if (first === undefined || second === undefined) return undefined;
  if (first.isAllowList && second.isAllowList) {
    return { isAllowList: true, ids: [...new Set([...first.ids, ...second.ids])] };
  }
  const [denying, other] = first.isAllowList ? [second, first] : [first, second];
  const passesOther = eventIdTest(other);
  return { isAllowList: false, ids: denying.ids.filter((id) => !passesOther(id)) };
}

/**
 * Everything that either requests, and nothing else: the level of one says nothing about the keywords of the other. For
 * arguments with the same name, the second one's.
 */
function merged(first: ProviderRequest, second: ProviderRequest): ProviderRequest {
  const asksForAll = first.level === 0 || second.level === 0;
  return {
    keywords: first.keywords | second.keywords,
    keywordNames:
      first.keywordNames === undefined && second.keywordNames === undefined
        ? undefined
        : [...(first.keywordNames ?? []), ...(second.keywordNames ?? [])],
    level: asksForAll ? 0 : Math.max(first.level, second.level),
    either: [first, second].flatMap((each) => each.either ?? [selectionOf(each)]),
    arguments: { ...first.arguments, ...second.arguments },
    filter: eitherOf(first.filter, second.filter),
  };
}

function selectionOf({ keywords, keywordNames, level }: Selection): Selection {
  return { keywords, keywordNames, level };
}
