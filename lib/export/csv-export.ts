/**
 * A trace as comma-separated values: one line per event.
 *
 * Source: RFC 4180. Text that a spreadsheet would take for a formula is prefixed with an apostrophe, as OWASP ("CSV
 * Injection") advises: a trace can come from anywhere.
 */
import { jsonField, jsonValue, KIND_PROPERTIES, type TraceEvent } from '../trace/trace-event.ts';
import type { Payload } from '../wire/decoded-field.ts';
import { type Exporter, PIECE_SIZE } from './exporter.ts';

export type Cell = string | number | boolean | undefined;

/** The columns of every event, named as in its JSON. */
const COLUMNS: Readonly<Record<string, (event: TraceEvent) => Cell>> = {
  timestamp: (event) => String(event.timestamp),
  timeSinceStart: (event) => String(event.timeSinceStart),
  processId: (event) => event.processId,
  threadId: (event) => event.threadId,
  processor: (event) => event.processor,
  ...KIND_PROPERTIES,
  keywords: (event) => `0x${event.keywords.toString(16)}`,
  activityId: (event) => event.activityId,
  activityPath: (event) => event.activityPath,
  relatedActivityId: (event) => event.relatedActivityId,
  relatedActivityPath: (event) => event.relatedActivityPath,
  labels: (event) => event.labels && JSON.stringify(jsonValue(event.labels)),
  payloadProblem: (event) => event.payloadProblem,
  stack: (event) => event.stack?.map((address) => `0x${address.toString(16)}`).join(' '),
  position: (event) => event.position,
};
const CELLS = Object.values(COLUMNS);

export class CsvExport implements Exporter {
  readonly notices: readonly string[] = [];
  readonly #payloadColumns: readonly string[] | undefined;
  #pending: string;

  /** @param payloadColumns one column per field; without them, one column with the payload as JSON */
  constructor(payloadColumns?: readonly string[]) {
    this.#payloadColumns = payloadColumns;
    const payload = payloadColumns?.map((name) => `payload.${name}`) ?? ['payload'];
    this.#pending = csvLine([...Object.keys(COLUMNS), ...payload]);
  }

  add(event: TraceEvent): void {
    const cells = CELLS.map((cellOf) => cellOf(event));
    if (this.#payloadColumns === undefined) {
      cells.push(JSON.stringify(jsonValue(event.payload, event.hexFields)));
    } else {
      const fields = new Map(flattened(event.payload, event.hexFields));
      for (const name of this.#payloadColumns) cells.push(fields.get(name));
    }
    this.#pending += csvLine(cells);
  }

  get isFull(): boolean {
    return this.#pending.length >= PIECE_SIZE;
  }

  take(): string {
    const piece = this.#pending;
    this.#pending = '';
    return piece;
  }

  end(): readonly string[] {
    return [this.take()];
  }
}

/** The fields of a payload as cells: those of structs as `user.name`, arrays as JSON. */
function* flattened(
  payload: Payload,
  hexFields?: ReadonlySet<string>,
  prefix = '',
): Generator<[name: string, cell: Cell], void> {
  for (const [name, value] of Object.entries(payload)) {
    if (isStruct(value)) yield* flattened(value, hexFields, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, cellOf(jsonField(name, value, hexFields))];
  }
}

function isStruct(value: Payload[string]): value is Payload {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

/** Returns the line with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

const FORMULA_START = /^[=+\-@\t\r]/;
const WHOLE_NUMBER = /^-?\d+$/;
const NEEDS_QUOTES = /[",\r\n]/;

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA_START.test(cell) && !WHOLE_NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** No spreadsheet supports more columns. */
const MAX_COLUMNS = 16_000;

/** The fields that occur in the payloads of a trace: the columns of a flattened table. */
export class PayloadColumns {
  readonly #names = new Set<string>();

  /** @throws RangeError if there are too many */
  add(event: TraceEvent): void {
    for (const [name] of flattened(event.payload)) this.#names.add(name);
    if (this.#names.size <= MAX_COLUMNS) return;
    throw new RangeError(
      `The events have more than ${MAX_COLUMNS} different fields, too many for one table: select fewer events.`,
    );
  }

  /** The names are in order of first occurrence. */
  get names(): readonly string[] {
    return [...this.#names];
  }
}
