/**
 * The GUIDs of an activity and of everything in it as a regular expression, for tools that know no activity paths.
 *
 * Source: "EventSource Activity Support", appendix "Activity Path Encoding": the nibble code is a prefix code, so the
 * ids of all activities in one begin with the same nibbles.
 */
import { Guid } from './guid.ts';
import { nibbleAt, PATH_NIBBLES } from './path-layout.ts';
import { appendNumber, appendOverflowNumber, endAfterNumber, endAfterOverflowNumber } from './path-writer.ts';

const PATH = /^\/(?:\/|#\d+\/)\d+(?:\/\d+)*(?:\$\d+)?\/?$/;
const NUMBER = /([/$])(\d+)(?=[/$]|$)/g;
const MAX_NUMBER = 0xffffffff;
/** The positions of a path's bytes, in the order of the text: the first three groups are little-endian numbers. */
const BYTES_IN_TEXT = [
  [3, 2, 1, 0],
  [5, 4],
  [7, 6],
  [8, 9],
  [10, 11],
] as const;
const CHECKSUM_DIGITS = 8;
const ANY_DIGIT = '[0-9a-fA-F]';

/** A path as it is written so far. */
interface Prefix {
  readonly guid: Guid;
  readonly end: number;
}

/**
 * A regular expression for the texts of all ids of an activity and the activities in it, in any process, upper or lower
 * case. It has only what grep -E, .NET, RE2, DuckDB and JavaScript have in common. Other GUIDs can match by chance, if
 * the path is short: one in 256 for `//1/1`.
 *
 * @param path `//1/1/6`, or `/#4321/1/1/6/` as PerfView prints it, whose process is ignored
 * @throws RangeError if the text is not a path, or too long for an id
 */
export function activityIdPattern(path: string): RegExp {
  if (!PATH.test(path)) throw new RangeError(`"${path}" is not an activity path, such as //1/1/6.`);
  const numbers = [...path.slice(1).replace(/^#\d+/, '').replace(/\/$/, '').matchAll(NUMBER)];
  let prefixes: readonly Prefix[] = [{ guid: Guid.empty, end: 0 }];
  for (const [, separator, digits] of numbers) {
    const number = Number(digits);
    prefixes = prefixes
      .flatMap((prefix) => appended(prefix, separator === '$', number))
      .filter(({ end }) => end <= PATH_NIBBLES);
    if (number > MAX_NUMBER || prefixes.length === 0) {
      throw new RangeError(
        `"${path}" is too long for an activity id: it does not fit at ${separator}${digits}.`,
      );
    }
  }
  const patterns = [...new Set(prefixes.map(patternOf))];
  return new RegExp(patterns.length === 1 ? (patterns[0] as string) : `(${patterns.join('|')})`);
}

function appended({ guid, end }: Prefix, isOverflow: boolean, number: number): Prefix[] {
  const after = isOverflow ? endAfterOverflowNumber(end, number) : endAfterNumber(end, number);
  if (after > PATH_NIBBLES) return [];
  const append = isOverflow ? appendOverflowNumber : appendNumber;
  const next = { guid: append(guid, end, number, 0), end: after };
  // .NET up to version 9 wrote a spare zero byte after such a number before the next one.
  const hasSpare = !isOverflow && (end & 1) === 0 && number >= 256 && number < 4096;
  return hasSpare ? [next, { ...next, end: after + 2 }] : [next];
}

function patternOf({ guid, end }: Prefix): string {
  const groups = BYTES_IN_TEXT.map((bytes) =>
    bytes.flatMap((byte) => [2 * byte, 2 * byte + 1].map((at) => (at < end ? digitOf(guid, at) : ANY_DIGIT))),
  );
  groups.at(-1)?.push(...new Array<string>(CHECKSUM_DIGITS).fill(ANY_DIGIT));
  return groups.map(withCounts).join('-');
}

/** Reads digits of both cases: tools of Windows print upper case. */
function digitOf(guid: Guid, at: number): string {
  const digit = nibbleAt(guid, at).toString(16);
  return digit < 'a' ? digit : `[${digit}${digit.toUpperCase()}]`;
}

function withCounts(digits: readonly string[]): string {
  return digits.join('').replaceAll(/(?:\[0-9a-fA-F\]){2,}/g, (run) => {
    return `${ANY_DIGIT}{${run.length / ANY_DIGIT.length}}`;
  });
}
