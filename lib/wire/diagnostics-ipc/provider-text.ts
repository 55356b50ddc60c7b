/**
 * Providers as dotnet-trace takes them on its command line: with `,` between them, each
 * `Name[:Keywords[:Level[:key=value;key=value]]]`, keywords in hex, the level as a number or a name.
 *
 * Source: dotnet/diagnostics, documentation of `dotnet-trace collect --providers`.
 */

export interface ProviderText {
  readonly name: string;
  /** This and the next: undefined where the text leaves it out. */
  readonly keywords: bigint | undefined;
  readonly level: number | undefined;
  /** As they stand there; empty: none. */
  readonly arguments: string;
}

/** A text that is not of that form; the message is a complete sentence. */
export class ProviderTextError extends Error {
  override readonly name = 'ProviderTextError';
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

/** @throws ProviderTextError */
export function parseProviderTexts(text: string): ProviderText[] {
  return splitOutsideQuotes(text, ',').map((part) => providerOf(part.trim()));
}

/** The parts that are not empty; what stands between double quotes separates nothing. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts = text.match(separator === ',' ? /(?:"[^"]*"|[^,"]|")+/g : /(?:"[^"]*"|[^;"]|")+/g) ?? [];
  return parts.filter((part) => part.trim() !== '');
}

function providerOf(text: string): ProviderText {
  // Arguments may hold what else would begin another part.
  const [name = '', keywords = '', level = '', ...rest] = text.split(':');
  if (name === '') throw new ProviderTextError(`The provider "${text}" has no name.`);
  return {
    name,
    keywords: keywords === '' ? undefined : keywordsOf(keywords, name),
    level: level === '' ? undefined : levelOf(level, name),
    arguments: rest.join(':'),
  };
}

function keywordsOf(text: string, provider: string): bigint {
  const digits = /^(?:0x)?(?<digits>[0-9a-f]{1,16})$/i.exec(text)?.groups?.digits;
  if (digits !== undefined) return BigInt(`0x${digits}`);
  throw new ProviderTextError(`The keywords of ${provider} are up to 64 bits in hex, not "${text}".`);
}

function levelOf(text: string, provider: string): number {
  const level = /^\d+$/.test(text) ? Number(text) : LEVELS.get(text.toLowerCase());
  if (level !== undefined && level <= 0xff) return level;
  throw new ProviderTextError(
    `The level of ${provider} is a number up to 255 or a name such as Informational, not "${text}".`,
  );
}
