/**
 * The framing of versions 3 and 4: objects that name their type and version, then the block, aligned, after its size.
 */
import { TraceError } from '../trace-error.ts';
import { Block, type Framing } from './block.ts';
import type { ByteQueue } from './byte-queue.ts';
import {
  BLOCK_ALIGNMENT,
  BLOCK_KIND_OF_OBJECT,
  BlockKind,
  FormatVersion,
  MAX_BLOCK_VERSION,
  SerializationTag,
  TRACE_OBJECT_SIZE,
} from './constants.ts';

/** The size of an object's header: three tags, version, minimum reader version, length of the name. */
const FIXED_HEAD_SIZE = 15;
const MAX_NAME_LENGTH = 38;
const SIZE_SIZE = 4;
const TAG_SIZE = 1;
const MAX_HEAD_SIZE = FIXED_HEAD_SIZE + MAX_NAME_LENGTH + TAG_SIZE + SIZE_SIZE;

/** The maximum size of a block in version 6; the runtime's have about 100 KB. */
const MAX_BLOCK_SIZE = 0xff_ffff;

interface ObjectHead {
  readonly kind: number;
  readonly padding: number;
  readonly size: number;
}

export class FastSerializationFraming implements Framing {
  formatVersion = 0;
  isAtEnd = false;
  #head: ObjectHead | undefined;

  next(queue: ByteQueue): Block | undefined {
    this.#head ??= this.isAtEnd ? undefined : this.#readHead(queue);
    const head = this.#head;
    if (head === undefined || queue.length < head.padding + head.size + TAG_SIZE) return undefined;
    this.#head = undefined;
    queue.skip(head.padding);
    const block = new Block(head.kind, queue.take(head.size), queue.position - head.size);
    const tag = queue.peek(TAG_SIZE)[0];
    if (tag !== SerializationTag.EndObject) {
      throw new TraceError('malformed', queue.position, `An object ends with tag ${tag}, not with 6.`);
    }
    queue.skip(TAG_SIZE);
    return block;
  }

  partOfNext(queue: ByteQueue): Block | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    const bytes = queue.peek(head.padding + head.size);
    return new Block(head.kind, bytes.subarray(head.padding), queue.position + head.padding);
  }

  #readHead(queue: ByteQueue): ObjectHead | undefined {
    const bytes = queue.peek(MAX_HEAD_SIZE);
    if (bytes[0] === SerializationTag.NullReference) {
      queue.skip(TAG_SIZE);
      this.isAtEnd = true;
      return undefined;
    }
    if (bytes.length < FIXED_HEAD_SIZE) return undefined;
    const fail = (at: number, reason: string): never => {
      throw new TraceError('malformed', queue.position + at, reason);
    };
    if (!isBeginTag(bytes[0]) || !isBeginTag(bytes[1]) || bytes[2] !== SerializationTag.NullReference) {
      fail(0, `An object cannot start with the tags ${bytes[0]}, ${bytes[1]} and ${bytes[2]}.`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const version = view.getInt32(3, true);
    const leastReader = view.getInt32(7, true);
    const nameLength = view.getInt32(11, true);
    if (nameLength < 0 || nameLength > MAX_NAME_LENGTH)
      fail(11, `A type name cannot have ${nameLength} bytes.`);
    const nameEnd = FIXED_HEAD_SIZE + nameLength;
    if (bytes.length < nameEnd + TAG_SIZE) return undefined;
    const name = Buffer.from(bytes.subarray(FIXED_HEAD_SIZE, nameEnd)).toString('latin1');
    if (bytes[nameEnd] !== SerializationTag.EndObject) {
      fail(nameEnd, `Type "${name}" ends with tag ${bytes[nameEnd]}, not with 6.`);
    }
    const kind = BLOCK_KIND_OF_OBJECT.get(name);
    if (kind === undefined) return fail(FIXED_HEAD_SIZE, `The object type "${name}" does not exist.`);
    this.#checkVersion(kind, name, version, leastReader, queue.position + 3);
    if (kind === BlockKind.Trace) {
      queue.skip(nameEnd + TAG_SIZE);
      return { kind, padding: 0, size: TRACE_OBJECT_SIZE };
    }
    if (bytes.length < nameEnd + TAG_SIZE + SIZE_SIZE) return undefined;
    const size = view.getInt32(nameEnd + TAG_SIZE, true);
    if (size < 0) fail(nameEnd + TAG_SIZE, `${name} cannot have ${size} bytes.`);
    if (size > MAX_BLOCK_SIZE) {
      const reason = `${name} has ${size} bytes; at most ${MAX_BLOCK_SIZE} are supported.`;
      throw new TraceError('unsupported', queue.position + nameEnd + TAG_SIZE, reason);
    }
    queue.skip(nameEnd + TAG_SIZE + SIZE_SIZE);
    return { kind, padding: -queue.position & (BLOCK_ALIGNMENT - 1), size };
  }

  #checkVersion(kind: number, name: string, version: number, leastReader: number, at: number): void {
    if (kind !== BlockKind.Trace) {
      if (leastReader <= MAX_BLOCK_VERSION) return;
      throw new TraceError('unsupported', at, `${name} has version ${version}, which is not supported.`);
    }
    if (version < FormatVersion.NetPerf || leastReader > FormatVersion.V4) {
      throw new TraceError('unsupported', at, `The trace has version ${version}, which is not supported.`);
    }
    this.formatVersion = Math.min(version, FormatVersion.V4);
  }
}

function isBeginTag(tag: number | undefined): boolean {
  return tag === SerializationTag.BeginObject || tag === SerializationTag.BeginPrivateObject;
}
