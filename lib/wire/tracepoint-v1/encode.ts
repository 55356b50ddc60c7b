/**
 * Encodes events of one kind into the scratch buffer, as a single user_events write: 4 bytes for the kernel's write
 * index, then the fields of the tracepoint format. For these see decode.ts.
 */
import { viewOf } from '../../base/bytes.ts';
import { EventEncoder, type SetActivityIds } from '../event-encoder.ts';
import type { GuidWords } from '../guid.ts';
import { scratchView } from '../scratch.ts';
import { PERF_LIMIT, WRITE_INDEX_SIZE } from '../user-events.ts';
import type { FieldsWriter, Payload } from '../values/faults.ts';
import {
  EVENT_ID_OFFSET,
  EXTENSION_OFFSET,
  FIXED_SIZE,
  FORMAT_VERSION,
  GUID_SIZE,
  LABEL_SIZE,
  Label,
  LOCATION_SIZE,
  METADATA_SIZE_SIZE,
  PAYLOAD_OFFSET,
} from './constants.ts';

/** The position of the payload in the scratch buffer if the extension is empty. */
const EXTENSION_START = WRITE_INDEX_SIZE + FIXED_SIZE;
const ID_LABEL_SIZE = LABEL_SIZE + GUID_SIZE;

export class TracepointV1Encoder {
  readonly #plain: Encoders;
  /** These write the metadata, too. Undefined if no event has room for it. */
  readonly #describing: Encoders | undefined;

  /** @param metadata see `tracepointV1Metadata` */
  constructor(eventId: number, metadata: Uint8Array, writeFields: FieldsWriter) {
    this.#plain = new Encoders(eventId, new Uint8Array(0), writeFields);
    const label = metadataLabel(metadata);
    if (FIXED_SIZE + label.length > PERF_LIMIT) return;
    this.#describing = new Encoders(eventId, label, writeFields);
  }

  get canDescribe(): boolean {
    return this.#describing !== undefined;
  }

  /**
   * Writes the event at the start of the scratch buffer and returns its size in bytes, including the write index. Ids
   * of zeros are omitted. `takeFaults` returns what did not fit.
   *
   * Throws what reading the payload throws.
   *
   * @param describes whether to include the metadata, if there is room for it
   */
  encode(
    payload: Payload,
    activityId: GuidWords | undefined,
    relatedActivityId: GuidWords | undefined,
    describes: boolean,
  ): number {
    const encoders = describes && this.#describing !== undefined ? this.#describing : this.#plain;
    return encoders.encode(payload, unlessZero(activityId), unlessZero(relatedActivityId));
  }
}

/** The encoders have the same start of the extension, whatever ids follow. */
class Encoders {
  readonly #eventId: number;
  readonly #start: Uint8Array;
  readonly #writeFields: FieldsWriter;
  readonly #withActivity: EventEncoder;
  /** Encodes events with only a related activity. They are rare, so it is created on demand. */
  #withRelatedAlone: EventEncoder | undefined;

  constructor(eventId: number, start: Uint8Array, writeFields: FieldsWriter) {
    this.#eventId = eventId;
    this.#start = start;
    this.#writeFields = writeFields;
    this.#withActivity = this.#encoderWith(Label.ActivityId);
  }

  encode(
    payload: Payload,
    activityId: GuidWords | undefined,
    relatedActivityId: GuidWords | undefined,
  ): number {
    if (activityId === undefined && relatedActivityId !== undefined) {
      this.#withRelatedAlone ??= this.#encoderWith(Label.RelatedActivityId);
      return this.#located(this.#withRelatedAlone.encode(payload, relatedActivityId, undefined), 1);
    }
    const ids = activityId === undefined ? 0 : relatedActivityId === undefined ? 1 : 2;
    return this.#located(this.#withActivity.encode(payload, activityId, relatedActivityId), ids);
  }

  /** @param first how to write an id if it is the only one */
  #encoderWith(first: number): EventEncoder {
    const prefix = (...labels: number[]) => encodePrefix(this.#eventId, this.#start, labels);
    const idsAt = EXTENSION_START + this.#start.length + LABEL_SIZE;
    const setIds: SetActivityIds = (view, id, relatedId) => {
      setGuid(view, idsAt, id);
      if (relatedId !== undefined) setGuid(view, idsAt + ID_LABEL_SIZE, relatedId);
    };
    const prefixes = {
      plain: prefix(),
      withActivity: prefix(first),
      withRelated: prefix(Label.ActivityId, Label.RelatedActivityId),
    };
    return new EventEncoder(prefixes, setIds, this.#writeFields);
  }

  /** Writes the payload's position, for which only its size was missing. */
  #located(size: number, ids: number): number {
    const extensionSize = this.#start.length + ids * ID_LABEL_SIZE;
    const payloadSize = size - EXTENSION_START - extensionSize;
    scratchView.setUint32(WRITE_INDEX_SIZE + PAYLOAD_OFFSET, (payloadSize << 16) | extensionSize, true);
    return size;
  }
}

/** What precedes the payload, with zeros for the ids and for the payload's size. */
function encodePrefix(eventId: number, start: Uint8Array, idLabels: readonly number[]): Uint8Array {
  const extensionSize = start.length + idLabels.length * ID_LABEL_SIZE;
  const bytes = new Uint8Array(EXTENSION_START + extensionSize);
  const view = viewOf(bytes.subarray(WRITE_INDEX_SIZE));
  view.setUint8(0, FORMAT_VERSION);
  view.setUint16(EVENT_ID_OFFSET, eventId, true);
  const extensionDistance = FIXED_SIZE - (EXTENSION_OFFSET + LOCATION_SIZE);
  view.setUint32(EXTENSION_OFFSET, (extensionSize << 16) | extensionDistance, true);
  bytes.set(start, EXTENSION_START);
  idLabels.forEach((label, index) => {
    bytes[EXTENSION_START + start.length + index * ID_LABEL_SIZE] = label;
  });
  return bytes;
}

function metadataLabel(metadata: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LABEL_SIZE + METADATA_SIZE_SIZE + metadata.length);
  bytes[0] = Label.Metadata;
  viewOf(bytes).setUint32(LABEL_SIZE, metadata.length, true);
  bytes.set(metadata, LABEL_SIZE + METADATA_SIZE_SIZE);
  return bytes;
}

function unlessZero(id: GuidWords | undefined): GuidWords | undefined {
  return id === undefined || (id.w0 | id.w1 | id.w2 | id.w3) === 0 ? undefined : id;
}

/** Writes the GUID in struct order. */
function setGuid(view: DataView, offset: number, { w0, w1, w2, w3 }: GuidWords): void {
  view.setInt32(offset, w0, true);
  view.setInt32(offset + 4, w1, true);
  view.setInt32(offset + 8, w2, true);
  view.setInt32(offset + 12, w3, true);
}
