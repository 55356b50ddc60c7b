/** The values of an answer as text. */
import type { QueryValue } from '../../query/query-result.ts';

/** Prints rows as they come. */
export interface AnswerPrinter {
  row(values: readonly QueryValue[]): void;
  end(): void;
}

/** Shows lists and structs as JSON, and NULL as nothing. */
export function valueText(value: QueryValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Shows fractions to people in three digits, or in as many as a small one needs. */
export function shownText(value: QueryValue): string {
  if (typeof value !== 'number' || Number.isInteger(value)) return valueText(value);
  return String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(3)));
}

/** Numbers of any size, which JSON allows. */
export function jsonText(value: QueryValue): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`,
  );
  return `{${members.join(',')}}`;
}
