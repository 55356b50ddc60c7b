/** The fields of a Stop event that say how its activity has ended. */
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { Outcome } from './work-result.ts';

/** The values of a Stop event's fields with these names, unless the application provides them. Empty on success. */
export interface OutcomeFields extends FailureFields {
  readonly success: boolean;
}

const SUCCESS: OutcomeFields = { success: true, ...NO_FAILURE };
const NAMES = ['success', 'errorType', 'errorMessage', 'errorStack'] as const;

/** The payloads of a Stop event whose values the application does not provide. */
export class OutcomePayloads {
  readonly #names: readonly (keyof OutcomeFields)[];
  #success: Payload | undefined;

  constructor({ fields }: EventSchema) {
    this.#names = NAMES.filter((name) => fields.some((field) => field.name === name));
  }

  get success(): Payload {
    // Frozen, because listeners get it and it is shared.
    this.#success ??= Object.freeze(this.#payloadOf(SUCCESS));
    return this.#success;
  }

  of(outcome: Outcome): Payload {
    if (outcome.success) return this.success;
    return this.#payloadOf({ success: false, ...failureFields(outcome.error) });
  }

  #payloadOf(all: OutcomeFields): Payload {
    const payload: Partial<Record<keyof OutcomeFields, string | boolean>> = {};
    for (const name of this.#names) payload[name] = all[name];
    return payload;
  }
}
