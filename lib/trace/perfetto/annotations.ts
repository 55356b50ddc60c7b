/** The arguments of Perfetto's events as payloads. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
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

export function readAnnotations(annotations: readonly Annotation[], state: SequenceState): Annotations {
  const hexFields = new Set<string>();
  return { values: payloadOf(annotations, state, hexFields), hexFields };
}

function payloadOf(annotations: readonly Annotation[], state: SequenceState, hex: Set<string>): Payload {
  const payload = new EmptyPayload();
  for (const annotation of annotations) {
    const { nameIid } = annotation;
    const name =
      annotation.name ?? (nameIid === undefined ? '' : (state.annotationNames.get(nameIid) ?? `${nameIid}`));
    payload[name] = valueOfAnnotation(annotation, name, state, hex);
  }
  return payload;
}

/** @param name of the field that it is, or that it is an item of */
function valueOfAnnotation(
  annotation: Annotation,
  name: string,
  state: SequenceState,
  hex: Set<string>,
): FieldValue {
  if (annotation.pointerValue !== undefined) hex.add(name);
  const { dictEntries, arrayValues, nestedValue, stringValueIid } = annotation;
  if (dictEntries !== undefined) return payloadOf(dictEntries, state, hex);
  if (arrayValues !== undefined) {
    return arrayValues.map((item) => valueOfAnnotation(item, name, state, hex)) as FieldValue;
  }
  if (nestedValue !== undefined) return nested(nestedValue);
  // As the export writes empty ones.
  if (annotation.legacyJsonValue === '[]') return [];
  if (annotation.legacyJsonValue === '{}') return new EmptyPayload();
  const { boolValue, uintValue, intValue, doubleValue, stringValue, pointerValue, legacyJsonValue } =
    annotation;
  const text = stringValueIid === undefined ? undefined : state.texts.get(stringValueIid);
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
