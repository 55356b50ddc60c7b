/** The kinds of values that options take: each is read in one place, whichever command it is given to. */
import { keywordBitsOf, levelOf } from '../wire/diagnostics-ipc/provider-text.ts';
import { ValueKind } from './parse-options.ts';

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

/**
 * Text that is not empty.
 *
 * @param takes what the text is, in a sentence
 */
export function text(name: string, takes: string): ValueKind<string> {
  return new ValueKind(name, takes, (given) => (given === '' ? undefined : given));
}

/** The path of a file. */
export const FILE = text('FILE', 'a file');
/** The path of a folder. */
export const FOLDER = new ValueKind('DIR', 'a folder', (given) => given || undefined, 'folders');

/** A size in bytes. Its unit is required: without one, nobody knows which is meant. */
export function size(max = Number.MAX_SAFE_INTEGER): ValueKind<number> {
  return new ValueKind('SIZE', 'a size such as 64MB or 512KiB', (given) => {
    const [, number, unit = ''] = /^(\d{1,9}(?:\.\d+)?) ?([kmg]i?b)$/i.exec(given) ?? [];
    const bytes = Math.ceil(Number(number) * (BYTES_PER_UNIT[unit.toLowerCase()] ?? Number.NaN));
    return bytes > 0 && bytes <= max ? bytes : undefined;
  });
}

/** A duration in milliseconds. A number alone is in seconds, as for `sleep`. */
export function duration(min = 1): ValueKind<number> {
  const least = min > 1 ? ` of at least ${min}ms` : '';
  return new ValueKind('TIME', `a duration such as 10s or 500ms${least}`, (given) => {
    const [, number, unit = ''] = /^(\d{1,10}(?:\.\d+)?) ?(ms|s|min|h)?$/.exec(given) ?? [];
    const ms = Number(number) * (MS_PER_UNIT[unit] as number);
    return ms >= min && ms <= MAX_DURATION_MS ? ms : undefined;
  });
}

/** A whole number. */
export function count(
  name: string,
  min: number,
  max = Number.POSITIVE_INFINITY,
  what = 'a number',
): ValueKind<number> {
  const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
  return new ValueKind(name, `${what} ${range}`, (given) => {
    const number = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

/** @param values what the words stand for */
export function choice<Value>(name: string, values: Readonly<Record<string, Value>>): ValueKind<Value> {
  const words = Object.keys(values);
  const takes = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return new ValueKind(
    name,
    takes,
    (given) => (Object.hasOwn(values, given) ? values[given] : undefined),
    words,
  );
}

/** @param min 1 where level 0 would ask for all levels */
export function level(min = 0): ValueKind<number> {
  const takes = `a number from ${min} to ${MAX_LEVEL}, or a name such as Warning`;
  const words = ['critical', 'error', 'warning', 'informational', 'verbose'];
  const read = (given: string) => {
    const number = levelOf(given) ?? -1;
    return number >= min ? number : undefined;
  };
  return new ValueKind('LEVEL', takes, read, words);
}

export const KEYWORDS = new ValueKind('HEX', '64 bits in hex', keywordBitsOf);

export const PROCESS_ID = new ValueKind('PID', 'a process id', (given) => {
  const processId = /^\d{1,10}$/.test(given) ? Number(given) : 0;
  return processId >= 1 && processId < 2 ** 32 ? processId : undefined;
});
