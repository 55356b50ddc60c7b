/**
 * The records of a perf.data in file order, in groups: some hundred of them, and never one that has to wait for
 * more of the file.
 */
import { PerfDataError } from '../../wire/perf-data/error.ts';
import { Piece } from '../../wire/perf-data/piece.ts';
import { RecordReader } from '../../wire/perf-data/record-reader.ts';
import type { PerfRecord } from '../../wire/perf-data/records.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';
import { asTraceError } from '../trace-error.ts';
import { RecordUnpacker } from './zstd.ts';

export type RecordGroup = readonly PerfRecord[];

/** Records of a whole piece would all be alive at once, which costs a third of the time in garbage collection. */
const MAX_GROUP = 512;

/** A part of a file, in pieces. */
export async function* piecesOfFile(bytes: SeekableBytes, start: number, end: number): AsyncGenerator<Piece> {
  for (let offset = start; offset < end; ) {
    const piece = await bytes.read(offset, Math.min(CHUNK_SIZE, end - offset));
    if (piece.length === 0) {
      throw new PerfDataError(
        'truncated',
        offset,
        `The file ends before its data, which is to end at ${end}.`,
      );
    }
    yield new Piece(piece, offset);
    offset += piece.length;
  }
}

/** What comes through a pipe, from `start` on. */
export async function* piecesOfPipe(chunks: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Piece> {
  let offset = 0;
  for await (const chunk of chunks) {
    const skipped = Math.min(chunk.length, Math.max(0, start - offset));
    if (skipped < chunk.length) yield new Piece(chunk.subarray(skipped), offset + skipped);
    offset += chunk.length;
  }
}

/**
 * @param onPiece is told where in the file each piece that has been read ends
 * @throws TraceError after all records that stand before the fault
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
