/**
 * What went wrong while the values of an event were written. Writers never throw: they note here what did
 * not fit, and whoever encodes an event asks `takeFaults` afterwards.
 */

/** Writes a value at an offset of the scratch buffer and returns the offset behind it. */
export type ValueWriter = (offset: number, value: unknown) => number;

/** The values of an event's or a struct's fields, by name. */
export type Payload = Readonly<Record<string, unknown>>;
export type FieldsWriter = (offset: number, payload: Payload) => number;

let badValues = 0;
let tooLarge = false;

export interface Faults {
  /** Values that did not fit their fields. */
  readonly badValues: number;
  /** The event does not fit the scratch buffer, and is not whole. */
  readonly tooLarge: boolean;
}

/** What went wrong since the last call, and forgets it. */
export function takeFaults(): Faults | undefined {
  if (badValues === 0 && !tooLarge) return undefined;
  const faults = { badValues, tooLarge };
  badValues = 0;
  tooLarge = false;
  return faults;
}

/** Nothing has gone wrong yet, in an event that is to be encoded. */
export function forgetFaults(): void {
  badValues = 0;
  tooLarge = false;
}

/** Undoes `takeFaults`. */
export function putBackFaults(faults: Faults | undefined): void {
  badValues = faults?.badValues ?? 0;
  tooLarge = faults?.tooLarge ?? false;
}

/** Notes a value that does not fit its field. */
export function countBadValue(): void {
  badValues++;
}

/** Notes that the event does not fit the scratch buffer; the value at the offset is left out. */
export function noRoom(offset: number): number {
  tooLarge = true;
  return offset;
}
