/**
 * Decompresses Zstandard where Node cannot (before 22.15), using the library fzstd, which decompresses all of its input
 * at once. A few bytes of input can expand to gigabytes, so it gets one block at a time, which is at most 128 KiB, and
 * no frame whose window would need too much memory. Source: RFC 8878.
 */
import type { Decompress } from 'fzstd';

const MAGIC = 0xfd2fb528;
const MAGIC_SIZE = 4;
const BLOCK_HEAD_SIZE = 3;
const MAX_BLOCK_SIZE = 128 * 1024;
const CHECKSUM_SIZE = 4;
/** All compression levels fit except the highest three, `perf record -z20` and above. */
const MAX_WINDOW_SIZE = 8 * 1024 * 1024;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
/** fzstd waits for 18 bytes before it reads a frame header: empty blocks pad it to that length. */
const EMPTY_BLOCKS = new Uint8Array(4 * BLOCK_HEAD_SIZE);

interface FrameHead {
  readonly size: number;
  readonly hasChecksum: boolean;
}

type Decoder = typeof Decompress;

/**
 * @param remedy what to do about a frame that would need too much memory, for its error
 * @returns decompresses the parts of one stream, in order
 */
export async function openZstdBlocks(remedy = 'open it with Node 22.15 or later'): Promise<ZstdBlocks> {
  const { Decompress } = await import('fzstd');
  return new ZstdBlocks(Decompress, remedy);
}

class ZstdBlocks {
  readonly #Decoder: Decoder;
  readonly #remedy: string;
  readonly #made: Uint8Array[] = [];
  /** Decodes the current frame. */
  #decoder: Decompress | undefined;
  #frame: FrameHead | undefined;
  /** Bytes that do not form a complete unit yet. */
  #left: Uint8Array = new Uint8Array(0);
  /** Bytes of a checksum still to come. */
  #skipped = 0;

  constructor(Decoder: Decoder, remedy: string) {
    this.#Decoder = Decoder;
    this.#remedy = remedy;
  }

  /** Whether the parts so far end with a frame. */
  get isComplete(): boolean {
    return this.#frame === undefined && this.#left.length === 0 && this.#skipped === 0;
  }

  /**
   * The content of the next part of the stream, in chunks.
   * @throws Error if it is damaged
   */
  *unpack(data: Uint8Array): Generator<Uint8Array> {
    let bytes: Uint8Array = Buffer.concat([this.#left, data]);
    for (;;) {
      const skipped = Math.min(this.#skipped, bytes.length);
      this.#skipped -= skipped;
      bytes = bytes.subarray(skipped);
      const size =
        this.#frame === undefined ? this.#startFrame(bytes) : this.#unpackBlock(bytes, this.#frame);
      if (size === 0) break;
      bytes = bytes.subarray(size);
      yield* this.#made.splice(0);
    }
    this.#left = bytes;
  }

  /** @returns how many bytes were consumed; 0 if more are needed */
  #startFrame(bytes: Uint8Array): number {
    const head = frameHead(bytes, this.#remedy);
    if (head === undefined || bytes.length < head.size) return 0;
    this.#frame = head;
    this.#decoder = new this.#Decoder((chunk) => {
      if (chunk.length > 0) this.#made.push(chunk);
    });
    this.#decoder.push(Buffer.concat([bytes.subarray(0, head.size), EMPTY_BLOCKS]));
    return head.size;
  }

  #unpackBlock(bytes: Uint8Array, frame: FrameHead): number {
    if (bytes.length < BLOCK_HEAD_SIZE) return 0;
    const head = (bytes[0] as number) | ((bytes[1] as number) << 8) | ((bytes[2] as number) << 16);
    const [isLast, type, blockSize] = [(head & 1) === 1, (head >>> 1) & 3, head >>> 3];
    if (type === RESERVED_BLOCK || blockSize > MAX_BLOCK_SIZE) {
      throw new Error(`a block of type ${type} cannot have ${blockSize} bytes`);
    }
    const size = BLOCK_HEAD_SIZE + (type === RLE_BLOCK ? 1 : blockSize);
    if (bytes.length < size) return 0;
    this.#decoder?.push(bytes.subarray(0, size));
    if (isLast) {
      this.#frame = undefined;
      this.#skipped = frame.hasChecksum ? CHECKSUM_SIZE : 0;
    }
    return size;
  }
}

/**
 * Layout: magic u32, descriptor u8, then as it says: window u8, dictionary id of 0, 1, 2 or 4 bytes, content size of 0,
 * 1, 2, 4 or 8.
 * @returns undefined if the bytes end before it is known
 */
function frameHead(bytes: Uint8Array, remedy: string): FrameHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length >= MAGIC_SIZE && view.getUint32(0, true) !== MAGIC) {
    throw new Error('this is not a Zstandard frame');
  }
  if (bytes.length <= MAGIC_SIZE) return undefined;
  const descriptor = view.getUint8(MAGIC_SIZE);
  const isSingle = (descriptor & 0x20) !== 0;
  const contentsBits = descriptor >>> 6;
  const windowBytes = isSingle ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const contentsBytes = contentsBits === 0 ? 1 - windowBytes : 1 << contentsBits;
  const contentsAt = MAGIC_SIZE + 1 + windowBytes + dictionaryBytes;
  const size = contentsAt + contentsBytes;
  if (bytes.length < size) return undefined;
  const windowSize = isSingle
    ? contentsSize(view, contentsAt, contentsBytes)
    : windowSizeOf(view.getUint8(MAGIC_SIZE + 1));
  if (windowSize > MAX_WINDOW_SIZE) {
    throw new Error(`Node ${process.version} cannot decompress a window of ${windowSize} bytes: ${remedy}`);
  }
  return { size, hasChecksum: (descriptor & 4) !== 0 };
}

function contentsSize(view: DataView, at: number, size: number): number {
  if (size === 8) return Number(view.getBigUint64(at, true));
  if (size === 4) return view.getUint32(at, true);
  return size === 2 ? view.getUint16(at, true) + 256 : view.getUint8(at);
}

function windowSizeOf(byte: number): number {
  const base = 2 ** (10 + (byte >>> 3));
  return base + (base / 8) * (byte & 7);
}
