/**
 * TRACE_EVENT_INFO, by which merged traces describe the events of manifests: what Windows knew about an event where the
 * trace was merged.
 *
 * Offsets of texts (UTF-16, NUL-terminated) are from the structure's start, 0 for none.
 *
 * | offset | |
 * |---|---|
 * | 0 | provider GUID |
 * | 32 | EVENT_DESCRIPTOR: id u16, version u8, channel u8, level u8, opcode u8, task u16, keywords u64 |
 * | 48 | source of the description u32: 0 a manifest |
 * | 52 | offset u32 of the provider's name; 68 of the task's, 72 of the opcode's, 76 of the message, 92 of the event's name |
 * | 100 | count u32 of all properties; 104 of the top-level ones: the others are members of structs |
 * | 112 | properties |
 *
 * A property: flags u32, offset of its name u32; in type u16, out type u16 and offset of the map's name u32, or for a
 * struct the first member u16, count of members u16, u32; count u16, length u16, u32. Flags can turn count or length
 * into the index of the property that holds it. Source: TRACE_EVENT_INFO and EVENT_PROPERTY_INFO in the documentation
 * of Windows' `tdh.h`.
 */
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import { eventNameOf, INFO } from '../manifest/names.ts';
import type { EventDescription, PackedField, PackedMap } from '../packed/field.ts';
import { readTdhText } from './tdh-text.ts';
import { tdhType } from './tdh-types.ts';

const PROPERTIES = 112;
const PROPERTY_SIZE = 24;
const FROM_MANIFEST = 0;

/** TraceLogging has the same limit: real structs are flat, and a decoder recurses as deep as they do. */
const MAX_STRUCT_DEPTH = 32;

const PropertyFlag = { Struct: 1, ParamLength: 2, ParamCount: 4, ParamFixedCount: 0x20 } as const;

/** The description of one event of one provider. */
interface TraceEventInfo {
  /** The GUID is in lower case. */
  readonly providerGuid: string;
  readonly id: number;
  readonly version: number;
  /** Its maps have no names yet: see `withMaps`. */
  readonly description: EventDescription;
}

/** @returns undefined if the bytes are not such a structure, or describe an event without its own id */
export function parseTraceEventInfo(bytes: Uint8Array): TraceEventInfo | undefined {
  if (bytes.length < PROPERTIES) return undefined;
  const view = viewOf(bytes);
  const propertyCount = view.getUint32(100, true);
  const topCount = view.getUint32(104, true);
  const isWhole = topCount <= propertyCount && PROPERTIES + propertyCount * PROPERTY_SIZE <= bytes.length;
  if (view.getUint32(48, true) !== FROM_MANIFEST || !isWhole) return undefined;
  const fields = new PropertyReader(view, propertyCount).fields(0, topCount, 0);
  if (fields === undefined) return undefined;

  const text = (offset: number) => readTdhText(view, view.getUint32(offset, true));
  const id = view.getUint16(32, true);
  const opcode = view.getUint8(37);
  const provider = text(52);
  const taskName = text(68);
  const opcodeName = text(72)?.replace(/^win:/, '') ?? (opcode === 0 ? INFO : `Opcode(${opcode})`);
  const message = text(76);
  return {
    providerGuid: guidText(bytes),
    id,
    version: view.getUint8(34),
    description: {
      ...(provider === undefined ? {} : { provider }),
      name: text(92) ?? eventNameOf(id, taskName, opcodeName),
      ...(taskName === undefined ? {} : { taskName }),
      opcodeName,
      fields,
      ...(message === undefined ? {} : { message }),
    },
  };
}

/**
 * Returns the description with the names of its maps, as far as they are known.
 *
 * @param maps of the same provider, by name
 */
export function withMaps(
  description: EventDescription,
  maps: ReadonlyMap<string, PackedMap>,
): EventDescription {
  return { ...description, fields: fieldsWithMaps(description.fields, maps) };
}

