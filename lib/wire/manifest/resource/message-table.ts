/**
 * The messages of a provider by number, as Windows' message compiler numbers them, and the resource that has them in
 * one language (RT_MESSAGETABLE).
 *
 * Source: the documentation of MESSAGE_RESOURCE_DATA, and the resources of node.exe, which that compiler has made.
 */
import { ByteWriter } from '../../../base/byte-writer.ts';

/** What has no message. */
export const NO_MESSAGE = 0xffff_ffff;
const UTF16 = 1;
const MAX_ENTRY_SIZE = 0xffff;

/** The first hex digit of a message's number. */
export const MESSAGE_KINDS = {
  keyword: 0x1,
  opcode: 0x3,
  level: 0x5,
  task: 0x7,
  /** Providers and channels have messages of this kind. */
  provider: 0x9,
  event: 0xb,
  valueMap: 0xd,
  bitMap: 0xf,
} as const;

/** @param value 24 bits */
export function messageId(kind: keyof typeof MESSAGE_KINDS, value: number): number {
  return ((MESSAGE_KINDS[kind] << 28) | (value & 0xff_ffff)) >>> 0;
}

/**
 * @param messages texts by number
 * @throws RangeError
 */
export function messageTable(messages: ReadonlyMap<number, string>): Uint8Array {
  const sorted = [...messages].sort(([a], [b]) => a - b);
  const blocks: { low: number; high: number; entries: Uint8Array[] }[] = [];
  for (const [id, text] of sorted) {
    const last = blocks.at(-1);
    if (last?.high === id - 1) {
      last.high = id;
      last.entries.push(entry(text));
    } else blocks.push({ low: id, high: id, entries: [entry(text)] });
  }
  const out = new ByteWriter().uint32(blocks.length);
  let offset = out.length + blocks.length * 12;
  for (const { low, high, entries } of blocks) {
    out.uint32(low).uint32(high).uint32(offset);
    offset += entries.reduce((sum, { length }) => sum + length, 0);
  }
  for (const { entries } of blocks) for (const bytes of entries) out.bytes(bytes);
  return out.copy();
}

function entry(text: string): Uint8Array {
  const out = new ByteWriter().uint32(0).utf16(`${text}\r\n\0`).pad(4);
  if (out.length > MAX_ENTRY_SIZE) {
    throw new RangeError(
      `The message "${text.slice(0, 40)}..." has ${text.length} characters, more than fit a resource of Windows.`,
    );
  }
  out.view.setUint16(0, out.length, true);
  out.view.setUint16(2, UTF16, true);
  return out.copy();
}
