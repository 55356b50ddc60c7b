/** Self-describing events (TraceLogging). The same bytes describe many events, so they are decoded once. */
import { EmptyPayload, type Payload, payloadOf } from '../../wire/decoded-field.ts';
import { itemLimit } from '../../wire/output-limits.ts';
import type { FieldTexts } from '../../wire/packed/field-texts.ts';
import { InType, OutType } from '../../wire/tracelogging/constants.ts';
import { decodeTraceLogging } from '../../wire/tracelogging/decode.ts';
import { TraceLoggingError } from '../../wire/tracelogging/error.ts';
import {
  type ParsedField,
  type ParsedMetadata,
  parseMetadata,
} from '../../wire/tracelogging/parse-metadata.ts';
import { decodeProviderTraits, type ProviderTraits } from '../../wire/tracelogging/provider-traits.ts';
import { fileTimeText } from '../../wire/windows-values.ts';
import { DecodeCache } from '../decode-cache.ts';
import { type Labels, tagLabels } from '../tag-labels.ts';

/** The metadata of an event, or a sentence on why it cannot be read. */
type SelfDescription =
  | (ParsedMetadata & {
      readonly hexFields: ReadonlySet<string>;
      readonly texts: FieldTexts;
      readonly labels: Labels | undefined;
    })
  | { readonly problem: string };

export class SelfDescriptions {
  readonly #events = new DecodeCache<SelfDescription>((bytes) =>
    orProblem(() => described(parseMetadata(bytes))),
  );
  readonly #providers = new DecodeCache((bytes) => orProblem(() => decodeProviderTraits(bytes)));

  event(metadata: Uint8Array): SelfDescription {
    return this.#events.get(metadata);
  }

  /** @returns undefined if the traits are damaged */
  provider(traits: Uint8Array): ProviderTraits | undefined {
    const result = this.#providers.get(traits);
    return 'problem' in result ? undefined : result;
  }
}

export function decodeSelfDescribed(
  description: ParsedMetadata,
  bytes: Uint8Array,
): { payload: Payload; problem?: string; values: number } {
  const decoded = orProblem(() => decodeTraceLogging(description, bytes));
  return 'problem' in decoded
    ? { payload: new EmptyPayload(), problem: decoded.problem, values: 0 }
    : { payload: payloadOf(decoded), values: itemLimit(bytes.length) };
}

function described(metadata: ParsedMetadata) {
  const { fields } = metadata;
  return {
    ...metadata,
    hexFields: new Set(fields.flatMap(hexNamesOf)),
    texts: fieldTextsOf(fields),
    labels: tagLabels(metadata.tag, fields),
  };
}

/** Members of structs are shown as their values. */
function fieldTextsOf(fields: readonly ParsedField[]): FieldTexts {
  const texts = new Map<string, (value: Payload[string]) => string>();
  for (const { name, inType, outType, members } of fields) {
    const textOf = members === undefined ? valueTextOf(inType, outType) : undefined;
    if (textOf !== undefined) texts.set(name, (value) => itemsText(value, textOf));
  }
  return texts;
}

type PlainValue = number | bigint;

function valueTextOf(inType: number, outType: number): ((value: PlainValue) => string) | undefined {
  if (outType === OutType.NtStatus || outType === OutType.HResult) {
    return (value) => `0x${BigInt.asUintN(32, BigInt(value)).toString(16).padStart(8, '0')}`;
  }
  const isTime =
    inType === InType.FileTime ||
    ((inType === InType.Int64 || inType === InType.UInt64) && TIMES.has(outType));
  return isTime ? (value) => fileTimeText(BigInt(value)) : undefined;
}

const TIMES: ReadonlySet<number> = new Set([
  OutType.FileTime,
  OutType.DateTimeUtc,
  OutType.DateTimeCultureInsensitive,
]);

function itemsText(value: Payload[string], textOf: (value: PlainValue) => string): string {
  if (Array.isArray(value)) return `[${value.map((item) => itemsText(item, textOf)).join(', ')}]`;
  return typeof value === 'number' || typeof value === 'bigint' ? textOf(value) : String(value);
}

function hexNamesOf({ name, inType, outType, members }: ParsedField): readonly string[] {
  if (members !== undefined) return members.flatMap(hexNamesOf);
  const isHex = inType === InType.HexInt32 || inType === InType.HexInt64 || outType === OutType.Hex;
  return isHex || outType === OutType.CodePointer ? [name] : [];
}

function orProblem<Result>(read: () => Result): Result | { problem: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof TraceLoggingError) return { problem: error.message };
    throw error;
  }
}
