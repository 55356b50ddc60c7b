/** Kinds of settings: each reads a value of a JSON file, and says in a sentence what is wrong with it, and where. */
import { shown } from '../../base/value-text.ts';

/** Says where a value stands: `rules[0].limits.count`. */
export class Place {
  readonly path: string;
  /** Sentences. */
  readonly problems: string[];

  constructor(path: string, problems: string[]) {
    this.path = path;
    this.problems = problems;
  }

  at(key: string | number): Place {
    const step = typeof key === 'number' ? `[${key}]` : this.path === '' ? key : `.${key}`;
    return new Place(`${this.path}${step}`, this.problems);
  }

  /** Reports a value that is not of this kind. The result is never used: a problem ends the reading. */
  refuse(value: unknown, kind: string): never {
    const what = value === undefined ? 'it is missing' : `not ${shown(value)}`;
    this.problems.push(
      `${this.path || 'The file'} must be ${kind}${value === undefined ? ': ' : ', '}${what}.`,
    );
    return undefined as never;
  }
}

export type Kind<T> = (value: unknown, place: Place) => T;
type Kinds = Readonly<Record<string, Kind<unknown>>>;
/** What an object of these kinds is read as. */
export type Settings<K extends Kinds> = { readonly [Name in keyof K]: ReturnType<K[Name]> };

export function number(min: number, max: number, isWhole = false): Kind<number> {
  const kind = `a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`;
  return (value, place) =>
    typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value))
      ? value
      : place.refuse(value, kind);
}

/** @param isGood beside being a text with something in it */
export function text(kind = 'a text', isGood: (value: string) => boolean = () => true): Kind<string> {
  return (value, place) =>
    typeof value === 'string' && value !== '' && isGood(value) ? value : place.refuse(value, kind);
}

export function choice<const T extends string>(...choices: readonly T[]): Kind<T> {
  const kind = choices.map((one) => `"${one}"`).join(' or ');
  return (value, place) => choices.find((one) => one === value) ?? place.refuse(value, kind);
}

export const boolean: Kind<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : place.refuse(value, 'true or false');

/** @param least how many it must have */
export function list<T>(item: Kind<T>, least = 0): Kind<readonly T[]> {
  return (value, place) =>
    Array.isArray(value) && value.length >= least
      ? value.map((one, i) => item(one, place.at(i)))
      : place.refuse(value, least === 0 ? 'a list' : `a list of at least ${least}`);
}

export const texts: Kind<Readonly<Record<string, string>>> = (value, place) => {
  const given = isObject(value) ? value : place.refuse(value, 'texts by name');
  for (const [name, one] of Object.entries(given ?? {})) text()(one, place.at(name));
  return given as Readonly<Record<string, string>>;
};

/** An object with these settings and no others. */
export function object<K extends Kinds>(kinds: K): Kind<Settings<K>> {
  return (value, place) => {
    if (!isObject(value)) return place.refuse(value, `an object with ${Object.keys(kinds).join(', ')}`);
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(kinds, name)) continue;
      const whose = place.path === '' ? 'The file' : place.path;
      place.problems.push(
        `${whose} has no setting ${shown(name)}; its settings are ${Object.keys(kinds).join(', ')}.`,
      );
    }
    const read = Object.entries(kinds).map(([name, kind]) => [name, kind(value[name], place.at(name))]);
    return Object.fromEntries(read) as Settings<K>;
  };
}

export function optional<T>(kind: Kind<T>): Kind<T | undefined>;
export function optional<T>(kind: Kind<T>, absent: NoInfer<T>): Kind<T>;
export function optional<T>(kind: Kind<T>, absent?: T): Kind<T | undefined> {
  return (value, place) => (value === undefined ? absent : kind(value, place));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
