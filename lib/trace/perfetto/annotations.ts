/** The arguments of Perfetto's events as payloads. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import { itemLimit, nameCost } from '../../wire/output-limits.ts';
import type { Annotation, NestedValue } from '../../wire/perfetto/messages.ts';
import type { SequenceState } from './sequences.ts';

type FieldValue = Payload[string];

export interface Annotations {
  readonly values: Payload;
  /** Names of fields that are addresses. */
  readonly hexFields: ReadonlySet<string>;
  /** Why they cannot be read, as a sentence. */
  readonly problem?: string;
}

/** @param size of the event in bytes */
export function readAnnotations(
  annotations: readonly Annotation[],
  state: SequenceState,
  size: number,
): Annotations {
  const reading: Reading = { state, hex: new Set(), left: itemLimit(size) };
  const values = payloadOf(annotations, reading);
  const problem = `Its names and texts exceed its ${size} bytes by far: some are missing.`;
  return { values, hexFields: reading.hex, ...(reading.left < 0 && { problem }) };
}

interface Reading {
  readonly state: SequenceState;
  readonly hex: Set<string>;
  /** Two bytes can refer to a long name or text. */
  left: number;
}

function payloadOf(annotations: readonly Annotation[], reading: Reading): Payload {
  const payload = new EmptyPayload();
  for (const annotation of annotations) {
    const { nameIid } = annotation;
    const known = nameIid === undefined ? '' : reading.state.annotationNames.get(nameIid);
    const name = annotation.name ?? known ?? `${nameIid}`;
    reading.left -= nameCost(name);
    if (reading.left < 0) break;
    payload[name] = valueOfAnnotation(annotation, name, reading);
  }
  return payload;
}

/** @param name of the field that it is, or that it is an item of */
function valueOfAnnotation(annotation: Annotation, name: string, reading: Reading): FieldValue {
  if (annotation.pointerValue !== undefined) reading.hex.add(name);
  const { dictEntries, arrayValues, nestedValue, stringValueIid } = annotation;
  if (dictEntries !== undefined) return payloadOf(dictEntries, reading);
  if (arrayValues !== undefined) {
    return arrayValues.map((item) => valueOfAnnotation(item, name, reading)) as FieldValue;
  }
  if (nestedValue !== undefined) return nested(nestedValue);
  // As the export writes empty ones.
  if (annotation.legacyJsonValue === '[]') return [];
  if (annotation.legacyJsonValue === '{}') return new EmptyPayload();
  const { boolValue, uintValue, intValue, doubleValue, stringValue, pointerValue, legacyJsonValue } =
    annotation;
  const text = stringValueIid === undefined ? undefined : reading.state.texts.get(stringValueIid);
  reading.left -= nameCost(text ?? '');
  if (reading.left < 0) return null;
  const number = pointerValue ?? intValue ?? uintValue ?? doubleValue;
  return stringValue ?? number ?? boolValue ?? text ?? legacyJsonValue ?? null;
}

const DICT = 1;
const ARRAY = 2;

function nested(value: NestedValue): FieldValue {
  const { nestedType, dictKeys = [], dictValues = [], arrayValues = [] } = value;
  if (nestedType === ARRAY) return arrayValues.map(nested) as FieldValue;
  if (nestedType === DICT) {
    const payload = new EmptyPayload();
    for (const [index, key] of dictKeys.entries()) payload[key] = nested(dictValues[index] ?? {});
    return payload;
  }
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? null;
}
