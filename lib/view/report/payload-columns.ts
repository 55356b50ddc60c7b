/**
 * The payloads of a report's events: field names once for all events with the same fields, values as JSON, up to a size
 * that a browser can handle.
 */

import type { TraceEvent } from '../../trace/trace-event.ts';
import { jsonField, jsonValue } from '../../trace/trace-event.ts';
import { Interned, shortened } from './interned.ts';
import { ReportColumn } from './report-column.ts';

/** The maximum size of all values, in bytes: a browser decompresses this much in about a second. */
const MAX_SIZE = 128 << 20;
/** The maximum size of one event's values, in bytes. */
const MAX_EVENT_SIZE = 64 << 10;
/** The maximum length of a value's text, in characters. */
const MAX_VALUE_LENGTH = 4096;
const MAX_FIELDS = 256;
/** The maximum length of all field names, in characters; beyond it, events with new fields lose their payloads. */
const MAX_SHAPES_LENGTH = 4 << 20;

export class PayloadColumns {
  readonly shape: ReportColumn = new ReportColumn();
  readonly size: ReportColumn = new ReportColumn();
  readonly values: ReportColumn = new ReportColumn();
  readonly #shapes = new Interned<readonly string[]>();
  #shapesLength = 0;
  /** The index is a kind, the value the shape of its last event. */
  readonly #lastShapes: { readonly names: readonly string[]; readonly shape: number }[] = [];
  /** Events whose payloads were omitted or whose values were shortened because of their size. */
  leftOut = 0;
  shortened = 0;

  get shapes(): readonly (readonly string[])[] {
    return this.#shapes.values;
  }

  /** @param kind the index of the event's kind in the report */
  add(event: TraceEvent, kind: number): void {
    const { payload } = event;
    const text = this.#textOf(event);
    const size = Buffer.byteLength(text);
    const shape = this.values.length + size > MAX_SIZE ? undefined : this.#shapeOf(payload, kind);
    if (shape === undefined) this.leftOut++;
    else this.values.text(text, size);
    this.shape.optionalVarUint(shape);
    this.size.varUint(shape === undefined ? 0 : size);
  }

  /** Returns undefined if there are too many. */
  #shapeOf(payload: TraceEvent['payload'], kind: number): number | undefined {
    const names = Object.keys(payload);
    const last = this.#lastShapes[kind];
    if (last !== undefined && isSame(last.names, names)) return last.shape;
    const kept = names.slice(0, MAX_FIELDS).map(shortened);
    const key = JSON.stringify(kept);
    if (this.#shapesLength + key.length > MAX_SHAPES_LENGTH) return undefined;
    const known = this.#shapes.values.length;
    const shape = this.#shapes.indexOf(key, () => kept);
    if (shape === known) this.#shapesLength += key.length;
    this.#lastShapes[kind] = { names, shape };
    return shape;
  }

  #textOf(event: TraceEvent): string {
    const { payload, hexFields } = event;
    let text = '[';
    let count = 0;
    let length = 0;
    let isShortened = false;
    for (const name in payload) {
      if (count++ === MAX_FIELDS) {
        isShortened = true;
        break;
      }
      const value = payload[name] as PayloadValue;
      const shown = event.fieldText(name);
      let json =
        shown !== undefined
          ? JSON.stringify(shown)
          : hexFields === undefined
            ? valueText(value)
            : anyText(jsonField(name, value, hexFields));
      const room = Math.min(MAX_VALUE_LENGTH, Math.max(0, MAX_EVENT_SIZE - length));
      if (json.length > room) {
        isShortened = true;
        // Strings keep their start; for other values, the start of their JSON says the most.
        const whole = typeof value === 'string' ? value : json;
        json = JSON.stringify(`${whole.slice(0, room)}…`);
      }
      length += json.length;
      text += count === 1 ? json : `,${json}`;
    }
    if (isShortened) this.shortened++;
    return `${text}]`;
  }
}

type PayloadValue = TraceEvent['payload'][string];

function isSame(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((name, index) => name === second[index]);
}

/** Returns what `anyText` returns of the value for JSON, but faster for frequent types. */
function valueText(value: PayloadValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  return anyText(jsonValue(value));
}

/** Returns JSON. Values that JSON cannot represent become strings. */
function anyText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? String(member) : member,
  );
}
