/**
 * The records in which worker threads pass on their events: four bytes of size and flags, four bytes with the number of
 * the kind, the time, activity ids if the flags say so, and the payload. A record of kind 0 has no time; it describes a
 * kind, with its number and JSON in place of a payload.
 */
import type { Guid } from '../../activity/guid.ts';
import { type GuidWords, guidWordsAt } from '../../wire/guid.ts';
import type { KindDescription } from '../event-kinds.ts';

const DESCRIPTION = 0;
const HEAD_SIZE = 16;
const GUID_SIZE = 16;
const KIND_AT = 4;
const TIME_AT = 8;

const SIZE_MASK = 0xff_ffff;
const HAS_ACTIVITY = 0x100_0000;
const HAS_RELATED = 0x200_0000;
/** It ends a failed activity. */
const HAS_FAILED = 0x400_0000;

/** The head of a record, which precedes the payload; the next record reuses its memory. */
export class RecordHead {
  readonly #bytes = new Uint8Array(HEAD_SIZE + 2 * GUID_SIZE);
  readonly #view = new DataView(this.#bytes.buffer);
  /** The index is the number of activity ids. */
  readonly #heads = [0, 1, 2].map((ids) => this.#bytes.subarray(0, HEAD_SIZE + ids * GUID_SIZE));

  ofEvent(
    kind: number,
    time: bigint,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    payload: Uint8Array,
    hasFailed: boolean,
  ): Uint8Array {
    this.#view.setBigInt64(TIME_AT, time, true);
    let ids = 0;
    let flags = hasFailed ? HAS_FAILED : 0;
    if (activityId !== undefined && !activityId.isEmpty) {
      this.#setGuid(HEAD_SIZE, activityId);
      ids++;
      flags |= HAS_ACTIVITY;
    }
    if (relatedActivityId !== undefined && !relatedActivityId.isEmpty) {
      this.#setGuid(HEAD_SIZE + ids * GUID_SIZE, relatedActivityId);
      ids++;
      flags |= HAS_RELATED;
    }
    return this.#head(ids, flags, kind, payload);
  }

  ofDescription(text: Uint8Array): Uint8Array {
    return this.#head(0, 0, DESCRIPTION, text);
  }

  #head(ids: number, flags: number, kind: number, payload: Uint8Array): Uint8Array {
    const head = this.#heads[ids] as Uint8Array;
    this.#view.setUint32(0, flags | (head.length + payload.length), true);
    this.#view.setUint32(KIND_AT, kind, true);
    return head;
  }

  #setGuid(at: number, { w0, w1, w2, w3 }: Guid): void {
    const view = this.#view;
    view.setInt32(at, w0, true);
    view.setInt32(at + 4, w1, true);
    view.setInt32(at + 8, w2, true);
    view.setInt32(at + 12, w3, true);
  }
}

/** A decoded record of an event. */
export interface EventRecord {
  readonly kind: number;
  /** The size of the whole record in bytes. */
  readonly size: number;
  readonly time: bigint;
  readonly activityId: GuidWords | undefined;
  readonly relatedActivityId: GuidWords | undefined;
  readonly hasFailed: boolean;
  readonly payload: Uint8Array;
}

type ThreadRecord = { readonly kind: 0; readonly size: number; readonly payload: Uint8Array } | EventRecord;

/** @param bytes whole records */
export function* recordsIn(bytes: Uint8Array): Generator<ThreadRecord, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const head = view.getUint32(at, true);
    const size = head & SIZE_MASK;
    const end = at + size;
    const kind = view.getUint32(at + KIND_AT, true);
    let next = at + HEAD_SIZE;
    const guidOf = (flag: number): GuidWords | undefined => {
      if ((head & flag) === 0) return undefined;
      next += GUID_SIZE;
      return guidWordsAt(view, next - GUID_SIZE);
    };
    const activityId = guidOf(HAS_ACTIVITY);
    const relatedActivityId = guidOf(HAS_RELATED);
    const payload = bytes.subarray(next, end);
    if (kind === DESCRIPTION) yield { kind, size, payload };
    else
      yield {
        kind,
        size,
        time: view.getBigInt64(at + TIME_AT, true),
        activityId,
        relatedActivityId,
        hasFailed: (head & HAS_FAILED) !== 0,
        payload,
      };
    at = end;
  }
}

/** A kind and the number that its thread has given it, as described. */
interface NumberedKind extends KindDescription {
  readonly number: number;
}

export function encodeKind(number: number, { source, schema }: KindDescription): Uint8Array {
  const { name, guid } = source;
  return Buffer.from(
    JSON.stringify({ number, name, guid, schema: { ...schema, keywords: String(schema.keywords) } }),
  );
}

export function decodeKind(text: Uint8Array): NumberedKind {
  const { number, name, guid, schema } = JSON.parse(Buffer.from(text).toString());
  return { number, source: { name, guid }, schema: { ...schema, keywords: BigInt(schema.keywords) } };
}
