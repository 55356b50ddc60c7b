/**
 * Parses a tracepoint name: `<Provider>_L<level hex>K<keyword hex>[<Options>]`.
 *
 * Exactly like Microsoft's decoders (LinuxTracepoints, EventEnumerator): the provider ends at the LAST underscore;
 * numbers are lower-case hex of any length, of which the low bits count; options are an upper-case letter followed by
 * digits and lower-case letters, any number of times. So `P_L5KFF` has keyword 0 and options `FF`.
 */
import { MAX_TRACEPOINT_NAME_LENGTH } from './constants.ts';

export interface TracepointNameParts {
  readonly provider: string;
  /** 0 to 255. */
  readonly level: number;
  /** 64 bits. */
  readonly keyword: bigint;
  /** The letters and values after the keyword, such as `Ggroup`; empty if there are none. */
  readonly options: string;
}

const NAME_PATTERN =
  /^(?<provider>[^\0]*)_L(?<level>[0-9a-f]*)K(?<keyword>[0-9a-f]*)(?<options>(?:[A-Z][0-9a-z]*)*)$/s;

/** The parts of the name, or `undefined` if it is not that of an EventHeader tracepoint. */
export function parseTracepointName(name: string): TracepointNameParts | undefined {
  if (isTooLong(name)) return undefined;
  const parts = NAME_PATTERN.exec(name)?.groups;
  if (parts === undefined) return undefined;
  const { provider = '', level = '', keyword = '', options = '' } = parts;
  return {
    provider,
    level: Number.parseInt(level.slice(-2) || '0', 16),
    keyword: BigInt(`0x${keyword.slice(-16) || '0'}`),
    options,
  };
}

/** The limit is in bytes of UTF-8; a UTF-16 unit takes at most 3. */
function isTooLong(name: string): boolean {
  if (name.length * 3 <= MAX_TRACEPOINT_NAME_LENGTH) return false;
  return new TextEncoder().encode(name).length > MAX_TRACEPOINT_NAME_LENGTH;
}
