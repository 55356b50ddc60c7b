/** What all events with the same metadata have in common: their names, and how to read their payloads. */

import { DOTNET_TABLES, dotnetEvent } from '../../known/dotnet.ts';
import { EmptyPayload, type Payload, payloadClass } from '../../wire/decoded-field.ts';
import { OPCODE_NAMES } from '../../wire/manifest/constants.ts';
import { TypeCode } from '../../wire/nettrace/constants.ts';
import type { NetTraceEvent } from '../../wire/nettrace/event.ts';
import type { NetTraceField } from '../../wire/nettrace/field-type.ts';
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import { decodePayload } from '../../wire/nettrace/payload.ts';
import { decodePacked } from '../../wire/packed/decode.ts';
import type { EventDescription } from '../../wire/packed/field.ts';
import { type FieldTexts, fieldTextsOf } from '../../wire/packed/field-texts.ts';
import { hexFieldsOf } from '../../wire/packed/hex-fields.ts';
import { providerGuid } from '../../wire/provider-guid.ts';
import { opcodeByName, opcodeNameOf, taskNameOf } from '../names.ts';

const INFO_OPCODE = 0;

export interface KindPayload {
  readonly payload: Payload;
  readonly problem?: string | undefined;
  /** See `DecodedPayload`. */
  readonly values: number;
}

/** The location of an event's payload. */
export type PayloadPlace = Pick<NetTraceEvent, 'block' | 'payloadStart' | 'payloadEnd' | 'payloadBytes'>;

export class EventKind {
  readonly providerGuid: string;
  readonly name: string;
  readonly opcode: number;
  /** See `TraceEvent.hexFields`. */
  readonly hexFields: ReadonlySet<string> | undefined;
  /** See `TraceEvent.fieldText`. */
  readonly texts: FieldTexts | undefined;
  readonly #metadata: NetTraceMetadata;
  readonly #fields: readonly NetTraceField[];
  readonly #payloadClass = payloadClass();
  /** Describes .NET's native events, whose metadata has neither names nor fields. */
  readonly #known: EventDescription | undefined;

  constructor(metadata: NetTraceMetadata) {
    const { provider, eventId, version, name } = metadata;
    const guid = metadata.providerGuid ?? dotnetProviderGuid(provider) ?? providerGuid(provider);
    const isNative = name === '' || metadata.fields.length === 0;
    this.providerGuid = guid;
    this.#metadata = metadata;
    this.#known = isNative ? dotnetEvent(guid, eventId, version) : undefined;
    this.#fields = metadata.fields.length > 0 ? metadata.fields : diagnosticSourceFields(provider, name);
    this.hexFields = this.#known === undefined ? undefined : hexFieldsOf(this.#known.fields);
    this.texts = this.#known === undefined ? undefined : fieldTextsOf(this.#known.fields);
    this.name = name || this.#known?.name || `EventID(${eventId})`;
    // The runtime does not write the opcode that EventSource infers from the name.
    this.opcode = metadata.opcode ?? (this.#isNamedByKnown ? opcodeOf(this.#known) : opcodeByName(name));
  }

  /** @param opcode the event's own, if it differs from the default */
  opcodeName(opcode: number): string | undefined {
    if (this.#isNamedByKnown && this.#known?.opcodeName !== undefined) return this.#known.opcodeName;
    return opcodeNameOf(opcode);
  }

  /** `Request` for `RequestStart`, if the opcode is Start; otherwise the name. */
  taskName(opcode: number): string {
    if (this.#isNamedByKnown && this.#known?.taskName !== undefined) return this.#known.taskName;
    return taskNameOf(this.name, opcode) ?? this.name;
  }

  decode(event: PayloadPlace, pointerSize: 4 | 8): KindPayload {
    if (this.#fields.length > 0) {
      const { block, payloadStart, payloadEnd } = event;
      return decodePayload(this.#fields, block, payloadStart, payloadEnd, this.#payloadClass);
    }
    if (this.#known !== undefined) return decodePacked(this.#known.fields, event.payloadBytes, pointerSize);
    const isDescribed = event.payloadStart === event.payloadEnd;
    const problem = 'Nothing in the trace describes the fields of this event.';
    const payload = new EmptyPayload();
    return {
      payload,
      problem: this.#metadata.fieldsProblem ?? (isDescribed ? undefined : problem),
      values: 0,
    };
  }

  get #isNamedByKnown(): boolean {
    return this.#metadata.name === '';
  }
}

/** Finds only opcodes common to all providers; the name of another one does not determine its number. */
function opcodeOf(event: EventDescription | undefined): number {
  if (event?.opcode !== undefined) return event.opcode;
  for (const [opcode, name] of OPCODE_NAMES) {
    if (name === `win:${event?.opcodeName}`) return opcode;
  }
  return INFO_OPCODE;
}

/**
 * The fields of DiagnosticSourceEventSource, which its metadata lacks: version 4 of the format has no arrays of
 * structs. Source: .NET's DiagnosticSourceEventSource.cs.
 */
const PROVIDER = 'Microsoft-Diagnostics-DiagnosticSource';
const EVENTS = new Set([
  'Event',
  'Activity1Start',
  'Activity1Stop',
  'Activity2Start',
  'Activity2Stop',
  'RecursiveActivity1Start',
  'RecursiveActivity1Stop',
]);

const text = (name: string): NetTraceField => ({ name, type: { code: TypeCode.Utf16Text } });

const ARGUMENTS: NetTraceField = {
  name: 'Arguments',
  type: {
    code: TypeCode.Array,
    element: { code: TypeCode.Object, fields: [text('Key'), text('Value')] },
  },
};
const FIELDS: readonly NetTraceField[] = [text('SourceName'), text('EventName'), ARGUMENTS];

/** The events of an ActivitySource. */
const ACTIVITY_EVENTS = new Set(['ActivityStart', 'ActivityStop']);
const ACTIVITY_FIELDS: readonly NetTraceField[] = [text('SourceName'), text('ActivityName'), ARGUMENTS];

/** Returns nothing for all other events. */
function diagnosticSourceFields(provider: string, name: string): readonly NetTraceField[] {
  if (provider !== PROVIDER) return [];
  return EVENTS.has(name) ? FIELDS : ACTIVITY_EVENTS.has(name) ? ACTIVITY_FIELDS : [];
}

/** GUIDs of .NET's providers, some of which were assigned and not derived from the name. */
const GUIDS: ReadonlyMap<string, string> = new Map(
  Array.from(DOTNET_TABLES, ([guid, { provider }]) => [provider, guid]),
);

/** A nettrace contains the names of providers, but usually not their GUIDs. */
function dotnetProviderGuid(provider: string): string | undefined {
  return GUIDS.get(provider);
}
