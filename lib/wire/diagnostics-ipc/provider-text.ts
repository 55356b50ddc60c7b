/**
 * Providers in dotnet-trace's command-line syntax: separated by `,`, each
 * `Name[:Keywords[:Level[:key=value;key=value]]]`, with keywords in hex, or by names joined with `+`, and the level as a
 * number or a name. What can be hex is hex.
 *
 * Source: dotnet/diagnostics, documentation of `dotnet-trace collect --providers`.
 */

export interface ProviderText {
  readonly name: string;
  /** Keywords, as bits or names, and level are undefined if the text omits them. */
  readonly keywords: bigint | readonly string[] | undefined;
  readonly level: number | undefined;
  /** The arguments are unparsed; empty if there are none. */
  readonly arguments: string;
}

/** Text that does not have this form; the message is a complete sentence. */
export class ProviderTextError extends Error {
  override readonly name = 'ProviderTextError';
}

const KEYWORD_NAMES = /^[\p{L}_][\p{L}\p{N}_.-]*(?:\+[\p{L}_][\p{L}\p{N}_.-]*)*$/u;
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['always', 0],
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

/** The non-empty parts; separators within double quotes are ignored. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts = text.match(separator === ',' ? /(?:"[^"]*"|[^,"]|")+/g : /(?:"[^"]*"|[^;"]|")+/g) ?? [];
  return parts.filter((part) => part.trim() !== '');
}

function providerOf(text: string): ProviderText {
  // Arguments may contain what would otherwise start another part.
  const [name = '', keywords = '', level = '', ...rest] = text.split(':');
  if (name === '') throw new ProviderTextError(`The provider "${text}" has no name.`);
  return {
    name,
    keywords: keywords === '' ? undefined : keywordsOf(keywords, name),
    level: level === '' ? undefined : levelFor(level, name),
    arguments: rest.join(':'),
  };
}

/** The bits that a text of hex digits stands for; undefined if it is none. */
export function keywordBitsOf(text: string): bigint | undefined {
  const digits = /^(?:0x)?(?<digits>[0-9a-f]{1,16})$/i.exec(text)?.groups?.digits;
  return digits === undefined ? undefined : BigInt(`0x${digits}`);
}

/** The level that a number or a name stands for; undefined if the text is neither. */
export function levelOf(text: string): number | undefined {
  const level = /^\d{1,3}$/.test(text) ? Number(text) : LEVELS.get(text.toLowerCase());
  return level !== undefined && level <= 0xff ? level : undefined;
}

function keywordsOf(text: string, provider: string): bigint | readonly string[] {
  const bits = keywordBitsOf(text);
  if (bits !== undefined) return bits;
  if (KEYWORD_NAMES.test(text)) return text.split('+');
  throw new ProviderTextError(
    `The keywords of ${provider} must be up to 64 bits in hex or names such as GC+Heap, not "${text}".`,
  );
}

function levelFor(text: string, provider: string): number {
  const level = levelOf(text);
  if (level !== undefined) return level;
  throw new ProviderTextError(
    `The level of ${provider} must be a number up to 255 or a name such as Informational, not "${text}".`,
  );
}
