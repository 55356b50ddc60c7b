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

export interface WrittenFraming {
  /** The next bytes of the trace. */
  readonly bytes: NetTraceBytes;
  /** The number of earlier bytes of the trace. */
  taken: number;
  /** What precedes the first block. */
  start(): void;
  /** Blocks appear in the trace in the order of calls; a block may be given in parts. */
  block(kind: number, ...parts: readonly Uint8Array[]): void;
  /** What follows the last block. */
  end(): void;
}

const OBJECT_NAMES: ReadonlyMap<number, string> = new Map(
  // If a kind has several names, the last one is the older, from version 3.
  Array.from(BLOCK_KIND_OF_OBJECT, ([name, kind]) => [kind, name] as const).reverse(),
);

export class FramingV4 implements WrittenFraming {
  readonly bytes = new NetTraceBytes();
  taken = 0;

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
      bytes.uint32(sizeOf(parts));
      const padding = -(this.taken + bytes.length) & (BLOCK_ALIGNMENT - 1);
      for (let i = 0; i < padding; i++) bytes.uint8(0);
    }
    for (const part of parts) bytes.bytes(part);
    bytes.uint8(SerializationTag.EndObject);
  }

  end(): void {
    this.bytes.uint8(SerializationTag.NullReference);
  }
}

/** In a block header, the kind is stored above this many bits of size. */
const SIZE_BITS = 24;
const MINOR_VERSION = 0;

export class FramingV6 implements WrittenFraming {
  readonly bytes = new NetTraceBytes();
  taken = 0;

  start(): void {
    this.bytes.bytes(Buffer.from(NETTRACE_MAGIC));
    this.bytes.uint32(0);
    this.bytes.uint32(FormatVersion.V6);
    this.bytes.uint32(MINOR_VERSION);
  }

  block(kind: number, ...parts: readonly Uint8Array[]): void {
    this.bytes.uint32(sizeOf(parts) | (kind << SIZE_BITS));
    for (const part of parts) this.bytes.bytes(part);
  }

  end(): void {
    this.block(BlockKind.EndOfStream);
  }
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((size, part) => size + part.length, 0);
}
