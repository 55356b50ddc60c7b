/** Label lists of version 6: what an event's activity is, and what else is attached to it. */
import { guidBytes } from '../../guid.ts';
import { LAST_LABEL, LabelKind } from '../constants.ts';
import type { NetTraceBytes } from './byte-writer.ts';
import type { WrittenEvent } from './trace-parts.ts';

type Labelled = Pick<WrittenEvent, 'activityId' | 'relatedActivityId' | 'labels'>;

/** Tells lists apart; empty for the empty one. */
export function labelListKey({ activityId, relatedActivityId, labels }: Labelled): string {
  if (labels === undefined) {
    if (relatedActivityId !== undefined) return `${activityId ?? ''} ${relatedActivityId}`;
    return activityId ?? '';
  }
  const { traceId, spanId, pairs, opcode, keywords, level, version } = labels;
  const pairTexts = Array.from(pairs ?? [], ([key, value]) => [key, typeof value, String(value)]);
  const others = [traceId, spanId, opcode, keywords?.toString(), level, version];
  const ids = [activityId, relatedActivityId];
  const isEmpty = pairTexts.length === 0 && [...ids, ...others].every((label) => label === undefined);
  return isEmpty ? '' : JSON.stringify([ids, others, pairTexts]);
}

/** Adds a list, which is not empty, to a block. */
export function writeLabelList(bytes: NetTraceBytes, labelled: Labelled): void {
  const { activityId, relatedActivityId, labels = {} } = labelled;
  let lastKindAt = -1;
  const kind = (label: number): NetTraceBytes => {
    lastKindAt = bytes.length;
    bytes.uint8(label);
    return bytes;
  };
  if (activityId !== undefined) kind(LabelKind.ActivityId).bytes(guidBytes(activityId));
  if (relatedActivityId !== undefined) kind(LabelKind.RelatedActivityId).bytes(guidBytes(relatedActivityId));
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
  const current = bytes.current();
  current[lastKindAt] = (current[lastKindAt] as number) | LAST_LABEL;
}
