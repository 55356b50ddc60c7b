/** What events with the same description have in common: their names, and how to read their payloads. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import { decodePacked } from '../../wire/packed/decode.ts';
import type { EventDescription } from '../../wire/packed/field.ts';
import { type FieldTexts, fieldTextsOf } from '../../wire/packed/field-texts.ts';
import { hexFieldsOf } from '../../wire/packed/hex-fields.ts';
import { formatMessage } from '../../wire/packed/message.ts';
import type { TraceEvent } from '../trace-event.ts';

export interface DecodedPayload {
  readonly payload: Payload;
  readonly problem?: string;
  /** The maximum number of values. */
  readonly values: number;
}

export interface DescribedEvent {
  readonly provider: string;
  readonly providerGuid: string | undefined;
  readonly name: string;
  readonly taskName: string | undefined;
  readonly opcodeName: string | undefined;
  decode(bytes: Uint8Array, pointerSize: 4 | 8): DecodedPayload;
  /** See `TraceEvent.hexFields`. */
  readonly hexFields?: ReadonlySet<string>;
  /** See `TraceEvent.fieldText`. */
  readonly texts?: FieldTexts;
  /** The level if the event itself has none. */
  readonly level?: number;
  /** See `TraceEvent.labels`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** See `TraceEvent.message`; the payload has so many bytes. */
  message?(payload: Payload, size: number): string;
  /** Adds to the payload what the event knows besides it. @returns how many characters */
  complete?(payload: Payload, event: TraceEvent, pointerSize: 4 | 8): number;
}

/**
 * @param names to use if there is no description
 * @param event for the problem: what is not described
 * @param rest the name of a field with what a newer version of the event has behind the known fields
 */
export function described(
  names: Pick<DescribedEvent, 'provider' | 'providerGuid' | 'name' | 'opcodeName'> & Partial<DescribedEvent>,
  description: EventDescription | undefined,
  event: string,
  rest?: string,
): DescribedEvent {
  if (description === undefined) {
    const problem = `Nothing describes ${event}.`;
    const decode = (bytes: Uint8Array): DecodedPayload => ({
      payload: new EmptyPayload(),
      values: 0,
      // If there are no bytes, no fields are missing.
      ...(bytes.length === 0 ? {} : { problem }),
    });
    return { taskName: undefined, ...names, decode };
  }
  const { provider, name, taskName, opcodeName, fields, message } = description;
  return {
    provider: provider ?? names.provider,
    providerGuid: names.providerGuid,
    name,
    taskName,
    opcodeName: opcodeName ?? names.opcodeName,
    hexFields: hexFieldsOf(fields),
    texts: fieldTextsOf(fields),
    decode: (bytes, pointerSize) => decodePacked(fields, bytes, pointerSize, rest),
    ...(message === undefined
      ? {}
      : { message: (payload, size) => formatMessage(description, payload, size) }),
  };
}
