/**
 * TraceLogging events on their own, without a recording around them: decoded with what a trace's event does not show,
 * and as the .etl that a trace is opened from.
 */
import { ExtendedType } from '../../../lib/wire/etl/constants.ts';
import { decodeTraceLogging as decodeFields } from '../../../lib/wire/tracelogging/decode.ts';
import { parseMetadata } from '../../../lib/wire/tracelogging/parse-metadata.ts';
import { bufferBytes, etlBytes, eventRecord, RAW_START } from '../etl/etl-bytes.ts';

/**
 * The event with its tags and its fields' types, by the functions that the reader of .etl files calls.
 * @param metadata from its size on
 * @throws TraceLoggingError with its place, where the reader shows its message
 */
export function decodeTraceLogging(metadata: Uint8Array, payload: Uint8Array) {
  const parsed = parseMetadata(metadata);
  return { name: parsed.name, tag: parsed.tag, fields: decodeFields(parsed, payload) };
}

/** A log of this one event. */
export function etlOf(metadata: Uint8Array, payload: Uint8Array): Uint8Array {
  const items = [{ type: ExtendedType.EventSchema, data: metadata }];
  return etlBytes([bufferBytes([eventRecord({ time: RAW_START + 1n, items, payload })])]);
}
