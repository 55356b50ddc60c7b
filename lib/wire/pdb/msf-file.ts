/**
 * The streams of a multi-stream file (MSF 7.00), the container of PDB files: little-endian blocks, scattered over the
 * file, and a directory that says which block belongs to which stream. Nothing in it is trusted: sizes are limited,
 * streams that share blocks are refused, and what is outside the file does not exist.
 *
 * Source: LLVM, "The PDB File Format", "The MSF File Format".
 */
import { viewOf } from '../../base/bytes.ts';
import type { ReadBytes } from '../elf/elf-file.ts';

const MAGIC = 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0';
const HEADER_SIZE = 56;
const MIN_BLOCK = 512;
const MAX_BLOCK = 1 << 16;
const MAX_STREAMS = 1 << 16;
/** The size of a stream that does not exist. */
const NO_STREAM = 0xffff_ffff;

interface Stream {
  readonly size: number;
  /** Where its block numbers begin in the directory. */
  readonly blocks: number;
}

export class MsfFile {
  readonly #read: ReadBytes;
  readonly #blockSize: number;
  readonly #directory: DataView;
  readonly #streams: readonly Stream[];

  private constructor(read: ReadBytes, blockSize: number, directory: DataView) {
    this.#read = read;
    this.#blockSize = blockSize;
    this.#directory = directory;
    this.#streams = streamsOf(directory, blockSize);
  }

  /** @returns undefined if it is not such a file */
  static open(read: ReadBytes): MsfFile | undefined {
    const header = read(0, HEADER_SIZE);
    if (header.length < HEADER_SIZE || Buffer.from(header.subarray(0, 32)).toString('latin1') !== MAGIC)
      return undefined;
    const view = viewOf(header);
    const [blockSize = 0, blocks = 0, directorySize = 0, map = 0] = [32, 40, 44, 52].map((at) =>
      view.getUint32(at, true),
    );
    if (blockSize < MIN_BLOCK || blockSize > MAX_BLOCK) return undefined;
    // A file that ends early has fewer blocks than it says.
    const size = read((blocks - 1) * blockSize, 1).length === 0 ? 0 : blocks * blockSize;
    if (directorySize > size) return undefined;
    const numbers = read(map * blockSize, 4 * Math.ceil(directorySize / blockSize));
    const directory = gather(read, blockSize, viewOf(numbers), 0, directorySize);
    const file = new MsfFile(read, blockSize, viewOf(directory));
    // Each block belongs to one stream: otherwise a small file could become any number of large streams.
    return file.#streams.reduce((sum, stream) => sum + stream.size, 0) > size ? undefined : file;
  }

  /** The bytes of a stream, or its beginning; empty if there is no such stream. */
  stream(index: number, limit: number): Uint8Array {
    const { size, blocks } = this.#streams[index] ?? { size: 0, blocks: 0 };
    return gather(this.#read, this.#blockSize, this.#directory, blocks, Math.min(size, limit));
  }
}

function streamsOf(directory: DataView, blockSize: number): Stream[] {
  const count = directory.byteLength < 4 ? 0 : Math.min(directory.getUint32(0, true), MAX_STREAMS);
  const streams: Stream[] = [];
  let blocks = 4 + 4 * count;
  for (let index = 0; index < count && 8 + 4 * index <= directory.byteLength; index++) {
    const given = directory.getUint32(4 + 4 * index, true);
    const size = given === NO_STREAM ? 0 : given;
    streams.push({ size, blocks });
    blocks += 4 * Math.ceil(size / blockSize);
  }
  return streams;
}

/** The contents of blocks whose numbers are in `numbers`; shorter if the file has less. */
function gather(read: ReadBytes, blockSize: number, numbers: DataView, at: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let end = 0;
  for (let offset = at; end < size && offset + 4 <= numbers.byteLength; offset += 4) {
    const wanted = Math.min(size - end, blockSize);
    const piece = read(numbers.getUint32(offset, true) * blockSize, wanted);
    bytes.set(piece, end);
    end += piece.length;
    if (piece.length < wanted) break;
  }
  return bytes.subarray(0, end);
}
