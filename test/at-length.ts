/**
 * Cases that `npm test` leaves to `npm run test:all`, because each takes processes or seconds, and others of its kind,
 * which always run, prove the same part.
 */
import { it } from 'vitest';
import { named } from './platforms.ts';

/** Why such a case is skipped; undefined where all run. */
export const leftToAll =
  process.env.TRACEWRIGHT_TEST_ALL === undefined
    ? '"npm run test:all" tries further cases of what is proven here'
    : undefined;

/** Defines a test for each case, of which the first `always` run everywhere. A single value is a case, too, as in `it.each`. */
export function itEach<T extends unknown[]>(always: number, cases: readonly T[]) {
  return (name: string, run: (...values: T) => Promise<void> | void): void => {
    for (const [at, values] of cases.entries()) {
      const skipped = at < always ? undefined : leftToAll;
      // Vitest puts the values into the name.
      it.skipIf(skipped !== undefined).each([values])(named(name, skipped), (...given) =>
        run(...(given as T)),
      );
    }
  };
}
