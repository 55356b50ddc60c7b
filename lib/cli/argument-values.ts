/** The kinds of values that options take: each is read by one function, in whichever command it is given. */
import { keywordBitsOf, levelOf } from '../wire/diagnostics-ipc/provider-text.ts';
import { UsageError } from './parse-options.ts';

/** The longest time for a timer. */
const MAX_DURATION_MS = 2 ** 31 - 1;
const MS_PER_UNIT: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};
const MAX_LEVEL = 255;

/** Reads the value of an option if it has been given. */
export function given<T, Rest extends readonly unknown[]>(
  read: (option: string, text: string, ...rest: Rest) => T,
  option: string,
  text: string | undefined,
  ...rest: Rest
): T | undefined {
  return text === undefined ? undefined : read(option, text, ...rest);
}

/**
 * A size with its unit, such as `64MB` or `512KiB`: without one, nobody knows which is meant.
 *
 * @returns bytes
 * @throws UsageError
 */
export function sizeArgument(option: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d+)?) ?([kmg]i?b)$/i.exec(text) ?? [];
  const bytes = Math.ceil(Number(number) * (BYTES_PER_UNIT[unit.toLowerCase()] ?? Number.NaN));
  if (bytes > 0 && bytes <= max) return bytes;
  throw new UsageError(`${option} takes a size such as 64MB or 512KiB, not "${text}".`);
}

/**
 * A duration such as `10s`, `500ms` or `5min`; a number alone is in seconds, as for `sleep`.
 *
 * @returns milliseconds
 * @throws UsageError
 */
export function durationArgument(option: string, text: string, min = 1): number {
  const [, number, unit = ''] = /^(\d{1,10}(?:\.\d+)?) ?(ms|s|min|h)?$/.exec(text) ?? [];
  const ms = Number(number) * (MS_PER_UNIT[unit] as number);
  if (ms >= min && ms <= MAX_DURATION_MS) return ms;
  const least = min > 1 ? ` of at least ${min}ms` : '';
  throw new UsageError(`${option} takes a duration such as 10s or 500ms${least}, not "${text}".`);
}

/** @throws UsageError */
export function countArgument(option: string, text: string, min = 1): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (count >= min) return count;
  throw new UsageError(`${option} takes a number of at least ${min}, not "${text}".`);
}

/**
 * @param min 1 where level 0 would ask for all levels
 * @throws UsageError
 */
export function levelArgument(text: string, min = 0): number {
  const level = levelOf(text) ?? -1;
  if (level >= min) return level;
  throw new UsageError(
    `--level takes a number from ${min} to ${MAX_LEVEL}, or a name such as Warning, not "${text}".`,
  );
}

/** @throws UsageError */
export function keywordsArgument(text: string): bigint {
  const bits = keywordBitsOf(text);
  if (bits !== undefined) return bits;
  throw new UsageError(`--keywords takes 64 bits in hex, not "${text}".`);
}
