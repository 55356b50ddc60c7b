/**
 * EventHeader events on their own, without a recording around them: decoded with what a trace's event does not show, and
 * as the perf.data that a trace is opened from.
 */

import { viewOf } from '../../../lib/base/bytes.ts';
import type { Value } from '../../../lib/wire/decoded-field.ts';
import { type DecodedField, decodeValues } from '../../../lib/wire/eventheader/decode-fields.ts';
import { OpenedEvent } from '../../../lib/wire/eventheader/open.ts';
import { parseMetadata } from '../../../lib/wire/eventheader/parse-metadata.ts';
import { parseTracepointName } from '../../../lib/wire/eventheader/tracepoint-name-parse.ts';
import { fileBytes, sample } from '../perf-data/file-bytes.ts';

export type EventHeaderField = DecodedField<Value>;
export type EventHeaderEvent = ReturnType<typeof decodeEventHeader>;

/** @throws EventHeaderError */
export function openEventHeader(tracepointName: string, data: Uint8Array): OpenedEvent {
  const nameParts = parseTracepointName(tracepointName);
  return new OpenedEvent(tracepointName, nameParts, data, viewOf(data), 0, data.length);
}

/**
 * The event with its tags, and its fields with their encodings, by the functions that the reader of perf.data calls.
 * @throws EventHeaderError with its code and place, where the reader shows its message
 */
export function decodeEventHeader(tracepointName: string, data: Uint8Array) {
  const opened = openEventHeader(tracepointName, data);
  const metadata = parseMetadata(opened.metadata, opened.littleEndian);
  const { provider, level, keyword, options, flags, id, version, tag, opcode } = opened;
  const { activityId, relatedActivityId } = opened;
  const [name = ''] = metadata.nameAndAttributes.split(';', 1);
  const fields: readonly EventHeaderField[] = decodeValues(metadata, opened);
  return {
    ...{ provider, level, keyword, options, flags, name, id, version, tag, opcode, fields },
    ...(activityId !== undefined && { activityId }),
    ...(relatedActivityId !== undefined && { relatedActivityId }),
  };
}

/** A recording of this one event, which ends where its bytes do. */
export function perfDataOf(tracepointName: string, data: Uint8Array): Uint8Array {
  const records = [sample(true, { timeNs: 1n, payload: data, isPadded: false })];
  return fileBytes({ tracepoint: tracepointName, records });
}
