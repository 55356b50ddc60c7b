/**
 * What went wrong while writing the values of an event. Writers never throw: they record here what did not fit, and
 * whoever encodes an event calls `takeFaults` afterwards.
 */

/** Writes a value at an offset of the scratch buffer and returns the offset after it. */
export type ValueWriter = (offset: number, value: unknown) => number;

/** The values of an event's or a struct's fields, by name. */
export type Payload = Readonly<Record<string, unknown>>;
export type FieldsWriter = (offset: number, payload: Payload) => number;

let badValues = 0;
let tooLarge = false;

export interface Faults {
  /** Values that did not fit their fields. */
  readonly badValues: number;
  /** The event does not fit into the scratch buffer, and is incomplete. */
  readonly tooLarge: boolean;
}

/** What went wrong since the last call; clears it. */
export function takeFaults(): Faults | undefined {
  if (badValues === 0 && !tooLarge) return undefined;
  const faults = { badValues, tooLarge };
  badValues = 0;
  tooLarge = false;
  return faults;
}

/** Clears the faults before an event is encoded. */
export function forgetFaults(): void {
  badValues = 0;
  tooLarge = false;
}

/** Undoes `takeFaults`. */
export function putBackFaults(faults: Faults | undefined): void {
  badValues = faults?.badValues ?? 0;
  tooLarge = faults?.tooLarge ?? false;
}

/** Records a value that does not fit its field. */
export function countBadValue(): void {
  badValues++;
}

/** Counts one bad value, however many `work` counts. */
export function asOneBadValue(work: () => number): number {
  const before = badValues;
  const result = work();
  badValues = before + 1;
  return result;
}

/** Records that the event does not fit into the scratch buffer; the value at the offset is omitted. */
export function noRoom(offset: number): number {
  tooLarge = true;
  return offset;
}
