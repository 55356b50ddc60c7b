/** The providers that a tracing session is asked for, as dotnet-trace takes them. */
import { MAX_LEVEL } from '../wire/diagnostics-ipc/constants.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { UsageError } from './usage-error.ts';

const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;
const LEVEL_NAMES = ['logalways', 'critical', 'error', 'warning', 'informational', 'verbose'];

/**
 * Every event of every provider. EventPipe knows this name with all keywords and the level Verbose only.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-session-provider.c.
 */
export const ALL_PROVIDERS = '*';

/**
 * @param text providers with `,` between them, each `Name[:Keywords[:Level[:key=value;key=value]]]`; a `,` between
 * double quotes is a part of what is quoted
 * @throws UsageError
 */
export function providersArgument(text: string): TracingProvider[] {
  const parts = text.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  const providers = parts.filter((part) => part.trim() !== '').map((part) => providerOf(part.trim()));
  if (providers.length === 0) throw new UsageError('--providers takes the names of providers, and got none.');
  return providers;
}

function providerOf(text: string): TracingProvider {
  // Values may hold what else would begin another part.
  const [name = '', keywords = '', level = '', ...values] = text.split(':');
  if (name === '') throw new UsageError(`--providers: "${text}" has no name.`);
  return {
    name,
    keywords: keywordsOf(keywords, text),
    level: levelOf(level, text),
    arguments: values.join(':'),
  };
}

function keywordsOf(text: string, provider: string): bigint {
  if (text === '') return ALL_KEYWORDS;
  const digits = /^(?:0x)?(?<digits>[0-9a-f]{1,16})$/i.exec(text)?.groups?.digits;
  if (digits !== undefined) return BigInt(`0x${digits}`);
  throw new UsageError(`--providers: the keywords of "${provider}" are 64 bits in hex, not "${text}".`);
}

function levelOf(text: string, provider: string): number {
  if (text === '') return MAX_LEVEL;
  const level = /^\d+$/.test(text) ? Number(text) : LEVEL_NAMES.indexOf(text.toLowerCase());
  if (level >= 0 && level <= MAX_LEVEL) return level;
  throw new UsageError(
    `--providers: the level of "${provider}" is a number up to ${MAX_LEVEL} or a name such as Informational, not "${text}".`,
  );
}
