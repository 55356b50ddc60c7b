/**
 * What the metadata of an event in the tracepoint format says of it: EventPipe's metadata, with the provider's
 * name instead of the metadata's id before it.
 *
 * Layout: provider and NUL in UTF-16, event id u32, event name and NUL, keywords u64, version u32, level u32,
 * then the fields as in a .nettrace of version 4. Source: dotnet/runtime `ep-session.c`.
 */
import { viewOf } from '../bytes.ts';
import { decodeUtf16 } from '../text.ts';
import { TracepointV1Error } from './error.ts';

export interface TracepointV1Metadata {
  readonly provider: string;
  readonly eventId: number;
  /** Empty where it is not told: .NET's own native events. */
  readonly name: string;
  readonly keywords: bigint;
  readonly version: number;
  readonly level: number;
  /** The description of the fields, not read yet. */
  readonly fields: Uint8Array;
}

/** Event id, keywords, version and level: all that is not text. */
const KEYWORDS_VERSION_LEVEL_SIZE = 16;

/** @throws TracepointV1Error with the offset in the metadata */
export function readTracepointV1Metadata(bytes: Uint8Array): TracepointV1Metadata {
  const view = viewOf(bytes);
  const provider = textAt(view, 0, 4);
  const eventId = view.getUint32(provider.end, true);
  const name = textAt(view, provider.end + 4, KEYWORDS_VERSION_LEVEL_SIZE);
  return {
    provider: provider.text,
    eventId,
    name: name.text,
    keywords: view.getBigUint64(name.end, true),
    version: view.getUint32(name.end + 8, true),
    level: view.getUint32(name.end + 12, true),
    fields: bytes.subarray(name.end + KEYWORDS_VERSION_LEVEL_SIZE),
  };
}

/** Text up to a NUL, behind which there must be `sizeBehind` bytes. */
function textAt(view: DataView, start: number, sizeBehind: number): { text: string; end: number } {
  let end = start;
  while (end + 2 <= view.byteLength && view.getUint16(end, true) !== 0) end += 2;
  if (end + 2 + sizeBehind > view.byteLength) {
    throw new TracepointV1Error(start, `The metadata of ${view.byteLength} bytes ends early.`);
  }
  return {
    text: decodeUtf16(new DataView(view.buffer, view.byteOffset + start, end - start), true),
    end: end + 2,
  };
}
