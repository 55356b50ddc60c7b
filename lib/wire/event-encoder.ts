/**
 * Encodes events of one definition into the scratch buffer. What stands before the payload is all the same
 * for every event of a definition but for the activity ids; it is copied there only when another prefix has
 * been there before.
 */
import type { GuidWords } from './guid.ts';
import type { BadValue, PayloadWriter } from './payload-writer.ts';
import { scratch, scratchView } from './scratch.ts';
import { type Payload, putBackFaults, takeFaults } from './values/faults.ts';

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

/** The prefix that stands at the start of the scratch buffer now. */
let current: Uint8Array | undefined;
let encoding = false;

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
   * Throws what reading the payload throws (a getter, a proxy).
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
    encoding = true;
    try {
      return this.#writeFields(prefix.length, payload);
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
  const bytes = Buffer.from(scratch);
  const prefix = current;
  const faults = takeFaults();
  encoding = false;
  try {
    return work();
  } finally {
    encoding = true;
    scratch.set(bytes);
    current = prefix;
    putBackFaults(faults);
  }
}
