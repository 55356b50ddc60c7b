/** Where the records of a perf.data file can be cut. */
import { viewOf } from '../wire/bytes.ts';
import { RECORD_HEAD_SIZE } from '../wire/perf-data/constants.ts';

const CHUNK_SIZE = 1 << 20;
/** Where in its head a record's size stands. */
const SIZE_OFFSET = 6;

/**
 * The end of the last record that ends at `limit` or before.
 *
 * @param read fills the buffer from this offset on, and tells how many bytes there were
 * @param start where the first record starts; the answer where the limit lies before its end
 */
export function lastRecordEnd(
  read: (offset: number, buffer: Uint8Array) => number,
  start: number,
  limit: number,
): number {
  const chunk = new Uint8Array(CHUNK_SIZE);
  const view = viewOf(chunk);
  let chunkStart = start;
  let chunkEnd = start;
  for (let offset = start; ; ) {
    if (offset + RECORD_HEAD_SIZE > chunkEnd) {
      chunkStart = offset;
      chunkEnd = offset + read(offset, chunk);
      if (offset + RECORD_HEAD_SIZE > chunkEnd) return offset;
    }
    const size = view.getUint16(offset - chunkStart + SIZE_OFFSET, true);
    if (size < RECORD_HEAD_SIZE || offset + size > limit) return offset;
    offset += size;
  }
}
