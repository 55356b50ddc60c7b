/** Label lists of version 6: an event's activity, and whatever else is attached to it. */
import { type GuidWords, NO_GUID } from '../../guid.ts';
import { LAST_LABEL, LabelKind } from '../constants.ts';
import type { NetTraceBytes } from './byte-writer.ts';
import { NumberedRows, type RowNumbers } from './row-blocks.ts';
import type { WrittenEvent, WrittenLabels } from './trace-parts.ts';

type Labelled = Pick<WrittenEvent, 'activityId' | 'relatedActivityId' | 'labels'>;

const PLACES = 1024;
const PLACE_BITS = 10;
/** The words of a slot: the list's number, the epoch in which it is valid, and two GUIDs. */
const PLACE_WORDS = 10;

/**
 * A hash table of the latest lists that contain only activity ids. A list's ids determine its slot, which a later list
 * may take over. If the first list recurs, it is written again, which the format allows. A map keyed by the ids' text
 * would take longer than everything else about an event.
 */
export class LabelPlaces {
  readonly words = new Int32Array(PLACES * PLACE_WORDS);
}

export class LabelLists {
  readonly #places: LabelPlaces;
  readonly #epoch: number;
  readonly #numbers: RowNumbers;
  readonly #rows: NumberedRows;

  /**
   * @param epoch numbers are valid until a sequence point
   * @param numbers the lists that the epoch already has
   */
  constructor(places: LabelPlaces, epoch: number, numbers: RowNumbers) {
    this.#places = places;
    this.#epoch = epoch;
    this.#numbers = numbers;
    this.#rows = new NumberedRows(numbers);
  }

  get isEmpty(): boolean {
    return this.#rows.isEmpty;
  }

  get pendingBytes(): number {
    return this.#rows.pendingBytes;
  }

  /** The number of the event's list, which is written if it is new; 0 for the empty list. */
  numberOf(event: Labelled): number {
    const { activityId = NO_GUID, relatedActivityId = NO_GUID, labels } = event;
    if (labels === undefined) return this.#numberOfIds(activityId, relatedActivityId);
    const key = labelListKey(activityId, relatedActivityId, labels);
    return key === '' ? 0 : this.#rows.numberOf(key, (bytes) => writeLabelList(bytes, event));
  }

  /** The blocks of all new lists. */
  blocks(): readonly Uint8Array[] {
    return this.#rows.blocks();
  }

  #numberOfIds(id: GuidWords, related: GuidWords): number {
    if (isNone(id) && isNone(related)) return 0;
    const { words } = this.#places;
    const at = placeOf(id, related) * PLACE_WORDS;
    if (
      words[at + 1] === this.#epoch &&
      words[at + 2] === id.w0 &&
      words[at + 3] === id.w1 &&
      words[at + 4] === id.w2 &&
      words[at + 5] === id.w3 &&
      words[at + 6] === related.w0 &&
      words[at + 7] === related.w1 &&
      words[at + 8] === related.w2 &&
      words[at + 9] === related.w3
    ) {
      return words[at] as number;
    }
    const rows = this.#rows;
    const numbers = this.#numbers;
    const epoch = this.#epoch;
    const bytes = rows.begin();
    writeIds(bytes, id, related);
    const number = numbers.last + 1;
    // No calls from here on: every number has its row.
    numbers.last = number;
    rows.count++;
    bytes.kept = bytes.length;
    words[at] = number;
    words[at + 1] = epoch;
    words[at + 2] = id.w0;
    words[at + 3] = id.w1;
    words[at + 4] = id.w2;
    words[at + 5] = id.w3;
    words[at + 6] = related.w0;
    words[at + 7] = related.w1;
    words[at + 8] = related.w2;
    words[at + 9] = related.w3;
    return number;
  }
}

function isNone({ w0, w1, w2, w3 }: GuidWords): boolean {
  return (w0 | w1 | w2 | w3) === 0;
}

/** Multiplication by odd numbers gives the ids of consecutive activities different slots. */
function placeOf(id: GuidWords, related: GuidWords): number {
  const mixed =
    Math.imul(id.w0, 0x9e37_79b1) ^
    Math.imul(id.w1, 0x85eb_ca6b) ^
    Math.imul(id.w2, 0xc2b2_ae35) ^
    Math.imul(related.w0 ^ related.w1, 0x27d4_eb2f);
  return mixed >>> (32 - PLACE_BITS);
}

/** Distinguishes lists with further labels; empty for the empty list. */
function labelListKey(id: GuidWords, related: GuidWords, labels: WrittenLabels): string {
  const { traceId, spanId, pairs, opcode, keywords, level, version } = labels;
  const pairTexts = Array.from(pairs ?? [], ([key, value]) => [key, typeof value, String(value)]);
  const others = [traceId, spanId, opcode, keywords?.toString(), level, version];
  const isEmpty =
    pairTexts.length === 0 && isNone(id) && isNone(related) && others.every((label) => label === undefined);
  return isEmpty ? '' : JSON.stringify([Object.values(id), Object.values(related), others, pairTexts]);
}

function writeIds(bytes: NetTraceBytes, id: GuidWords, related: GuidWords): void {
  const hasRelated = !isNone(related);
  if (!isNone(id)) {
    bytes.uint8(hasRelated ? LabelKind.ActivityId : LabelKind.ActivityId | LAST_LABEL);
    bytes.guid(id);
  }
  if (!hasRelated) return;
  bytes.uint8(LabelKind.RelatedActivityId | LAST_LABEL);
  bytes.guid(related);
}

/** Adds a list, which must not be empty, to a block. */
function writeLabelList(bytes: NetTraceBytes, labelled: Labelled): void {
  const { activityId = NO_GUID, relatedActivityId = NO_GUID, labels = {} } = labelled;
  let lastKindAt = -1;
  const kind = (label: number): NetTraceBytes => {
    lastKindAt = bytes.length;
    bytes.uint8(label);
    return bytes;
  };
  if (!isNone(activityId)) kind(LabelKind.ActivityId).guid(activityId);
  if (!isNone(relatedActivityId)) kind(LabelKind.RelatedActivityId).guid(relatedActivityId);
  if (labels.traceId !== undefined) kind(LabelKind.TraceId).bytes(Buffer.from(labels.traceId, 'hex'));
  if (labels.spanId !== undefined) kind(LabelKind.SpanId).uint64(BigInt(`0x${labels.spanId}`));
  for (const [key, value] of labels.pairs ?? []) {
    const isText = typeof value === 'string';
    kind(isText ? LabelKind.TextPair : LabelKind.VarIntPair).utf8(key);
    if (isText) bytes.utf8(value);
    else bytes.varInt64(value);
  }
  if (labels.opcode !== undefined) kind(LabelKind.Opcode).uint8(labels.opcode);
  if (labels.keywords !== undefined) kind(LabelKind.Keywords).uint64(labels.keywords);
  if (labels.level !== undefined) kind(LabelKind.Level).uint8(labels.level);
  if (labels.version !== undefined) kind(LabelKind.Version).uint8(labels.version);
  bytes.setBits(lastKindAt, LAST_LABEL);
}
