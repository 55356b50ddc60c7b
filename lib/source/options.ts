/** Checks of options that are the same for sources and events. */
import { DefinitionError } from './definition-error.ts';

/** A misspelt option is as good as none, so it is refused. */
export function checkOptionNames(place: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError(place, `options are given as an object, not as ${String(options)}.`);
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
