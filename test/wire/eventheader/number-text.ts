/** Floats and times as text, in the format of C++: `std::to_chars` and `gmtime`. */

/**
 * The shortest text that reads back as the same float: fixed notation unless scientific is shorter, an exponent of at
 * least two digits, `nan`, `-nan`, `inf`, `-inf`.
 *
 * @param size 4 or 8, the bytes of the float
 * @param negative its sign bit, which JavaScript does not expose for NaN
 */
export function floatText(value: number, size: number, negative: boolean): string {
  const sign = negative ? '-' : '';
  if (Number.isNaN(value)) return `${sign}nan`;
  if (!Number.isFinite(value)) return `${sign}inf`;
  const magnitude = Math.abs(value);
  const [mantissa = '', exponentText = ''] = shortestScientific(magnitude, size).split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  const exponentDigits = String(Math.abs(exponent)).padStart(2, '0');
  const scientific = `${mantissa}e${exponent < 0 ? '-' : '+'}${exponentDigits}`;
  const fixed = fixedText(digits, exponent, magnitude);
  return sign + (fixed.length <= scientific.length ? fixed : scientific);
}

/** The maximum of toExponential; a float halfway between two texts has far fewer digits. */
const MAX_FRACTION_DIGITS = 100;

function shortestScientific(magnitude: number, size: number): string {
  if (size === 8) return magnitude.toExponential();
  for (let fractionDigits = 0; fractionDigits < 8; fractionDigits++) {
    const text = roundedScientific(magnitude, fractionDigits);
    if (Math.fround(Number(text)) === magnitude) return text;
  }
  return magnitude.toExponential(8);
}

/** Like toExponential, but of two equally near texts, the one with the even last digit. */
function roundedScientific(magnitude: number, fractionDigits: number): string {
  const text = magnitude.toExponential(fractionDigits);
  const beyond = magnitude
    .toExponential(MAX_FRACTION_DIGITS)
    .split('e', 1)[0]
    ?.replace('.', '')
    .slice(fractionDigits + 1);
  const isTie = /^50*$/.test(beyond ?? '');
  // toExponential rounds ties up, so an odd last digit has an even one below it.
  return isTie ? text.replace(/[13579](?=e)/, (digit) => String(Number(digit) - 1)) : text;
}

function fixedText(digits: string, exponent: number, magnitude: number): string {
  // An integer with more digits than its shortest form is written out exactly.
  if (exponent >= digits.length) return String(BigInt(magnitude));
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1);
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** gmtime works only in this range, where the year fits into an int: seconds since 1970. */
const FIRST_TIME = -67768040609740800n;
const LAST_TIME = 67768036191676799n;
const SECONDS_PER_DAY = 86400n;

/** `2024-03-28T00:45:12`, in UTC, or `TIME(seconds)` where the year would not fit. */
export function timeText(secondsSince1970: bigint): string {
  if (secondsSince1970 < FIRST_TIME || secondsSince1970 > LAST_TIME) return `TIME(${secondsSince1970})`;
  const second = Number(((secondsSince1970 % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY);
  const day = Number((secondsSince1970 - BigInt(second)) / SECONDS_PER_DAY);
  const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${dateText(day)}T${clock.map(twoDigits).join(':')}`;
}

/** Days and years in a cycle of the Gregorian calendar. */
const CYCLE_DAYS = 146097;
const CYCLE_YEARS = 400;
const MILLISECONDS_PER_DAY = 86_400_000;

function dateText(daysSince1970: number): string {
  // Date covers only about 275,000 years in each direction, so the date is computed in the cycle that starts in 1970.
  const cycle = Math.floor(daysSince1970 / CYCLE_DAYS);
  const date = new Date((daysSince1970 - cycle * CYCLE_DAYS) * MILLISECONDS_PER_DAY);
  const year = date.getUTCFullYear() + cycle * CYCLE_YEARS;
  const yearText = year < 0 ? `-${String(-year).padStart(3, '0')}` : String(year).padStart(4, '0');
  return `${yearText}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
