/**
 * A perf.data file around its records: the header at the start, everything else after them. perf itself writes the
 * attributes first, but the header says where they are, and which events there were is known only at the end. Source:
 * Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { FEATURE_BITS } from '../constants.ts';
import { ATTR_SIZE } from './attr.ts';
import { featureSections, type RecordedEvent, type RecordingFacts } from './features.ts';

export const MAGIC: Uint8Array = new TextEncoder().encode('PERFILE2');
const SECTION_SIZE = 16;
const ATTR_ENTRY_SIZE = ATTR_SIZE + SECTION_SIZE;

/** The minimum number of bytes before the records. */
export const HEADER_SIZE = 104;

interface FileEnd {
  /** Replaces the file's first bytes. */
  readonly header: Uint8Array;
  /** Goes behind the last record. */
  readonly tail: Uint8Array;
}

/**
 * @param dataStart the start of the records
 * @param dataSize bytes of all records
 */
export function fileEnd(dataStart: number, dataSize: number, facts: RecordingFacts): FileEnd {
  const tail = new ByteWriter();
  const tailStart = dataStart + dataSize;
  const sections = featureSections(facts);
  let offset = tailStart + sections.length * SECTION_SIZE;
  for (const { bytes } of sections) {
    tail.uint64(offset).uint64(bytes.length);
    offset += bytes.length;
  }
  for (const { bytes } of sections) tail.bytes(bytes);

  const { events } = facts;
  const idsStart = tailStart + tail.length;
  for (const { ids } of events) for (const id of ids) tail.uint64(id);
  const attrsStart = tailStart + tail.length;
  attributes(tail, events, idsStart);
  const attrs = [attrsStart, events.length * ATTR_ENTRY_SIZE] as const;
  const features = sections.map(({ bit }) => bit);
  return { header: header({ attrs, data: [dataStart, dataSize], features }), tail: tail.current() };
}

function attributes(tail: ByteWriter, events: readonly RecordedEvent[], idsStart: number): void {
  let offset = idsStart;
  for (const { attr, ids } of events) {
    tail
      .bytes(attr)
      .uint64(offset)
      .uint64(ids.length * 8);
    offset += ids.length * 8;
  }
}

interface HeaderParts {
  /** Offset and size. */
  readonly attrs: readonly [number, number];
  readonly data: readonly [number, number];
  readonly features: readonly number[];
}

function header({ attrs, data, features }: HeaderParts): Uint8Array {
  const bits = features.reduce((word, bit) => word | (1n << BigInt(bit)), 0n);
  const writer = new ByteWriter()
    .bytes(MAGIC)
    .uint64(HEADER_SIZE)
    .uint64(ATTR_ENTRY_SIZE)
    .uint64(attrs[0])
    .uint64(attrs[1])
    .uint64(data[0])
    .uint64(data[1])
    .uint64(0) // event types, which no file has had since 2013
    .uint64(0);
  for (let word = 0n; word < FEATURE_BITS / 64; word++) {
    writer.uint64(BigInt.asUintN(64, bits >> (64n * word)));
  }
  return writer.current();
}
