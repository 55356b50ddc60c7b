/** Cuts the bytes of a Perfetto trace into its packets, as they arrive. */

import { WireType } from '../protobuf/message.ts';
import { MessageReader } from '../protobuf/message-reader.ts';
import { TraceError } from '../trace-error.ts';
import { PACKET_FIELD } from './messages.ts';

interface PacketBytes {
  /** Its own memory only if it was split. */
  readonly bytes: Uint8Array;
  /** The position in the trace. */
  readonly position: number;
}

/** Perfetto's own packets are far smaller. */
const MAX_PACKET = 64 << 20;
/** A key and a size. */
const MAX_HEAD = 11;
const PACKET_KEY = PACKET_FIELD * 8 + WireType.Counted;

export class PacketSplitter {
  /** The position of `#parts` in the trace. */
  #position: number;
  /** What has arrived of an incomplete packet, and how much that has to become, if known. */
  #parts: Uint8Array[] = [];
  #partSize = 0;
  #wanted = 0;

  /** @param position of the first byte in the trace */
  constructor(position = 0) {
    this.#position = position;
  }

  /**
   * The packets that are complete with these bytes.
   * @throws TraceError
   */
  *push(chunk: Uint8Array): Generator<PacketBytes, void> {
    if (this.#partSize + chunk.length < this.#wanted) {
      this.#parts.push(chunk);
      this.#partSize += chunk.length;
      return;
    }
    const bytes = this.#partSize === 0 ? chunk : Buffer.concat([...this.#parts, chunk]);
    this.#parts = [];
    this.#partSize = 0;
    let at = 0;
    for (;;) {
      const head = this.#headAt(bytes, at);
      if (head === undefined || head.end > bytes.length) {
        this.#wanted = head === undefined ? 0 : head.end - at;
        break;
      }
      yield { bytes: bytes.subarray(head.start, head.end), position: this.#position + head.start };
      at = head.end;
    }
    if (at < bytes.length) this.#parts = [bytes.subarray(at)];
    this.#partSize = bytes.length - at;
    this.#position += at;
  }

  /** @throws TraceError if a packet is incomplete */
  end(): void {
    if (this.#partSize === 0) return;
    throw new TraceError('truncated', this.#position + this.#partSize, 'The trace is truncated.');
  }

  /** Where the packet is that starts there; undefined if that is not known yet. */
  #headAt(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } | undefined {
    const left = bytes.length - at;
    if (left === 0 || (left < MAX_HEAD && !endsWithin(bytes, at + 1))) return undefined;
    const reader = new MessageReader(bytes.subarray(at, at + MAX_HEAD), this.#position + at);
    const key = Number(reader.varUint());
    if (key !== PACKET_KEY) reader.fail('This is not a packet of a Perfetto trace.');
    const size = Number(reader.varUint());
    if (size > MAX_PACKET) {
      throw new TraceError('unsupported', this.#position + at, `A packet has ${size} bytes.`);
    }
    const start = at + reader.offset;
    return { start, end: start + size };
  }
}

/** Whether the number that starts there ends within the bytes. */
function endsWithin(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < bytes.length; at++) if ((bytes[at] as number) < 0x80) return true;
  return false;
}

/** A head with fewer bytes is the whole file. */
const WHOLE_HEAD = 128;
/** Limits the fields of a packet: their numbers are small. */
const MAX_FIELD = 2000;

/**
 * Whether these first bytes are those of a Perfetto trace: one packet after the other, with fields that a packet may
 * have. OTLP's protobuf starts with the same byte, but then with a field 1 that no first packet has.
 */
export function isPerfettoHead(head: Uint8Array): boolean {
  const reader = new MessageReader(head, 0);
  let fields = 0;
  try {
    if (reader.varUint() !== PACKET_KEY) return false;
    const end = Number(reader.varUint()) + reader.offset;
    for (; reader.offset < Math.min(end, head.length); fields++) {
      const { number, wireType } = reader.key();
      if (number > MAX_FIELD || (fields === 0 && number === PACKET_FIELD)) return false;
      reader.skipField(wireType, end);
    }
    return fields > 0 && (end >= head.length || head[end] === PACKET_KEY);
  } catch {
    // The head may end in a field, unless it is the whole file.
    return fields > 0 && head.length >= WHOLE_HEAD && head.length - reader.offset < MAX_HEAD;
  }
}
