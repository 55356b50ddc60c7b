/** Label lists of version 6: what several events have in common, such as an activity id or a trace id. */
import { hexText } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import type { Block } from './block.ts';
import { LAST_LABEL, LabelKind } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { TableBudget } from './table-budget.ts';

const GUID_SIZE = 16;

/** A GUID that several events may share, whose text is created once. */
export class GuidLabel {
  readonly #block: Block;
  readonly #at: number;
  #made: string | undefined;

  constructor(cursor: Cursor) {
    this.#block = cursor.block;
    this.#at = cursor.offset;
    cursor.skip(GUID_SIZE);
  }

  get text(): string {
    this.#made ??= guidText(this.#block.bytes, this.#at);
    return this.#made;
  }
}

export interface LabelList {
  readonly activityId: GuidLabel | undefined;
  readonly relatedActivityId: GuidLabel | undefined;
  /** The id as in W3C's traceparent: 32 lower-case hex digits. */
  readonly traceId: string | undefined;
  /** 16 lower-case hex digits. */
  readonly spanId: string | undefined;
  /** All other labels, by key. */
  readonly pairs: ReadonlyMap<string, string | bigint>;
  /** These override the metadata. */
  readonly opcode: number | undefined;
  readonly keywords: bigint | undefined;
  readonly level: number | undefined;
  readonly version: number | undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The labels of a list by the index of the list. */
export type LabelTable = Map<number, LabelList>;

/** Adds the lists of a block. @throws TraceError */
export function readLabelListBlock(block: Block, table: LabelTable, budget: TableBudget): void {
  const cursor = new Cursor(block);
  const firstIndex = cursor.uint32();
  const count = cursor.uint32();
  if (firstIndex === 0) cursor.fail('Label list 0 is the empty list and cannot be redefined.');
  for (let i = 0; i < count; i++) {
    const start = cursor.offset;
    table.set((firstIndex + i) >>> 0, readLabelList(cursor));
    budget.add('label lists', cursor.offset - start, block.position + start);
  }
}

const NO_PAIRS: ReadonlyMap<string, string | bigint> = new Map();

function readLabelList(cursor: Cursor): LabelList {
  let pairs: Map<string, string | bigint> | undefined;
  const list: Writable<LabelList> = {
    activityId: undefined,
    relatedActivityId: undefined,
    traceId: undefined,
    spanId: undefined,
    pairs: NO_PAIRS,
    opcode: undefined,
    keywords: undefined,
    level: undefined,
    version: undefined,
  };
  for (;;) {
    const kind = cursor.uint8();
    switch (kind & ~LAST_LABEL) {
      case LabelKind.ActivityId:
        list.activityId = new GuidLabel(cursor);
        break;
      case LabelKind.RelatedActivityId:
        list.relatedActivityId = new GuidLabel(cursor);
        break;
      case LabelKind.TraceId:
        list.traceId = hexText(cursor.take(GUID_SIZE));
        break;
      case LabelKind.SpanId:
        list.spanId = cursor.uint64().toString(16).padStart(16, '0');
        break;
      case LabelKind.TextPair:
        pairs ??= new Map();
        pairs.set(cursor.utf8(), cursor.utf8());
        break;
      case LabelKind.VarIntPair:
        pairs ??= new Map();
        pairs.set(cursor.utf8(), cursor.varInt64());
        break;
      case LabelKind.Opcode:
        list.opcode = cursor.uint8();
        break;
      case LabelKind.Keywords:
        list.keywords = cursor.uint64();
        break;
      case LabelKind.Level:
        list.level = cursor.uint8();
        break;
      case LabelKind.Version:
        list.version = cursor.uint8();
        break;
      default:
        cursor.fail(`The label kind ${kind & ~LAST_LABEL} does not exist.`);
    }
    if ((kind & LAST_LABEL) === 0) continue;
    if (pairs !== undefined) list.pairs = pairs;
    return list;
  }
}
