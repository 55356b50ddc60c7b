/**
 * The fixed part of every ETW event, which sessions use as a filter. Built once per event, at definition.
 *
 * Source: EVENT_DESCRIPTOR of Windows' `evntprov.h`, checked against Microsoft's traceloggingdynamic (Python).
 */

/** The channel says where an event's description comes from. */
export const Channel = {
  /** A manifest that names no channel for it. */
  None: 0,
  /** The event is self-describing. */
  TraceLogging: 11,
} as const;

const EVENT_DESCRIPTOR_SIZE = 16;

interface EventDescriptor {
  /** 16 bits. */
  readonly id: number;
  /** 8 bits. */
  readonly version: number;
  /** 8 bits; see `Channel`. Others are those of a manifest. */
  readonly channel: number;
  /** 8 bits; 0 passes the level of every session. */
  readonly level: number;
  /** 8 bits. */
  readonly opcode: number;
  /** 16 bits. */
  readonly task: number;
  /** 64 bits; 0 passes the keywords of every session. */
  readonly keywords: bigint;
}

/** The 16 bytes: id u16, version u8, channel u8, level u8, opcode u8, task u16, keywords u64, little-endian. */
export function encodeEventDescriptor(descriptor: EventDescriptor): Uint8Array {
  const bytes = new Uint8Array(EVENT_DESCRIPTOR_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, descriptor.id, true);
  view.setUint8(2, descriptor.version);
  view.setUint8(3, descriptor.channel);
  view.setUint8(4, descriptor.level);
  view.setUint8(5, descriptor.opcode);
  view.setUint16(6, descriptor.task, true);
  view.setBigUint64(8, descriptor.keywords, true);
  return bytes;
}
