/**
 * How blocks become a trace: in version 4 as FastSerialization objects, in version 6 after their kind and size.
 *
 * Source: perfview's NetTraceFormat_v5.md and NetTraceFormat_v6.md.
 */
import {
  BLOCK_ALIGNMENT,
  BLOCK_KIND_OF_OBJECT,
  BlockKind,
  FAST_SERIALIZATION_MAGIC,
  FormatVersion,
  MAX_BLOCK_VERSION,
  NETTRACE_MAGIC,
  SerializationTag,
} from '../constants.ts';
import { NetTraceBytes } from './byte-writer.ts';

/** Smaller parts of blocks are copied; larger ones are not, so that all traces made from the same blocks share them. */
const SMALL_PART = 1024;

/** A chunk of a trace, in parts. */
export type Piece = readonly Uint8Array[];

export const NO_PIECE: Piece = [];

export function pieceSize(piece: Piece): number {
  return piece.reduce((size, part) => size + part.length, 0);
}

export function pieceBytes(piece: Piece): Uint8Array {
  const [only = Buffer.alloc(0)] = piece;
  return piece.length <= 1 ? only : Buffer.concat(piece);
}

export abstract class WrittenFraming {
  /** The number of bytes in earlier chunks of the trace. */
  taken = 0;
  /** The next chunk: what comes before `bytes`. */
  before = NO_PIECE;
  #beforeSize = 0;
  protected readonly bytes = new NetTraceBytes();

  /** What precedes the first block. */
  abstract start(): void;
  /** Blocks appear in the trace in the order of calls; a block may be given in parts. */
  abstract block(kind: number, ...parts: readonly Uint8Array[]): void;
  /** What follows the last block. */
  abstract end(): void;

  /** Begins the next chunk, and abandons one that nobody has taken. */
  beginPiece(): void {
    this.before = NO_PIECE;
    this.#beforeSize = 0;
    this.bytes.length = 0;
  }

  /** What has been written since `beginPiece`. */
  piece(): Piece {
    return this.bytes.length === 0 ? this.before : [...this.before, this.bytes.copy()];
  }

  /** The size of the trace so far. */
  protected get size(): number {
    return this.taken + this.#beforeSize + this.bytes.length;
  }

  protected add(part: Uint8Array): void {
    if (part.length < SMALL_PART) this.bytes.bytes(part);
    else {
      this.before = [...this.piece(), part];
      this.#beforeSize = pieceSize(this.before);
      this.bytes.length = 0;
    }
  }
}

const OBJECT_NAMES: ReadonlyMap<number, string> = new Map(
  // If a kind has several names, the last one is the older, from version 3.
  Array.from(BLOCK_KIND_OF_OBJECT, ([name, kind]) => [kind, name] as const).reverse(),
);

export class FramingV4 extends WrittenFraming {
  start(): void {
    this.bytes.bytes(Buffer.from(NETTRACE_MAGIC));
    this.bytes.uint32(FAST_SERIALIZATION_MAGIC.length);
    this.bytes.bytes(Buffer.from(FAST_SERIALIZATION_MAGIC));
  }

  block(kind: number, ...parts: readonly Uint8Array[]): void {
    const { bytes } = this;
    const isTrace = kind === BlockKind.Trace;
    const version = isTrace ? FormatVersion.V4 : MAX_BLOCK_VERSION;
    const name = OBJECT_NAMES.get(kind) ?? '';
    bytes.uint8(SerializationTag.BeginPrivateObject);
    bytes.uint8(SerializationTag.BeginPrivateObject);
    bytes.uint8(SerializationTag.NullReference);
    bytes.uint32(version);
    bytes.uint32(version);
    bytes.uint32(name.length);
    bytes.bytes(Buffer.from(name));
    bytes.uint8(SerializationTag.EndObject);
    if (!isTrace) {
      bytes.uint32(pieceSize(parts));
      const padding = -this.size & (BLOCK_ALIGNMENT - 1);
      for (let i = 0; i < padding; i++) bytes.uint8(0);
    }
    for (const part of parts) this.add(part);
    bytes.uint8(SerializationTag.EndObject);
  }

  end(): void {
    this.bytes.uint8(SerializationTag.NullReference);
  }
}

/** A block header stores the kind above this many bits of size. */
const SIZE_BITS = 24;
const MINOR_VERSION = 0;

export class FramingV6 extends WrittenFraming {
  start(): void {
    this.bytes.bytes(Buffer.from(NETTRACE_MAGIC));
    this.bytes.uint32(0);
    this.bytes.uint32(FormatVersion.V6);
    this.bytes.uint32(MINOR_VERSION);
  }

  block(kind: number, ...parts: readonly Uint8Array[]): void {
    this.bytes.uint32(pieceSize(parts) | (kind << SIZE_BITS));
    for (const part of parts) this.add(part);
  }

  end(): void {
    this.block(BlockKind.EndOfStream);
  }
}