function fieldsWithMaps(fields: readonly PackedField[], maps: ReadonlyMap<string, PackedMap>): PackedField[] {
  return fields.map((field) => {
    const map = field.map && maps.get(field.map.name);
    const members = field.fields && fieldsWithMaps(field.fields, maps);
    return { ...field, ...(map && { map }), ...(members && { fields: members }) };
  });
}

/** Its methods return undefined if the properties cannot be those of an event. */
class PropertyReader {
  readonly #view: DataView;
  readonly #count: number;
  /** A property belongs to one struct or to the top level, so nothing can contain itself. */
  readonly #taken: boolean[] = [];

  constructor(view: DataView, count: number) {
    this.#view = view;
    this.#count = count;
  }

  fields(first: number, count: number, depth: number): readonly PackedField[] | undefined {
    if (first + count > this.#count || depth > MAX_STRUCT_DEPTH) return undefined;
    for (let index = first; index < first + count; index++) {
      if (this.#taken[index]) return undefined;
      this.#taken[index] = true;
    }
    const fields: PackedField[] = [];
    const lengths = new Set<string>();
    for (let index = first; index < first + count; index++) {
      const field = this.#field(index, depth);
      if (field === undefined) return undefined;
      if (typeof field.length === 'string') lengths.add(field.length);
      fields.push(field);
    }
    return fields.map((field) => (lengths.has(field.name) ? { ...field, hidden: true } : field));
  }

  #field(index: number, depth: number): PackedField | undefined {
    const at = PROPERTIES + index * PROPERTY_SIZE;
    const flags = this.#view.getUint32(at, true);
    const name = this.#nameOf(index);
    const count = this.#countOf(flags, this.#view.getUint16(at + 16, true));
    if (name === undefined || count === undefined) return undefined;
    const head = { name, ...(count === 1 ? {} : { count }) };
    if ((flags & PropertyFlag.Struct) === 0) return this.#plainField(at, flags, head);
    const first = this.#view.getUint16(at + 8, true);
    const members = this.fields(first, this.#view.getUint16(at + 10, true), depth + 1);
    return members && { ...head, type: 'struct', fields: members };
  }

  #plainField(at: number, flags: number, head: Pick<PackedField, 'name' | 'count'>): PackedField | undefined {
    const said = this.#view.getUint16(at + 18, true);
    const isReference = (flags & PropertyFlag.ParamLength) !== 0;
    const length = isReference ? this.#nameOf(said) : said;
    if (length === undefined) return undefined;
    const inType = this.#view.getUint16(at + 8, true);
    const type = tdhType(inType, this.#view.getUint16(at + 10, true), isReference ? 1 : said);
    const hasLength = length !== 0 && LENGTH_TYPES.has(type.type);
    const mapName = readTdhText(this.#view, this.#view.getUint32(at + 12, true));
    const map: PackedMap | undefined =
      mapName === undefined ? undefined : { name: mapName, kind: 'value', names: NO_NAMES };
    return { ...head, ...type, ...(hasLength ? { length } : {}), ...(map === undefined ? {} : { map }) };
  }

  /** 1 if it is not an array. */
  #countOf(flags: number, said: number): number | string | undefined {
    if ((flags & PropertyFlag.ParamCount) !== 0) return this.#nameOf(said);
    return said === 0 && (flags & PropertyFlag.ParamFixedCount) === 0 ? 1 : said;
  }

  #nameOf(index: number): string | undefined {
    if (index >= this.#count) return undefined;
    return readTdhText(this.#view, this.#view.getUint32(PROPERTIES + index * PROPERTY_SIZE + 4, true));
  }
}

/** The length of the other types only repeats their size. */
const LENGTH_TYPES: ReadonlySet<string> = new Set([
  'utf16',
  'ansi',
  'utf8',
  'binary',
  'ipBinary',
  'socketAddress',
]);

const NO_NAMES: ReadonlyMap<number, string> = new Map();
