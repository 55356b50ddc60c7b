/**
 * A trace as comma-separated values: one line per event.
 *
 * Source: RFC 4180. Text that a spreadsheet would take for a formula is prefixed with an apostrophe, as OWASP ("CSV
 * Injection") advises: a trace can come from anywhere.
 */
import { jsonField, jsonValue, KIND_PROPERTIES, type TraceEvent } from '../trace/trace-event.ts';
import { KindTexts } from '../view/kind-texts.ts';
import { PayloadJson } from '../view/payload-json.ts';
import type { Payload } from '../wire/decoded-field.ts';
import { type Exporter, PIECE_SIZE } from './exporter.ts';

export type Cell = string | number | boolean | undefined;

/** The columns of every event, named as in its JSON. */
const COLUMNS = [
  'timestamp',
  'timeSinceStart',
  'processId',
  'threadId',
  'processor',
  ...Object.keys(KIND_PROPERTIES),
  'activityId',
  'activityPath',
  'relatedActivityId',
  'relatedActivityPath',
  'labels',
  'payloadProblem',
  'stack',
  'position',
];

export class CsvExport implements Exporter {
  readonly notices: readonly string[] = [];
  readonly #payloadColumns: readonly string[] | undefined;
  readonly #kinds = new KindTexts(cellsText);
  readonly #payloads = new PayloadJson((json) => json);
  #pending: string;

  /** @param payloadColumns one column per field; without them, one column with the payload as JSON */
  constructor(payloadColumns?: readonly string[]) {
    this.#payloadColumns = payloadColumns;
    const payload = payloadColumns?.map((name) => `payload.${name}`) ?? ['payload'];
    this.#pending = csvLine([...COLUMNS, ...payload]);
  }

  add(event: TraceEvent): void {
    const { processId, threadId, processor, activityId, relatedActivityId, labels, stack } = event;
    const head = [String(event.timestamp), String(event.timeSinceStart), processId, threadId, processor];
    const tail: Cell[] = [
      activityId,
      event.activityPath,
      relatedActivityId,
      event.relatedActivityPath,
      labels && JSON.stringify(jsonValue(labels)),
      event.payloadProblem,
      stack?.map((address) => `0x${address.toString(16)}`).join(' '),
      event.position,
    ];
    if (this.#payloadColumns === undefined) {
      tail.push(this.#payloads.text(event));
    } else {
      const fields = new Map(flattened(event.payload, event.hexFields));
      for (const name of this.#payloadColumns) tail.push(fields.get(name));
    }
    this.#pending += `${cellsText(head)},${this.#kinds.of(event)},${csvLine(tail)}`;
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
  return `${cellsText(cells)}\r\n`;
}

function cellsText(cells: readonly Cell[]): string {
  let text = '';
  for (let i = 0; i < cells.length; i++) text += i === 0 ? cellText(cells[i]) : `,${cellText(cells[i])}`;
  return text;
}

const FORMULA_START = /^[=+\-@\t\r]/;
const WHOLE_NUMBER = /^-?\d+$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Most cells are neither a formula nor need quotes: one test instead of two. */
const IS_SPECIAL = /^[=+\-@\t]|[",\r\n]/;

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  if (!IS_SPECIAL.test(cell)) return cell;
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
