/** Reads a WEVT_TEMPLATE by its format alone, and fails where sizes, counts and offsets do not agree. */
import { expect } from 'vitest';
import { guidText } from '../../../../lib/wire/guid.ts';

const NONE = 0xffff_ffff;
const PARTS = ['LEVL', 'TASK', 'OPCO', 'KEYW', 'EVNT', 'CHAN', 'MAPS', 'TTBL'];

export function readTemplate(bytes: Buffer) {
  const u16 = (at: number) => bytes.readUInt16LE(at);
  const u32 = (at: number) => bytes.readUInt32LE(at);
  const signature = (at: number) => bytes.toString('latin1', at, at + 4);
  const message = (at: number) => (u32(at) === NONE ? undefined : u32(at).toString(16));
  const name = (at: number) => {
    expect(at % 4).toBe(0);
    const text = bytes.toString('utf16le', at + 4, at + u32(at));
    expect(text).toMatch(/\0$/);
    return text.slice(0, text.indexOf('\0'));
  };
  expect([signature(0), u32(4), u32(12), u32(32)]).toEqual(['CRIM', bytes.length - 2, 1, 36]);
  expect([signature(36), u32(40)]).toEqual(['WEVT', bytes.length - 2 - 36]);
  const parts = new Map(
    Array.from({ length: u32(48) }, (_, index) => [
      PARTS[u32(52 + 8 * index)] ?? 'PRVA',
      u32(56 + 8 * index),
    ]),
  );
  /** The entries of a part: what `read` makes of each, by where it is. */
  const entries = <Entry>(part: string, size: number, head: number, read: (at: number) => Entry) => {
    const start = parts.get(part);
    if (start === undefined) return new Map<number, Entry>();
    expect(signature(start)).toBe(part);
    return new Map(
      Array.from({ length: u32(start + 8) }, (_, index) => {
        const at = start + head + index * size;
        return [at, read(at)];
      }),
    );
  };
  const channels = entries('CHAN', 16, 12, (at) => ({
    name: name(u32(at + 4)),
    value: u32(at + 8),
    message: message(at + 12),
  }));
  const maps = new Map(
    [...entries('MAPS', 4, 12, u32).values()].map((at) => [
      at,
      {
        kind: signature(at),
        name: name(u32(at + 8)),
        isBits: u32(at + 12),
        entries: Array.from({ length: u32(at + 16) }, (_, index) => {
          const entry = at + 20 + 8 * index;
          expect(u32(at + 4)).toBe(20 + 8 * u32(at + 16));
          return [u32(entry), message(entry + 4)];
        }),
      },
    ]),
  );
  const templates = new Map<number, unknown>();
  const table = parts.get('TTBL');
  for (let at = (table ?? 0) + 12, left = table === undefined ? 0 : u32(table + 8); left > 0; left--) {
    expect([signature(at), u32(at + 8), u32(at + 20)]).toEqual(['TEMP', u32(at + 12), 1]);
    const items = Array.from({ length: u32(at + 8) }, (_, index) => {
      const item = u32(at + 16) + 20 * index;
      return {
        name: name(u32(item + 16)),
        types: [bytes[item + 4], bytes[item + 5]],
        ...(u32(item) === 0 ? {} : { flags: u32(item), length: u16(item + 14) }),
        ...(u32(item + 8) === 0 ? {} : { map: maps.get(u32(item + 8))?.name }),
      };
    });
    templates.set(at, items);
    at += u32(at + 4);
  }
  const named = (at: number) => ({ name: name(u32(at + 8)), value: u32(at), message: message(at + 4) });
  const levels = entries('LEVL', 12, 12, named);
  const opcodes = entries('OPCO', 12, 12, (at) => ({ ...named(at), value: u16(at + 2), task: u16(at) }));
  const tasks = entries('TASK', 28, 12, (at) => ({
    name: name(u32(at + 24)),
    value: u32(at),
    message: message(at + 4),
  }));
  const keywords = entries('KEYW', 16, 12, (at) => ({
    name: name(u32(at + 12)),
    mask: bytes.readBigUInt64LE(at),
    message: message(at + 8),
  }));
  const events = entries('EVNT', 48, 16, (at) => ({
    id: u16(at),
    version: bytes[at + 2],
    descriptor: { channel: bytes[at + 3], level: bytes[at + 4], opcode: bytes[at + 5], task: u16(at + 6) },
    keywords: bytes.readBigUInt64LE(at + 8),
    message: message(at + 16),
    template: templates.get(u32(at + 20)),
    opcode: opcodes.get(u32(at + 24))?.name,
    level: levels.get(u32(at + 28))?.name,
    task: tasks.get(u32(at + 32))?.name,
    keywordNames: Array.from(
      { length: u32(at + 36) },
      (_, index) => keywords.get(u32(u32(at + 40) + 4 * index))?.name,
    ),
    channel: channels.get(u32(at + 44))?.name,
  }));
  const all = <Entry>(found: ReadonlyMap<number, Entry>) => [...found.values()];
  return {
    guid: guidText(bytes, 16),
    channels: all(channels),
    maps: all(maps),
    levels: all(levels),
    opcodes: all(opcodes),
    tasks: all(tasks),
    keywords: all(keywords),
    events: all(events),
  };
}

/** The messages of a table by number, in hex. */
export function readMessages(table: Buffer): Record<string, string> {
  const messages: Record<string, string> = {};
  for (let block = 0; block < table.readUInt32LE(0); block++) {
    const [low = 0, high = 0, start = 0] = [4, 8, 12].map((at) => table.readUInt32LE(at + 12 * block));
    let at = start;
    for (let id = low; id <= high; id++) {
      expect(table.readUInt16LE(at + 2), 'UTF-16').toBe(1);
      const end = at + table.readUInt16LE(at);
      const text = table.toString('utf16le', at + 4, end);
      expect(text).toMatch(/\r\n\0+$/);
      messages[id.toString(16)] = text.slice(0, text.indexOf('\r\n\0'));
      at = end;
    }
  }
  return messages;
}
