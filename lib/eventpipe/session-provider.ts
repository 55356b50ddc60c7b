/** The providers that a session requests, in dotnet-trace's command-line syntax. */
import { knownKeywords, wrongCaseOf } from '../known/automatic.ts';
import { type Keywords, keywordBits } from '../listen/filter.ts';
import { MAX_LEVEL } from '../wire/diagnostics-ipc/constants.ts';
import {
  type ProviderText,
  ProviderTextError,
  parseProviderTexts,
  splitOutsideQuotes,
} from '../wire/diagnostics-ipc/provider-text.ts';
import { type EventFilter, sessionLevel, type TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';
import { SessionError } from './session-error.ts';

/** What a session wants from a provider. */
export interface SessionProvider {
  /** The exact name of the provider; `*` for every provider. */
  readonly name: string;
  /**
   * Events with any of these, and events without keywords; the default is all. 0n selects only events without keywords.
   * Names are those of the source's `keywords`; of a source that is defined later, a name that it lacks selects nothing,
   * with a process warning.
   */
  readonly keywords?: Keywords;
  /** This level and the more severe ones (lower numbers); the default is Verbose, 0 means all. */
  readonly level?: number;
  /** The provider's command handlers receive these. */
  readonly arguments?: Readonly<Record<string, string | number | boolean>>;
  /** Selects among these events by id. Events written with `write` have the id 0. */
  readonly filter?: EventFilter;
}

const ARGUMENT = /^(?<name>(?:"[^"]*"|[^"=])+)=(?<value>(?:"[^"]*"|[^"])*)$/;

/**
 * @param text see `parseProviderTexts`
 * @throws SessionError
 */
export function parseProviders(text: string): SessionProvider[] {
  return parsed(text).map(({ name, keywords, level, arguments: values }) => ({
    name,
    ...(keywords !== undefined && { keywords }),
    ...(level !== undefined && { level }),
    arguments: parseArguments(values, name),
  }));
}

function parsed(text: string): ProviderText[] {
  try {
    return parseProviderTexts(text);
  } catch (error) {
    throw error instanceof ProviderTextError ? new SessionError(error.message) : error;
  }
}

/**
 * @param text `key=value`, separated by `;`
 * @param provider for the error message
 * @throws SessionError
 */
function parseArguments(text: string, provider: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    splitOutsideQuotes(text, ';').map((part) => {
      const argument = argumentOf(part);
      if (argument !== undefined) return argument;
      throw new SessionError(`The arguments of ${provider} must be of the form key=value, not "${part}".`);
    }),
  );
}

/** Like `parseArguments`, but skips anything else: it is not a reason to refuse a tool's request. */
function readArguments(text: string): Readonly<Record<string, string>> {
  const read = splitOutsideQuotes(text, ';').map(argumentOf);
  return Object.fromEntries(read.filter((argument) => argument !== undefined));
}

function argumentOf(part: string): [name: string, value: string] | undefined {
  const { name, value } = ARGUMENT.exec(part)?.groups ?? {};
  return name === undefined || value === undefined ? undefined : [unquoted(name), unquoted(value)];
}

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

/** What a session requests of providers that do not say so themselves; the default is everything. */
interface Defaults {
  readonly level?: number;
  readonly keywords?: bigint;
}

/**
 * What to request of another process, whose sources are unknown here: only our own providers' keywords have names.
 *
 * @param text see `parseProviderTexts`
 * @throws SessionError
 */
export function tracingProviders(text: string, defaults: Defaults = {}): TracingProvider[] {
  return parsed(text).map((provider) => tracingProvider(provider, defaults));
}

/** @throws SessionError if the name is nearly that of one of our own providers, or a keyword is unknown */
export function tracingProvider(
  provider: Partial<ProviderText> & Pick<ProviderText, 'name'>,
  defaults: Defaults,
): TracingProvider {
  const { name, level = defaults.level ?? MAX_LEVEL, arguments: values = '' } = provider;
  const { keywords = defaults.keywords ?? ALL_KEYWORDS } = provider;
  const problem = wrongCaseOf(name);
  if (problem !== undefined) throw new SessionError(problem);
  return { name, keywords: knownBits(keywords, name), level: sessionLevel(level), arguments: values };
}

function knownBits(keywords: Keywords, provider: string): bigint {
  if (typeof keywords === 'bigint') return keywords;
  const names = knownKeywords(provider);
  if (names === undefined) {
    throw new SessionError(
      `The keywords of ${provider} must be up to 64 bits in hex, not "${[keywords].flat().join('+')}": only its own process knows their names.`,
    );
  }
  return keywordBits(keywords, names, (problem) => {
    throw new SessionError(`${provider}: ${problem}`);
  });
}

/** A tool's request, in the form that sessions use. */
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
