/**
 * The manifest inside the trace: a provider writes it in chunks, as events with id 0xFFFE, whenever a session enables
 * it, so that readers need no other source.
 *
 * A chunk is the whole payload of an event: format u8 (1: XML in UTF-8), major u8, minor u8, magic u8 (0x5B), number of
 * chunks u16, number of this one u16 (from 0), and then bytes of the document. Little-endian. Source: .NET's
 * EventSource.
 */
import { viewOf } from '../../base/bytes.ts';
import { Channel, encodeEventDescriptor } from '../etw/event-descriptor.ts';
import { etwPrefixes } from '../etw/prefix.ts';
import { placePrefix } from '../event-encoder.ts';
import { decodeUtf8 } from '../text.ts';
import { MANIFEST_EVENT_ID } from './constants.ts';

const ENVELOPE_SIZE = 8;
const FORMAT_XML = 1;
const MAJOR = 1;
const MINOR = 0;
const MAGIC = 0x5b;

/** The size of a chunk of the document: what a session's buffers usually have room for, and what they always have. */
export const MAX_CHUNK_SIZE = 0xff00;
export const MIN_CHUNK_SIZE = 256;

/** The 16 bytes of the chunks' EVENT_DESCRIPTOR. */
export const MANIFEST_DESCRIPTOR: Uint8Array = encodeEventDescriptor({
  id: MANIFEST_EVENT_ID,
  version: 1,
  channel: Channel.None,
  level: 0,
  opcode: 0xfe,
  task: 0xfffe,
  keywords: 0x00ff_ffff_ffff_ffffn,
});

/**
 * The payloads of the events that carry the document.
 *
 * @param size bytes of the document in each; if a session refuses them as too large, halve it and write all of them
 * again, down to MIN_CHUNK_SIZE
 */
export function manifestChunks(xml: string, size: number = MAX_CHUNK_SIZE): Uint8Array[] {
  const document = new TextEncoder().encode(xml);
  const total = Math.ceil(document.length / size);
  return Array.from({ length: total }, (_, number) => {
    const part = document.subarray(number * size, (number + 1) * size);
    const chunk = new Uint8Array(ENVELOPE_SIZE + part.length);
    const view = viewOf(chunk);
    chunk.set([FORMAT_XML, MAJOR, MINOR, MAGIC]);
    view.setUint16(4, total, true);
    view.setUint16(6, number, true);
    chunk.set(part, ENVELOPE_SIZE);
    return chunk;
  });
}

/** Places the event of one chunk in the scratch buffer and returns its size in bytes. */
export function encodeManifestChunk(chunk: Uint8Array): number {
  // Without metadata, the payload follows the prefix.
  const { plain } = etwPrefixes(new Uint8Array(0));
  const event = new Uint8Array(plain.length + chunk.length);
  event.set(plain);
  event.set(chunk, plain.length);
  placePrefix(event);
  return event.length;
}

/** Reassembles the chunks of one provider, process and thread. */
export class ManifestAssembly {
  #chunks: Uint8Array[] = [];
  #total = 0;

  /**
   * Takes the payload of the next event with id 0xFFFE. A chunk that does not continue the previous ones is dropped
   * together with them; chunk 0 starts anew.
   *
   * @returns the document, if this was its last chunk
   */
  add(payload: Uint8Array): string | undefined {
    if (!hasEnvelope(payload)) return undefined;
    const view = viewOf(payload);
    const total = view.getUint16(4, true);
    const number = view.getUint16(6, true);
    if (number === 0) this.#start(total);
    if (number !== this.#chunks.length || total !== this.#total) {
      this.#start(0);
      return undefined;
    }
    this.#chunks.push(payload.slice(ENVELOPE_SIZE));
    if (this.#chunks.length < total) return undefined;
    const document = Buffer.concat(this.#chunks);
    this.#start(0);
    return decodeUtf8(document);
  }

  #start(total: number): void {
    this.#chunks = [];
    this.#total = total;
  }
}

function hasEnvelope(payload: Uint8Array): boolean {
  return (
    payload.length >= ENVELOPE_SIZE &&
    payload[0] === FORMAT_XML &&
    payload[1] === MAJOR &&
    payload[3] === MAGIC &&
    viewOf(payload).getUint16(4, true) > 0
  );
}
