/** Checks of names and options shared by sources and events. */
import { DefinitionError } from './definition-error.ts';

/** A misspelt option has no effect, so it is refused. */
export function checkOptionNames(place: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError(place, `options must be an object, not ${String(options)}.`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    throw new DefinitionError(place, `there is no option "${name}"; the options are ${known.join(', ')}.`);
  }
}

export function integerOption(
  place: string,
  name: string,
  value: unknown,
  low: number,
  high: number,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value;
  throw new DefinitionError(
    place,
    `the ${name} must be an integer from ${low} to ${high}, not ${String(value)}.`,
  );
}

/** Why the name is invalid, as the rest of a sentence about it; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.includes('\0')) return 'contains a NUL character, which would end it';
  // EventHeader: the name's attributes follow a semicolon.
  if (name.includes(';')) return 'contains a semicolon, which would end it';
  if (/\p{Surrogate}/u.test(name)) return 'contains half of a surrogate pair, which UTF-8 cannot hold';
  return undefined;
}
