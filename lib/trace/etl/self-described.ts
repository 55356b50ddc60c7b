/** Self-describing events (TraceLogging). The same bytes describe many events, so they are decoded once. */
import { EmptyPayload, type Payload, payloadOf } from '../../wire/decoded-field.ts';
import { itemLimit } from '../../wire/item-limit.ts';
import { InType, OutType } from '../../wire/tracelogging/constants.ts';
import { decodeTraceLoggingPayload } from '../../wire/tracelogging/decode.ts';
import { TraceLoggingError } from '../../wire/tracelogging/error.ts';
import {
  type ParsedField,
  type ParsedMetadata,
  parseMetadata,
} from '../../wire/tracelogging/parse-metadata.ts';
import { decodeProviderTraits } from '../../wire/tracelogging/provider-traits.ts';
import { DecodeCache } from '../decode-cache.ts';

/** The metadata of an event, or a sentence on why it cannot be read. */
export type SelfDescription =
  | (ParsedMetadata & { readonly hexFields: ReadonlySet<string> })
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
  providerName(traits: Uint8Array): string | undefined {
    const result = this.#providers.get(traits);
    return 'problem' in result ? undefined : result.name;
  }
}

export function decodeSelfDescribed(
  description: ParsedMetadata,
  bytes: Uint8Array,
): { payload: Payload; problem?: string; values: number } {
  const decoded = orProblem(() => decodeTraceLoggingPayload(description, bytes));
  return 'problem' in decoded
    ? { payload: new EmptyPayload(), problem: decoded.problem, values: 0 }
    : { payload: payloadOf(decoded.fields), values: itemLimit(bytes.length) };
}

function described(metadata: ParsedMetadata) {
  return { ...metadata, hexFields: new Set(metadata.fields.flatMap(hexNamesOf)) };
}

function hexNamesOf({ name, inType, outType, members }: ParsedField): readonly string[] {
  if (members !== undefined) return members.flatMap(hexNamesOf);
  return inType === InType.HexInt32 || inType === InType.HexInt64 || outType === OutType.Hex ? [name] : [];
}

function orProblem<Result>(read: () => Result): Result | { problem: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof TraceLoggingError) return { problem: error.message };
    throw error;
  }
}
