/** What a session asks of each provider, put together from what it was given. */
import { checkFilter } from '../filter.ts';
import { shown } from '../shown.ts';
import { ALL_KEYWORDS, parseProviders, type SessionProvider } from './provider-text.ts';
import { SessionError } from './session-error.ts';

const VERBOSE = 5;
/** The name that stands for every provider. */
const EVERY = '*';

export type ProviderRequest = Required<Omit<SessionProvider, 'name'>>;

export class ProviderRequests {
  readonly #byName = new Map<string, ProviderRequest>();

  /** @throws SessionError */
  constructor(given: string | readonly SessionProvider[]) {
    const providers: unknown = typeof given === 'string' ? parseProviders(given) : given;
    if (!Array.isArray(providers) || providers.length === 0) {
      throw new SessionError(`A session takes the names of providers, not ${shown(given)}.`);
    }
    for (const provider of providers) this.#add(provider);
  }

  /** What is asked of the provider: for its name and for every one, together. Undefined: nothing. */
  of(name: string): ProviderRequest | undefined {
    const own = this.#byName.get(name);
    const every = this.#byName.get(EVERY);
    return own !== undefined && every !== undefined ? merged(every, own) : (own ?? every);
  }

  #add(provider: SessionProvider): void {
    if (typeof provider?.name !== 'string' || provider.name === '') {
      throw new SessionError(`A session's provider has a name, and ${shown(provider)} has none.`);
    }
    const { name, keywords = ALL_KEYWORDS, level = VERBOSE, arguments: args = {} } = provider;
    try {
      checkFilter({ keywords, level });
    } catch (error) {
      throw new SessionError(`The session's provider ${name}: ${(error as RangeError).message}`);
    }
    const before = this.#byName.get(name);
    const request = { keywords, level, arguments: args };
    this.#byName.set(name, before === undefined ? request : merged(before, request));
  }
}

/** Whatever either of them asks for; of arguments with the same name, the second one's. */
function merged(first: ProviderRequest, second: ProviderRequest): ProviderRequest {
  const asksForAll = first.level === 0 || second.level === 0;
  return {
    keywords: first.keywords | second.keywords,
    level: asksForAll ? 0 : Math.max(first.level, second.level),
    arguments: { ...first.arguments, ...second.arguments },
  };
}
