/**
 * Decodes an EventHeader event into a plain object. A pure function of the tracepoint name and the event's bytes.
 *
 * Source of the format: LinuxTracepoints `eventheader.h`, checked against its C++ and Rust decoders.
 */
import type { Value } from '../decoded-field.ts';
import { type DecodedField, decodeFields } from './decode-fields.ts';
import { type OpenedEvent, openEventHeader } from './open.ts';
import { type ParsedField, type ParsedMetadata, parseMetadata } from './parse-metadata.ts';
import { readValue } from './value.ts';
import { valueKindOf } from './value-kind.ts';

/** A field with its value as a natural JavaScript value; see `Value`. Times are seconds since 1970. */
export type EventHeaderField = DecodedField<Value>;

/** A `;name=value` after an event's name. */
export interface EventAttribute {
  readonly name: string;
  readonly value: string;
}

/** A decoded event. */
export interface EventHeaderEvent {
  readonly provider: string;
  /** 0 to 255. */
  readonly level: number;
  /** 64 bits. */
  readonly keyword: bigint;
  /** The options in the tracepoint name, such as `Ggroup`; empty if there are none. */
  readonly options: string;
  /** Without attributes. */
  readonly name: string;
  readonly attributes: readonly EventAttribute[];
  /** See `HeaderFlag`. */
  readonly flags: number;
  /** 0 for none; then `version` is meaningless. */
  readonly id: number;
  readonly version: number;
  /** 16 bits. */
  readonly tag: number;
  readonly opcode: number;
  /** Lower-case GUID text. */
  readonly activityId?: string;
  /** Present only with `activityId`. */
  readonly relatedActivityId?: string;
  /** In payload order. Names need not be unique. */
  readonly fields: readonly EventHeaderField[];
}

/**
 * Decodes one event.
 *
 * @param tracepointName without the system: `Provider_L4K1`
 * @param data from the 8-byte header on; bytes after the payload are ignored (perf pads with up to 7)
 * @throws EventHeaderError
 */
export function decodeEventHeader(tracepointName: string, data: Uint8Array): EventHeaderEvent {
  const opened = openEventHeader(tracepointName, data);
  const metadata = parseMetadata(opened.metadata, opened.littleEndian);
  const fields = decodeOpenedFields(opened, metadata);
  const { name, attributes } = splitAttributes(metadata.nameAndAttributes);
  const { activityId, relatedActivityId } = opened;
  const event: Mutable<EventHeaderEvent> = {
    provider: opened.provider,
    level: opened.level,
    keyword: opened.keyword,
    options: opened.options,
    name,
    attributes,
    flags: opened.flags,
    id: opened.id,
    version: opened.version,
    tag: opened.tag,
    opcode: opened.opcode,
    fields,
  };
  if (activityId !== undefined) event.activityId = activityId;
  if (relatedActivityId !== undefined) event.relatedActivityId = relatedActivityId;
  return event;
}

/**
 * The fields of an opened event, using metadata that the caller has parsed, perhaps for an earlier event with the same
 * metadata bytes and byte order.
 *
 * @throws EventHeaderError
 */
export function decodeOpenedFields(
  opened: OpenedEvent,
  metadata: ParsedMetadata,
): readonly EventHeaderField[] {
  return decodeFields(metadata, opened, (field, bytes) => convert(field, bytes, opened.littleEndian));
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function convert(field: ParsedField, bytes: Uint8Array, littleEndian: boolean): Value | undefined {
  const kind = valueKindOf(field.encoding, field.format, bytes.length);
  return kind === undefined ? undefined : readValue(kind, bytes, littleEndian);
}

/** `name;attribute=value;other=a;;b`: a `;` inside a value is doubled. */
function splitAttributes(nameAndAttributes: string): Pick<EventHeaderEvent, 'name' | 'attributes'> {
  const nameEnd = nameAndAttributes.indexOf(';');
  if (nameEnd < 0) return { name: nameAndAttributes, attributes: [] };
  const attributes: EventAttribute[] = [];
  for (const [text] of nameAndAttributes.slice(nameEnd).matchAll(/;(?:[^;]|;;)+/g)) {
    const [name = '', ...rest] = text.slice(1).split('=');
    attributes.push({ name, value: rest.join('=').replaceAll(';;', ';') });
  }
  return { name: nameAndAttributes.slice(0, nameEnd), attributes };
}
