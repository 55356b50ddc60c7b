/** The records of a perf.data in file order, in groups of a few hundred; a group never waits for more of the file. */
import { PerfDataError } from '../../wire/perf-data/error.ts';
import { Piece } from '../../wire/perf-data/piece.ts';
import { RecordReader } from '../../wire/perf-data/record-reader.ts';
import type { PerfRecord } from '../../wire/perf-data/records.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';
import { asTraceError } from '../trace-error.ts';
import { RecordUnpacker } from './zstd.ts';

export type RecordGroup = readonly PerfRecord[];

/** The records of a whole chunk would all be alive at once, which costs a third of the time in garbage collection. */
const MAX_GROUP = 512;

/** A part of a file, in chunks. */
export async function* piecesOfFile(bytes: SeekableBytes, start: number, end: number): AsyncGenerator<Piece> {
  for (let offset = start; offset < end; ) {
    const piece = await bytes.read(offset, Math.min(CHUNK_SIZE, end - offset));
    if (piece.length === 0) {
      throw new PerfDataError(
        'truncated',
        offset,
        `The file ends before its data, which should end at ${end}.`,
      );
    }
    yield new Piece(piece, offset);
    offset += piece.length;
  }
}

/** The contents of a pipe, from `start` on. */
export async function* piecesOfPipe(chunks: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Piece> {
  let offset = 0;
  for await (const chunk of chunks) {
    const skipped = Math.min(chunk.length, Math.max(0, start - offset));
    if (skipped < chunk.length) yield new Piece(chunk.subarray(skipped), offset + skipped);
    offset += chunk.length;
  }
}

/**
 * @param onPiece called with the end position in the file of each chunk that has been read
 * @throws TraceError after all records before the fault
 */
export async function* recordGroups(
  pieces: AsyncIterable<Piece>,
  session: PerfSession,
  onPiece: (end: number) => void,
): AsyncGenerator<RecordGroup> {
  const reader = new RecordReader(session);
  const unpackedReader = new RecordReader(session);
  const unpacker = new RecordUnpacker();
  let group: PerfRecord[] = [];
  try {
    for await (const piece of pieces) {
      onPiece(piece.positionOf(piece.bytes.length));
      for (const record of reader.push(piece)) {
        if (record.kind === 'compressed') {
          for await (const bytes of unpacker.unpack(record.data, record.offset)) {
            for (const inner of unpackedReader.push(new Piece(bytes, record.offset, true))) group.push(inner);
            yield group;
            group = [];
          }
        } else {
          group.push(record);
        }
        if (group.length < MAX_GROUP) continue;
        yield group;
        group = [];
      }
      yield group;
      group = [];
    }
    reader.end();
    unpackedReader.end();
  } catch (error) {
    if (group.length > 0) yield group;
    throw asTraceError(error);
  } finally {
    unpacker.close();
  }
}
