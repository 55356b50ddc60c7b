/** Payload values that do not fit their fields; thrown only with `throwOnErrors`. */
import { shown } from '../base/value-text.ts';
import type { BadValue } from '../wire/payload-checker.ts';

export class BadValueError extends TypeError {
  override readonly name = 'BadValueError';

  /** @param place the event, as `Provider.Event` */
  constructor(place: string, badValues: readonly BadValue[]) {
    const [first] = badValues;
    const rest = badValues.length > 1 ? ` (and ${badValues.length - 1} more)` : '';
    super(
      first === undefined
        ? `${place}: a value did not fit its field.`
        : `${place}: the field ${first.field} is ${article(first.type)} ${first.type} and cannot hold ${shown(first.value)}${rest}.`,
    );
  }
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? 'an' : 'a';
}
