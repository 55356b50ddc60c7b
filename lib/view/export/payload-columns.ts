/** Which fields the payloads of a trace have: the columns of a table that has one for each. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { flattened } from './csv-export.ts';

/** More columns no spreadsheet takes. */
const MAX_COLUMNS = 16_000;

export class PayloadColumns {
  readonly #names = new Set<string>();

  /** @throws RangeError where there are too many */
  add(event: TraceEvent): void {
    for (const [name] of flattened(event.payload)) this.#names.add(name);
    if (this.#names.size <= MAX_COLUMNS) return;
    throw new RangeError(
      `The events have more than ${MAX_COLUMNS} different fields, too many for one table: choose fewer events.`,
    );
  }

  /** In the order in which the trace has them first. */
  get names(): readonly string[] {
    return [...this.#names];
  }
}
