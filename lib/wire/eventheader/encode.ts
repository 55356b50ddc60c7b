/**
 * Encodes events of one definition into the scratch buffer, as one user_events write takes them:
 * 4 bytes for the kernel's write index, then header, activity ids, metadata and payload.
 */

import type { EventSchema } from '../schema.ts';
import { scratch, scratchView } from '../scratch.ts';
import { type BadValue, type CompiledFields, compileFields } from './compile.ts';
import { encodeMetadata } from './metadata.ts';
import { type ActivityIdsSize, encodePrefix, type GuidWords, setActivityIds } from './prefix.ts';
import { type Payload, putBackFaults, takeFaults } from './values.ts';

/** Bytes before the event, for the write index. */
export const WRITE_INDEX_SIZE = 4;

/** The prefix that stands at the start of the scratch buffer now. */
let current: Uint8Array | undefined;
let encoding = false;

export class EventHeaderEncoder {
  readonly #plain: Uint8Array;
  readonly #withActivity: Uint8Array;
  readonly #withRelated: Uint8Array;
  readonly #fields: CompiledFields;
  readonly #writeFields: CompiledFields['write'];

  constructor(schema: EventSchema) {
    const fields = compileFields(schema.fields);
    const metadata = encodeMetadata(schema.name, fields.metadata);
    const prefix = (size: ActivityIdsSize) => withWriteIndex(encodePrefix(schema, size, metadata));
    this.#plain = prefix(0);
    this.#withActivity = prefix(16);
    this.#withRelated = prefix(32);
    this.#fields = fields;
    this.#writeFields = fields.write;
  }

  /** Bytes of the smallest event, its ids included: what all of its payload comes on top of. */
  get fixedSize(): number {
    return this.#withRelated.length;
  }

  /**
   * Writes the event at the start of the scratch buffer and returns its size in bytes, the write index
   * included. A related id goes only with an activity id. `takeFaults` tells what did not fit.
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
    if (current !== prefix) {
      scratch.set(prefix);
      current = prefix;
    }
    if (activityId !== undefined) {
      setActivityIds(scratchView, WRITE_INDEX_SIZE, activityId, relatedActivityId);
    }
    encoding = true;
    try {
      return this.#writeFields(prefix.length, payload);
    } finally {
      encoding = false;
    }
  }

  /** Which of the payload's values do not fit their fields. For reports: it encodes the payload again. */
  findBadValues(payload: Payload): readonly BadValue[] {
    return this.#fields.findBadValues(this.fixedSize, payload);
  }
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

function withWriteIndex(prefix: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(WRITE_INDEX_SIZE + prefix.length);
  bytes.set(prefix, WRITE_INDEX_SIZE);
  return bytes;
}
