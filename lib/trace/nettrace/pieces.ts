/** Bytes in pieces that are not too large, so that events do not come too many at a time. */

/** About as many events as a few batches. */
const PIECE_SIZE = 1 << 18;

export async function* smallPieces(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_SIZE) yield chunk.subarray(at, at + PIECE_SIZE);
  }
}
