/**
 * Encodes events of one definition into the scratch buffer. What precedes the payload is the same for every event of a
 * definition, except for the activity ids; it is copied only if a different prefix was there before.
 */
import type { GuidWords } from './guid.ts';
import { scratch, scratchView } from './scratch.ts';
import { type FieldsWriter, forgetFaults, type Payload, putBackFaults, takeFaults } from './values/faults.ts';

/** What precedes the payload, with zeros for the activity ids. */
export interface Prefixes {
  /** The start of an event without ids. */
  readonly plain: Uint8Array;
  readonly withActivity: Uint8Array;
  readonly withRelated: Uint8Array;
}

/** Puts the ids into the prefix at the start of the scratch buffer, which has room for them. */
export type SetActivityIds = (
  view: DataView,
  activityId: GuidWords,
  relatedActivityId: GuidWords | undefined,
) => void;

/** The prefix currently at the start of the scratch buffer; undefined while it is being replaced. */
let current: Uint8Array | undefined;
let encoding = false;
/** The number of the event in the scratch buffer. An event encoded in the middle of another has a different one. */
let inScratch = 0;
/** Code that is terminated while it encodes cannot reset this. */
let isWatched = false;

/** What the encoders of all formats have in common; the formats differ in prefixes, ids and values. */
export class EventEncoder {
  readonly #plain: Uint8Array;
  readonly #withActivity: Uint8Array;
  readonly #withRelated: Uint8Array;
  readonly #setActivityIds: SetActivityIds;
  readonly #writeFields: FieldsWriter;

  constructor(prefixes: Prefixes, setActivityIds: SetActivityIds, writeFields: FieldsWriter) {
    this.#plain = prefixes.plain;
    this.#withActivity = prefixes.withActivity;
    this.#withRelated = prefixes.withRelated;
    this.#setActivityIds = setActivityIds;
    this.#writeFields = writeFields;
  }

  /** The size of the smallest event including ids, to which the whole payload is added. */
  get fixedSize(): number {
    return this.#withRelated.length;
  }

  /**
   * Writes the event at the start of the scratch buffer and returns its size in bytes, including everything before the
   * payload. A related id requires an activity id. `takeFaults` returns what did not fit.
   *
   * Throws what reading the payload throws (a getter, a proxy), and if an event written in the middle of it could not
   * restore its bytes.
   */
  encode(
    payload: Payload,
    activityId: GuidWords | undefined,
    relatedActivityId: GuidWords | undefined,
  ): number {
    const prefix =
      activityId === undefined
        ? this.#plain
        : relatedActivityId === undefined
          ? this.#withActivity
          : this.#withRelated;
    if (current !== prefix) placePrefix(prefix);
    if (activityId !== undefined) this.#setActivityIds(scratchView, activityId, relatedActivityId);
    return encodeAt(prefix.length, this.#writeFields, payload);
  }
}

/** Writes only the fields of an event, at the start of the scratch buffer; see `EventEncoder.encode`. */
export function encodeFields(writeFields: FieldsWriter, payload: Payload): number {
  current = undefined;
  return encodeAt(0, writeFields, payload);
}

function encodeAt(offset: number, writeFields: FieldsWriter, payload: Payload): number {
  const number = ++inScratch;
  forgetFaults();
  encoding = true;
  try {
    const end = writeFields(offset, payload);
    if (inScratch !== number)
      throw new RangeError('The stack overflowed while an event was being written inside another one.');
    return end;
  } finally {
    encoding = false;
  }
}

/** Puts a prefix, or a whole event that never changes, at the start of the scratch buffer. */
export function placePrefix(prefix: Uint8Array): void {
  current = undefined;
  scratch.set(prefix);
  current = prefix;
}

/** Whether an event is being encoded, and reading its payload has led here. */
export function isEncoding(): boolean {
  return encoding;
}

/**
 * Runs `work`, which encodes an event while another one is being encoded, and restores everything afterwards. Slow, but
 * it happens only if reading a payload writes an event.
 */
export function amidEncoding<Result>(work: () => Result): Result {
  watch();
  const bytes = Buffer.from(scratch);
  const prefix = current;
  const faults = takeFaults();
  const number = inScratch;
  encoding = false;
  try {
    return work();
  } finally {
    encoding = true;
    current = undefined;
    scratch.set(bytes);
    putBackFaults(faults);
    // Unless the stack overflows first: then the interrupted event is abandoned.
    current = prefix;
    inScratch = number;
  }
}

/** Nothing is being encoded when the event loop continues, whatever the state says: see `isWatched`. */
function watch(): void {
  if (isWatched) return;
  setImmediate(() => {
    encoding = false;
    isWatched = false;
  }).unref();
  isWatched = true;
}
