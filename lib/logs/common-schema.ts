/**
 * Events in Microsoft's Common Schema 4.0, as written by OpenTelemetry's exporters for user_events and ETW and read by
 * Azure's agents: a version, and the structs PartA (common to all events), PartB (specific to the kind) and PartC (the
 * application's own). Keyword 1, so that recorders can select them.
 *
 * Source: opentelemetry-rust-contrib, opentelemetry-user-events-logs and -trace.
 */
import { Level } from '../source/constants.ts';
import type { FieldDefinition } from '../source/fields.ts';
import { type Typed, writeTyped } from '../source/self-describing.ts';
import { cut } from './bounded.ts';

const KEYWORD = 1n;
/** The limit for PartC: a struct has at most 127 fields. */
const MAX_ATTRIBUTES = 100;
const MAX_NAME = 200;

/** A value with its field type. */
type Field = readonly [
  type: 'bool' | 'int16' | 'int64' | 'uint32' | 'hex16' | 'double' | 'string',
  value: unknown,
];
export type Fields = Record<string, Field>;

export interface CommonSchemaParts {
  /** When it happened, in seconds and nanoseconds since 1970. */
  readonly time: readonly [seconds: number, nanoseconds: number];
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** The names of the service and its instance. */
  readonly role?: unknown;
  readonly roleInstance?: unknown;
  /** PartB without its type name. */
  readonly fields: Fields;
  /** PartC, bounded. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The parts of a source. */
interface Source {
  readonly status: { readonly backend: string };
  isEnabled(level: number, keywords: bigint): boolean;
}

export class CommonSchemaEvents {
  readonly #source: Source;

  /** @param levels the levels that recorders can find before the first event */
  constructor(source: Source, levels: readonly number[]) {
    this.#source = source;
    for (const level of levels) this.isWanted(level);
  }

  isWanted(level: number = Level.Informational): boolean {
    return this.#source.isEnabled(level, KEYWORD);
  }

  /** @param type `Span` or `Log`, which is also the name of the event */
  write(type: 'Span' | 'Log', level: number, parts: CommonSchemaParts): void {
    // ETW's agents expect the next version, with a different type.
    const isEtw = this.#source.status.backend === 'etw';
    const typed = new TypedPayload({ __csver__: isEtw ? ['hex16', 0x401] : ['uint32', 0x400] });
    typed.add('PartA', partA(parts));
    const partB: Fields = { _typeName: ['string', type], ...parts.fields };
    const partC = attributeFields(parts.attributes);
    const hasPartC = Object.keys(partC).length > 0;
    if (hasPartC && type === 'Log') typed.add('PartC', partC);
    typed.add('PartB', partB);
    if (hasPartC && type === 'Span') typed.add('PartC', partC);
    writeTyped(this.#source, type, typed, { level, keywords: KEYWORD });
  }
}

type Definitions = Record<string, FieldDefinition>;

class TypedPayload implements Typed {
  readonly definitions: Definitions = {};
  readonly payload: Record<string, unknown> = {};

  constructor(fields: Fields) {
    for (const [name, [type, value]] of Object.entries(fields)) {
      this.definitions[name] = type;
      this.payload[name] = value;
    }
  }

  add(part: string, fields: Fields): void {
    const { definitions, payload } = new TypedPayload(fields);
    this.definitions[part] = definitions;
    this.payload[part] = payload;
  }
}

function partA({ time, traceId, spanId, role, roleInstance }: CommonSchemaParts): Fields {
  const fields: Fields = { time: ['string', timeText(time)] };
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string' && value !== '') fields[name] = ['string', cut(value, MAX_NAME)];
  };
  add('ext_dt_traceId', traceId);
  add('ext_dt_spanId', spanId);
  add('ext_cloud_role', role);
  add('ext_cloud_roleInstance', roleInstance);
  return fields;
}

/** RFC 3339. */
export function timeText([seconds, nanoseconds]: CommonSchemaParts['time']): string {
  const milliseconds = seconds * 1000;
  const date = Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds) : new Date(0);
  return `${date.toISOString().slice(0, -'.000Z'.length)}.${String(nanoseconds).padStart(9, '0')}Z`;
}

/** Types follow OpenTelemetry's attributes; any other value becomes JSON. */
export function attributeField(value: unknown): Field {
  switch (typeof value) {
    case 'boolean':
      return ['bool', value];
    case 'number':
      return Number.isSafeInteger(value) ? ['int64', value] : ['double', value];
    case 'string':
      return ['string', value];
    default:
      return ['string', JSON.stringify(value) ?? ''];
  }
}

function attributeFields(attributes: Readonly<Record<string, unknown>>): Fields {
  const fields: Fields = Object.create(null);
  for (const name of Object.keys(attributes).slice(0, MAX_ATTRIBUTES)) {
    // Characters that field names cannot contain.
    const fieldName = cut(name, MAX_NAME).replaceAll(/[\0;\p{Surrogate}]/gu, '_');
    fields[fieldName === '' ? '_' : fieldName] = attributeField(attributes[name]);
  }
  return fields;
}
