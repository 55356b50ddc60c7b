/** The rules that `tracewright check` is given as options, or in a file with the same names. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { decodeTextFile } from '../../wire/text.ts';
import { count, duration, FILE } from '../argument-values.ts';
import {
  flag,
  type OptionRow,
  type OptionRows,
  type OptionValues,
  UsageError,
  ValueKind,
} from '../parse-options.ts';

/** How long activities may take. */
export interface Limit {
  /** The text is as it was given: `p99:Request=200ms`. */
  readonly text: string;
  /** This share of the activities may not take longer: 0.99, or 1 for all. */
  readonly share: number;
  readonly name: string;
  readonly limitNs: number;
}

export interface Rules {
  readonly maxBlockNs: number | undefined;
  readonly limits: readonly Limit[];
  /** An activity may repeat a query less often. */
  readonly repeatedQueries: number | undefined;
  readonly noFailures: boolean;
  /** The paths of the traces to compare with. */
  readonly against: readonly string[];
}

const SHARES: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 };
const NS_PER_MS = 1e6;

const LIMIT = new ValueKind<Limit>(
  'LIMIT',
  `${Object.keys(SHARES).join(', ')} of a name or route, as in p99:Request=200ms`,
  (text) => {
    const [, quantile = '', name = '', limit = ''] = /^(\w+):(.+)=([^=]+)$/s.exec(text) ?? [];
    const share = Object.hasOwn(SHARES, quantile) ? SHARES[quantile] : undefined;
    if (share === undefined) return undefined;
    return { text, share, name, limitNs: duration(0).parse('--max', limit) * NS_PER_MS };
  },
);

export const RULE_OPTIONS = {
  'max-block': duration(0).option(
    `no run of one activity, or of none, blocks an event loop for longer (50ms)`,
  ),
  max: LIMIT.repeated(`a percentile (p50, p90, p95, p99) or the maximum of the durations of a name or route is
      no longer: p99:Request=200ms, max:GET /cart=1s; a name with * limits each route on its own (p95:GET
      *=80ms)`),
  'no-repeated-queries': count('N', 2).option(`no activity makes N or more queries with the same text, or HTTP
      calls of one route`),
  'no-failures': flag('no activity fails'),
  against: FILE.repeated(`nothing is slower, calls more or fails more often than in this trace, beyond noise,
      as "tracewright diff" tells; several if the trace before is of several processes`),
} as const satisfies OptionRows;

type RuleValues = OptionValues<typeof RULE_OPTIONS>;

/**
 * @param values of the command line, which go before those of the file
 * @throws UsageError
 */
export function rulesOf(values: RuleValues, file: string | undefined): Rules {
  const inFile = file === undefined ? {} : valuesIn(file);
  const all = { ...inFile, ...values };
  const maxBlock = all['max-block'];
  const rules: Rules = {
    maxBlockNs: maxBlock === undefined ? undefined : maxBlock * NS_PER_MS,
    limits: [...(inFile.max ?? []), ...(values.max ?? [])],
    repeatedQueries: all['no-repeated-queries'],
    noFailures: all['no-failures'] === true,
    against: all.against ?? [],
  };
  const { maxBlockNs, limits, repeatedQueries, noFailures, against } = rules;
  if ((maxBlockNs ?? repeatedQueries ?? against[0] ?? limits[0]) === undefined && !noFailures) {
    throw new UsageError('check takes at least one rule, such as --no-failures; --help lists them.');
  }
  return rules;
}

/** @throws UsageError */
function valuesIn(file: string): RuleValues {
  let rules: unknown;
  try {
    rules = JSON.parse(decodeTextFile(readFileSync(file)));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? `is not JSON: ${message}` : `cannot be read (${code})`;
    throw new UsageError(`The file of rules "${file}" ${reason.replace(/\.?$/, '.')}`);
  }
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) {
    throw new UsageError(`The file of rules "${file}" must be an object such as {"no-failures": true}.`);
  }
  const values = Object.fromEntries(
    Object.entries(rules).map(([name, value]) => [name, ruleValue(file, name, value)]),
  ) as RuleValues;
  // A file of rules is moved together with the trace that it compares with.
  return values.against === undefined
    ? values
    : { ...values, against: values.against.map((each) => resolve(dirname(file), each)) };
}

function ruleValue(file: string, name: string, value: unknown): unknown {
  if (!Object.hasOwn(RULE_OPTIONS, name)) {
    const known = Object.keys(RULE_OPTIONS).join(', ');
    throw new UsageError(`The file of rules "${file}" has "${name}", which is none of ${known}.`);
  }
  const { value: kind, repeats }: OptionRow = RULE_OPTIONS[name as keyof typeof RULE_OPTIONS];
  if (kind === undefined && typeof value === 'boolean') return value;
  const texts = Array.isArray(value) && repeats ? value : [value];
  if (kind !== undefined && texts.every((text) => typeof text === 'string' || typeof text === 'number')) {
    const values = texts.map((text) => kind.parse(`--${name}`, String(text)));
    return repeats ? values : values[0];
  }
  throw new UsageError(`The file of rules "${file}" has ${JSON.stringify(value)} for "${name}".`);
}
