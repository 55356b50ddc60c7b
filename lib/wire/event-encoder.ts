/**
 * Encodes events of one definition into the scratch buffer. What stands before the payload is all the same
 * for every event of a definition but for the activity ids; it is copied there only when another prefix has
 * been there before.
 */
import type { GuidWords } from './guid.ts';
import type { BadValue, PayloadWriter } from './payload-writer.ts';
import { scratch, scratchView } from './scratch.ts';
import { forgetFaults, type Payload, putBackFaults, takeFaults } from './values/faults.ts';

/** What stands before the payload, with zeros where the activity ids go. */
export interface Prefixes {
  /** Without ids. */
  readonly plain: Uint8Array;
  readonly withActivity: Uint8Array;
  readonly withRelated: Uint8Array;
}

/** Puts the ids into the prefix at the start of the scratch buffer, which was made with room for them. */
export type SetActivityIds = (
  view: DataView,
  activityId: GuidWords,
  relatedActivityId: GuidWords | undefined,
) => void;

/** The prefix that stands at the start of the scratch buffer now; undefined while another one is put there. */
let current: Uint8Array | undefined;
let encoding = false;
/** The number of the event whose bytes the scratch buffer has. One that is encoded amid it has another. */
let inScratch = 0;
/** Code that is terminated while it encodes tells nobody. */
let isWatched = false;

/** What every format's encoder is; the formats differ in prefixes, ids and values. */
export class EventEncoder {
  readonly #plain: Uint8Array;
  readonly #withActivity: Uint8Array;
  readonly #withRelated: Uint8Array;
  readonly #setActivityIds: SetActivityIds;
  readonly #payloadWriter: PayloadWriter;
  readonly #writeFields: PayloadWriter['write'];

  constructor(prefixes: Prefixes, setActivityIds: SetActivityIds, payloadWriter: PayloadWriter) {
    this.#plain = prefixes.plain;
    this.#withActivity = prefixes.withActivity;
    this.#withRelated = prefixes.withRelated;
    this.#setActivityIds = setActivityIds;
    this.#payloadWriter = payloadWriter;
    this.#writeFields = payloadWriter.write;
  }

  /** Bytes of the smallest event, its ids included: what all of its payload comes on top of. */
  get fixedSize(): number {
    return this.#withRelated.length;
  }

  /**
   * Writes the event at the start of the scratch buffer and returns its size in bytes, all that stands
   * before it included. A related id goes only with an activity id. `takeFaults` tells what did not fit.
   *
   * Throws what reading the payload throws (a getter, a proxy), and where one that was written amid it has not put its bytes back.
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
    const number = ++inScratch;
    forgetFaults();
    encoding = true;
    try {
      const end = this.#writeFields(prefix.length, payload);
      if (inScratch !== number)
        throw new RangeError('The stack ended amid an event that another one was written in.');
      return end;
    } finally {
      encoding = false;
    }
  }

  /** Which of the payload's values do not fit their fields. For reports: it encodes the payload again. */
  findBadValues(payload: Payload): readonly BadValue[] {
    return this.#payloadWriter.findBadValues(this.fixedSize, payload);
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
 * Runs `work`, which encodes an event, in the middle of the encoding of another one, and puts everything
 * back as it was. Slow; it happens only when reading a payload writes an event.
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
    // Not where the stack has ended before: then the event is given up, whose bytes these were.
    current = prefix;
    inScratch = number;
  }
}

/** Nothing is being encoded when the event loop comes around, whatever was said: see `isWatched`. */
function watch(): void {
  if (isWatched) return;
  setImmediate(() => {
    encoding = false;
    isWatched = false;
  }).unref();
  isWatched = true;
}
