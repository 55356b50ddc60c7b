/** The templates of a provider as fields of packed payloads. */
import type { PackedField, PackedMap } from '../packed/field.ts';
import { ManifestError } from './error.ts';
import { sizeFieldName } from './field-layouts.ts';
import { extentOf, packedTypeOf } from './field-types.ts';
import { type FieldSection, integer, messageOf, type ProviderSection, required } from './sections.ts';
import { localName, type Tag } from './xml.ts';

export class TemplateReader {
  readonly #section: ProviderSection;
  readonly #strings: ReadonlyMap<string, string>;
  /** The templates requested so far, which events share. */
  readonly #fields = new Map<string, readonly PackedField[]>();
  readonly #maps = new Map<string, PackedMap>();

  constructor(section: ProviderSection, strings: ReadonlyMap<string, string>) {
    this.#section = section;
    this.#strings = strings;
  }

  /**
   * @param user what refers to the template
   * @throws ManifestError
   */
  fieldsOf(template: string, user: Tag): readonly PackedField[] {
    let fields = this.#fields.get(template);
    if (fields === undefined) {
      const section = this.#section.templates.get(template);
      if (section === undefined) {
        const message = `An <${user.name}> has the template "${template}", which is not declared.`;
        throw new ManifestError(user.offset, message);
      }
      fields = hideSizes(section.map((field) => this.#field(field)));
      this.#fields.set(template, fields);
    }
    return fields;
  }

  #field({ tag, members }: FieldSection): PackedField {
    const { count, length } = tag.attributes;
    const map = this.#mapOf(tag);
    const inType = members === undefined ? required(tag, 'inType') : 'struct';
    const outType = tag.attributes.outType === undefined ? undefined : localName(tag.attributes.outType);
    const type = members === undefined ? packedTypeOf(localName(inType), outType) : 'struct';
    // An IPv6 address is binary and needs no length.
    const isIpv6 = type === 'ipBinary' && outType === 'IPv6' && length === undefined;
    return {
      name: required(tag, 'name'),
      type: isIpv6 ? 'ipv6' : type,
      ...(type === 'unknown' ? { typeName: inType } : {}),
      ...(count === undefined ? {} : { count: extentOf(count) }),
      ...(length === undefined ? {} : { length: extentOf(length) }),
      ...(map === undefined ? {} : { map }),
      ...(members === undefined ? {} : { fields: members.map((member) => this.#field({ tag: member })) }),
    };
  }

  /** An undeclared map names nothing, and the values are unchanged. */
  #mapOf(tag: Tag): PackedMap | undefined {
    const name = tag.attributes.map;
    const section = name === undefined ? undefined : this.#section.maps.get(name);
    if (name === undefined || section === undefined) return undefined;
    let map = this.#maps.get(name);
    if (map === undefined) {
      const entries = section.entries.map(
        (entry) => [Number(integer(entry, 'value')), messageOf(entry, this.#strings)?.trim() ?? ''] as const,
      );
      map = { name, kind: section.tag.name === 'bitMap' ? 'bits' : 'value', names: new Map(entries) };
      this.#maps.set(name, map);
    }
    return map;
  }
}

/** EventSource puts a size field before each field of bytes, which is not worth showing. */
function hideSizes(fields: readonly PackedField[]): PackedField[] {
  return fields.map((field, index) => {
    const next = fields[index + 1];
    const isSize =
      next?.type === 'binary' && next.length === field.name && field.name === sizeFieldName(next.name);
    return isSize ? { ...field, hidden: true } : field;
  });
}
