/**
 * The providers that a session is asked for, as dotnet-trace takes them on its command line.
 *
 * Source: dotnet/diagnostics, documentation of `dotnet-trace collect --providers`.
 */
import { SessionError } from './session-error.ts';

export const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;

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
}

const LEVELS: ReadonlyMap<string, number> = new Map([
  ['logalways', 0],
  ['critical', 1],
  ['error', 2],
  ['warning', 3],
  ['info', 4],
  ['informational', 4],
  ['verbose', 5],
]);

const ARGUMENT = /^(?<name>(?:"[^"]*"|[^"=])+)=(?<value>(?:"[^"]*"|[^"])*)$/;

/**
 * @param text providers with `,` between them, each `Name[:Keywords[:Level[:key=value;key=value]]]`: keywords in
 *   hex, the level as a number or a name; what stands between double quotes separates nothing
 * @throws SessionError
 */
export function parseProviders(text: string): SessionProvider[] {
  return split(text, ',').map((part) => providerOf(part.trim()));
}

function providerOf(text: string): SessionProvider {
  // Arguments may hold what else would begin another part.
  const [name = '', keywords = '', level = '', ...rest] = text.split(':');
  if (name === '') throw new SessionError(`The provider "${text}" has no name.`);
  return {
    name,
    ...(keywords !== '' && { keywords: keywordsOf(keywords, name) }),
    ...(level !== '' && { level: levelOf(level, name) }),
    arguments: argumentsOf(rest.join(':'), name),
  };
}

function keywordsOf(text: string, provider: string): bigint {
  const digits = /^(?:0x)?(?<digits>[0-9a-f]{1,16})$/i.exec(text)?.groups?.digits;
  if (digits !== undefined) return BigInt(`0x${digits}`);
  throw new SessionError(`The keywords of ${provider} are up to 64 bits in hex, not "${text}".`);
}

function levelOf(text: string, provider: string): number {
  const level = /^\d+$/.test(text) ? Number(text) : LEVELS.get(text.toLowerCase());
  if (level !== undefined && level <= 0xff) return level;
  throw new SessionError(
    `The level of ${provider} is a number up to 255 or a name such as Informational, not "${text}".`,
  );
}

function argumentsOf(text: string, provider: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    split(text, ';').map((part) => {
      const { name, value } = ARGUMENT.exec(part)?.groups ?? {};
      if (name === undefined || value === undefined) {
        throw new SessionError(`The arguments of ${provider} are of the form key=value, not "${part}".`);
      }
      return [unquoted(name), unquoted(value)];
    }),
  );
}

/** The parts that are not empty. */
function split(text: string, separator: ',' | ';'): string[] {
  const parts = text.match(separator === ',' ? /(?:"[^"]*"|[^,"]|")+/g : /(?:"[^"]*"|[^;"]|")+/g) ?? [];
  return parts.filter((part) => part.trim() !== '');
}

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}
