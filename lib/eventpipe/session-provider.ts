/** The providers that a session is asked for, as dotnet-trace takes them on its command line. */
import {
  type ProviderText,
  ProviderTextError,
  parseProviderTexts,
  splitOutsideQuotes,
} from '../wire/diagnostics-ipc/provider-text.ts';
import type { EventFilter, TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';

/** What a session was asked for that cannot be: a mistake of who starts it. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

/** What a session wants of a provider. */
export interface SessionProvider {
  /** As the provider spells it itself; `*`: every provider. */
  readonly name: string;
  /** Events with any of these, and events without any; all unless given. 0n: only events without any. */
  readonly keywords?: bigint;
  /** This level and the more severe ones (lower numbers); Verbose unless given, 0: all. */
  readonly level?: number;
  /** For the provider's command handlers. */
  readonly arguments?: Readonly<Record<string, string | number | boolean>>;
  /** Of these events, those that pass by their ids. Events that `write` describes have the id 0. */
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
 * @param text `key=value`, more of them behind `;`
 * @param provider whose they are, for the error
 * @throws SessionError
 */
function parseArguments(text: string, provider: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    splitOutsideQuotes(text, ';').map((part) => {
      const argument = argumentOf(part);
      if (argument !== undefined) return argument;
      throw new SessionError(`The arguments of ${provider} are of the form key=value, not "${part}".`);
    }),
  );
}

/** As `parseArguments`, without what is not of the form: what tools send is no reason to refuse them. */
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

/** What a tool asks of a provider, as sessions take it. */
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
