/** Which framing splits a trace into blocks, by the magic at its start. */
import { TraceError } from '../trace-error.ts';
import { Block, type Framing } from './block.ts';
import type { ByteQueue } from './byte-queue.ts';
import { BlockKind, FAST_SERIALIZATION_MAGIC, FormatVersion, NETTRACE_MAGIC } from './constants.ts';
import { FastSerializationFraming } from './fast-serialization.ts';

/** A trace's start up to the versions of version 6: magic, zero, major, minor. */
const V6_START_SIZE = 20;
/** The length of the FastSerialization magic, which precedes it. */
const LENGTH_SIZE = 4;

/**
 * Takes the start of the trace off the queue.
 *
 * @returns undefined if more bytes are needed
 * @throws TraceError
 */
export function readStart(queue: ByteQueue): Framing | undefined {
  const start = queue.peek(NETTRACE_MAGIC.length + LENGTH_SIZE + FAST_SERIALIZATION_MAGIC.length);
  const text = Buffer.from(start).toString('latin1');
  if (text.length < NETTRACE_MAGIC.length + LENGTH_SIZE) return undefined;
  if (!text.startsWith(NETTRACE_MAGIC)) return fastSerialization(queue, text, 0);
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  if (view.getUint32(NETTRACE_MAGIC.length, true) !== 0) {
    return fastSerialization(queue, text, NETTRACE_MAGIC.length);
  }
  if (start.length < V6_START_SIZE) return undefined;
  const major = view.getUint32(12, true);
  if (major !== FormatVersion.V6) {
    const code = major > FormatVersion.V6 ? 'unsupported' : 'malformed';
    throw new TraceError(code, 12, `The trace has version ${major}, but its start says version 6.`);
  }
  queue.skip(V6_START_SIZE);
  return new BlockFraming();
}

function fastSerialization(queue: ByteQueue, text: string, at: number): Framing | undefined {
  const magicAt = at + LENGTH_SIZE;
  const end = magicAt + FAST_SERIALIZATION_MAGIC.length;
  const found = text.slice(magicAt, end);
  const length = text.charCodeAt(at);
  if (length !== FAST_SERIALIZATION_MAGIC.length || !FAST_SERIALIZATION_MAGIC.startsWith(found)) {
    throw new TraceError('malformed', at, `Expected "${FAST_SERIALIZATION_MAGIC}", but found "${found}".`);
  }
  if (text.length < end) return undefined;
  queue.skip(end);
  return new FastSerializationFraming();
}

/** The blocks of version 6: a word of kind and size, then the block. */
const HEAD_SIZE = 4;

class BlockFraming implements Framing {
  readonly formatVersion: number = FormatVersion.V6;
  isAtEnd = false;
  #head: { readonly kind: number; readonly size: number } | undefined;

  next(queue: ByteQueue): Block | undefined {
    const head = this.#readHead(queue);
    if (head === undefined || queue.length < head.size) return undefined;
    this.#head = undefined;
    const position = queue.position;
    return new Block(head.kind, queue.take(head.size), position);
  }

  partOfNext(queue: ByteQueue): Block | undefined {
    if (this.#head === undefined) return undefined;
    return new Block(this.#head.kind, queue.peek(queue.length), queue.position);
  }

  #readHead(queue: ByteQueue): { readonly kind: number; readonly size: number } | undefined {
    if (this.#head !== undefined) return this.#head;
    if (this.isAtEnd || queue.length < HEAD_SIZE) return undefined;
    const bytes = queue.take(HEAD_SIZE);
    const word = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const kind = word >>> 24;
    if (kind === BlockKind.EndOfStream) {
      this.isAtEnd = true;
      return undefined;
    }
    this.#head = { kind, size: word & 0xff_ffff };
    return this.#head;
  }
}
