/**
 * The payloads of a report's events: field names once for all events with the same fields, values as JSON, up to a size
 * that a browser can handle.
 */

import { ByteWriter } from '../../base/byte-writer.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { jsonField } from '../../trace/trace-event.ts';
import { Interned, shortened } from './interned.ts';

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
  readonly shape: ByteWriter = new ByteWriter();
  readonly size: ByteWriter = new ByteWriter();
  readonly values: ByteWriter = new ByteWriter();
  readonly #shapes = new Interned<readonly string[]>();
  #shapesLength = 0;
  /** Events whose payloads were omitted or whose values were shortened because of their size. */
  leftOut = 0;
  shortened = 0;

  get shapes(): readonly (readonly string[])[] {
    return this.#shapes.values;
  }

  add({ payload, hexFields }: TraceEvent): void {
    const names = Object.keys(payload);
    const bytes = this.#bytesOf(Object.entries(payload), hexFields);
    const key = JSON.stringify(names.slice(0, MAX_FIELDS).map(shortened));
    if (this.values.length + bytes.length > MAX_SIZE || this.#shapesLength + key.length > MAX_SHAPES_LENGTH) {
      this.leftOut++;
      this.shape.optionalVarUint(undefined);
      this.size.varUint(0);
      return;
    }
    const known = this.#shapes.values.length;
    const shape = this.#shapes.indexOf(key, () => names.slice(0, MAX_FIELDS).map(shortened));
    if (shape === known) this.#shapesLength += key.length;
    this.shape.optionalVarUint(shape);
    this.size.varUint(bytes.length);
    this.values.bytes(bytes);
  }

  #bytesOf(fields: readonly PayloadField[], hexFields: ReadonlySet<string> | undefined): Uint8Array {
    let isShortened = fields.length > MAX_FIELDS;
    let length = 0;
    const texts = fields.slice(0, MAX_FIELDS).map(([name, value]) => {
      const text = valueText(jsonField(name, value, hexFields));
      const room = Math.min(MAX_VALUE_LENGTH, Math.max(0, MAX_EVENT_SIZE - length));
      const isLong = text.length > room;
      isShortened ||= isLong;
      // A string keeps its beginning; for other values, the beginning of their JSON is the most useful.
      const whole = typeof value === 'string' ? value : text;
      const kept = isLong ? JSON.stringify(`${whole.slice(0, room)}…`) : text;
      length += kept.length;
      return kept;
    });
    if (isShortened) this.shortened++;
    return Buffer.from(`[${texts.join(',')}]`);
  }
}

type PayloadField = readonly [name: string, value: TraceEvent['payload'][string]];

/** As JSON. Values that JSON cannot represent become strings. */
function valueText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? String(member) : member,
  );
}
