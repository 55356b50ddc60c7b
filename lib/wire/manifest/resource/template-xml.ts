/**
 * The form of an event's data in the Event Log, `<EventData><Data Name="order">%1</Data></EventData>`, as binary XML,
 * and its id.
 *
 * Source: libfwevt's documentation of the manifest's binary format, and node.exe's resource; both agree byte for byte.
 */
import { ByteWriter } from '../../../base/byte-writer.ts';

interface TemplateItem {
  readonly name: string;
  /** The number of the inType, which is that of the value in binary XML, too. */
  readonly inType: number;
}

const FRAGMENT_HEADER = 0x0f;
const START_ELEMENT = 0x01;
const HAS_ATTRIBUTES = 0x40;
const ATTRIBUTE = 0x06;
const VALUE = 0x05;
const VALUE_STRING = 1;
const CLOSE_START = 0x02;
const SUBSTITUTION = 0x0d;
const END_ELEMENT = 0x04;
const END_OF_FRAGMENT = 0x00;
const NO_DEPENDENCY = 0xffff;

export function templateXml(items: readonly TemplateItem[]): Uint8Array {
  const out = new ByteWriter();
  out.uint8(FRAGMENT_HEADER).uint8(1).uint8(1).uint8(0);
  element(out, 'EventData', undefined, () => {
    for (const [index, { name, inType }] of items.entries()) {
      element(out, 'Data', name, () => out.uint8(SUBSTITUTION).uint16(index).uint8(inType));
    }
  });
  return out.uint8(END_OF_FRAGMENT).pad(4).copy();
}

function element(out: ByteWriter, name: string, value: string | undefined, content: () => void): void {
  out.uint8(START_ELEMENT | (value === undefined ? 0 : HAS_ATTRIBUTES)).uint16(NO_DEPENDENCY);
  sized(out, () => {
    hashedName(out, name);
    if (value !== undefined) {
      sized(out, () => {
        hashedName(out.uint8(ATTRIBUTE), 'Name');
        out.uint8(VALUE).uint8(VALUE_STRING).uint16(value.length).utf16(value);
      });
    }
    out.uint8(CLOSE_START);
    content();
    out.uint8(END_ELEMENT);
  });
}

/** Preceded by its size. */
function sized(out: ByteWriter, content: () => void): void {
  const start = out.uint32(0).length;
  content();
  out.view.setUint32(start - 4, out.length - start, true);
}

function hashedName(out: ByteWriter, name: string): void {
  let hash = 0;
  for (let index = 0; index < name.length; index++) hash = (hash * 65599 + name.charCodeAt(index)) & 0xffff;
  out.uint16(hash).uint16(name.length).utf16(`${name}\0`);
}

/** 16 bytes in struct order: by them, the Event Log knows templates with the same XML and types. */
export function templateId(items: readonly TemplateItem[]): Uint8Array {
  const data = items.map(({ name }, index) => `<Data Name="${escaped(name)}">%${index + 1}</Data>`);
  const xml = data.length === 0 ? '<EventData/>' : `<EventData>${data.join('')}</EventData>`;
  const text = new ByteWriter().utf16(xml);
  for (const { inType } of items) text.uint32(inType);
  const { createHash } = process.getBuiltinModule('node:crypto');
  const id = createHash('sha256').update('MS-WEVT\0').update(text.current()).digest().subarray(0, 16);
  id[7] = ((id[7] as number) & 0x0f) | 0x50;
  return id;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
