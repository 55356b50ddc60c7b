/**
 * Opens an EventHeader event: its header, its extensions, and the contents of its tracepoint name. The metadata and the
 * payload are located, but not read yet.
 *
 * Layout: header of 8 bytes, extensions (size u16, kind u16, bytes) while the chain flag is set, payload. Numbers are
 * in the event's byte order. Source: LinuxTracepoints `eventheader.h`.
 */
import { indexOfNul, uuidText } from '../../base/bytes.ts';
import {
  EXTENSION_CHAIN_FLAG,
  EXTENSION_HEAD_SIZE,
  ExtensionKind,
  HEADER_SIZE,
  HeaderFlag,
} from './constants.ts';
import type { EventBytes } from './decode-fields.ts';
import { EventHeaderError, EventHeaderErrorCode } from './error.ts';
import type { TracepointNameParts } from './tracepoint-name-parse.ts';

const KNOWN_FLAGS = HeaderFlag.Pointer64 | HeaderFlag.LittleEndian | HeaderFlag.Extension;

const ID_SIZE = 16;

/** An event whose fields have not been read yet. Its parts are read on demand, since files contain millions. */
export class OpenedEvent implements TracepointNameParts, EventBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
  readonly littleEndian: boolean;
  /** The position of the metadata extension's content in the bytes. */
  readonly metadataStart: number;
  readonly metadataEnd: number;
  readonly payloadStart: number;
  readonly #nameParts: TracepointNameParts;
  /** The position of the activity id, which the related one follows; 0 for none. */
  readonly #activityAt: number;
  readonly #hasRelated: boolean;

  /**
   * @param name of the tracepoint, without the system: `Provider_L4K1`
   * @param nameParts the result of `parseTracepointName`
   * @param bytes contain the event from `start`, its header, to `end`, possibly with what follows the payload
   * @throws EventHeaderError
   */
  constructor(
    name: string,
    nameParts: TracepointNameParts | undefined,
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
  ) {
    if (end - start < HEADER_SIZE) {
      throw new EventHeaderError(
        EventHeaderErrorCode.InvalidParameter,
        end - start,
        `An event has a header of ${HEADER_SIZE} bytes, but there are only ${end - start}.`,
      );
    }
    const flags = view.getUint8(start);
    if ((flags & ~KNOWN_FLAGS) !== 0) {
      throw new EventHeaderError(
        EventHeaderErrorCode.NotSupported,
        0,
        `The header has unknown flags: 0x${flags.toString(16)}.`,
      );
    }
    const level = view.getUint8(start + 7);
    if (nameParts === undefined || nameParts.level !== level) {
      throw new EventHeaderError(
        EventHeaderErrorCode.NotSupported,
        7,
        nameParts === undefined
          ? `"${name}" is not the name of an EventHeader tracepoint.`
          : `The header's level is ${level}, but the tracepoint is "${name}".`,
      );
    }
    this.bytes = bytes;
    this.view = view;
    this.start = start;
    this.end = end;
    this.littleEndian = (flags & HeaderFlag.LittleEndian) !== 0;
    this.#nameParts = nameParts;
    let metadataStart = 0;
    let metadataEnd = 0;
    let activityAt = 0;
    let activitySize = 0;
    let at = start + HEADER_SIZE;
    for (let hasNext = (flags & HeaderFlag.Extension) !== 0; hasNext; ) {
      if (end - at < EXTENSION_HEAD_SIZE) throw bad(at - start, 'The event ends before its extension.');
      const size = view.getUint16(at, this.littleEndian);
      const kind = view.getUint16(at + 2, this.littleEndian);
      const content = at + EXTENSION_HEAD_SIZE;
      if (end - content < size) {
        throw bad(at - start, `The event ends inside an extension of ${size} bytes.`);
      }
      switch (kind & ~EXTENSION_CHAIN_FLAG) {
        case ExtensionKind.Invalid:
          throw bad(at - start, 'An extension has kind 0, which is invalid.');
        case ExtensionKind.Metadata:
          if (metadataStart !== 0) throw bad(at - start, 'The event has two metadata extensions.');
          metadataStart = content;
          metadataEnd = content + size;
          break;
        case ExtensionKind.ActivityId:
          if (activityAt !== 0) throw bad(at - start, 'The event has two activity extensions.');
          if (size !== ID_SIZE && size !== 2 * ID_SIZE) {
            throw bad(at - start, `An activity extension has ${size} bytes, not 16 or 32.`);
          }
          activityAt = content;
          activitySize = size;
          break;
      }
      at = content + size;
      hasNext = (kind & EXTENSION_CHAIN_FLAG) !== 0;
    }
    if (metadataStart === 0) {
      throw new EventHeaderError(
        EventHeaderErrorCode.NotSupported,
        at - start,
        'The event has no metadata extension, so its fields are unknown.',
      );
    }
    if (indexOfNul(bytes, metadataStart, metadataEnd) < 0) {
      throw bad(metadataStart - start, "The event's name has no end.");
    }
    this.metadataStart = metadataStart;
    this.metadataEnd = metadataEnd;
    this.payloadStart = at;
    this.#activityAt = activityAt;
    this.#hasRelated = activitySize === 2 * ID_SIZE;
  }

  get provider(): string {
    return this.#nameParts.provider;
  }

  get level(): number {
    return this.#nameParts.level;
  }

  get keyword(): bigint {
    return this.#nameParts.keyword;
  }

  get options(): string {
    return this.#nameParts.options;
  }

  /** See `HeaderFlag`. */
  get flags(): number {
    return this.view.getUint8(this.start);
  }

  get version(): number {
    return this.view.getUint8(this.start + 1);
  }

  /** 0 for none; then `version` is meaningless. */
  get id(): number {
    return this.view.getUint16(this.start + 2, this.littleEndian);
  }

  /** 16 bits. */
  get tag(): number {
    return this.view.getUint16(this.start + 4, this.littleEndian);
  }

  get opcode(): number {
    return this.view.getUint8(this.start + 6);
  }

  /** The GUID's text is in lower case. */
  get activityId(): string | undefined {
    return this.#activityAt === 0 ? undefined : this.#idAt(this.#activityAt);
  }

  get relatedActivityId(): string | undefined {
    return this.#hasRelated ? this.#idAt(this.#activityAt + ID_SIZE) : undefined;
  }

  /** The content of the metadata extension. */
  get metadata(): Uint8Array {
    return this.bytes.subarray(this.metadataStart, this.metadataEnd);
  }

  #idAt(at: number): string {
    return uuidText(this.bytes, at);
  }
}

function bad(offset: number, message: string): EventHeaderError {
  return new EventHeaderError(EventHeaderErrorCode.BadMessage, offset, message);
}
