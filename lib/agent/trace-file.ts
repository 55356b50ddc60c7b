/** A .nettrace file of sections: it gets its name when it is whole, and can be ended after any section. */
import { closeSync, createReadStream, fsync, ftruncateSync, renameSync, rmSync, writevSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nameOfPartial, OutputError, OutputFile, openOwnFile } from '../base/output-file.ts';
import { BlockKind, SerializationTag } from '../wire/nettrace/constants.ts';
import { FramingV4, type Piece, pieceSize } from '../wire/nettrace/write/framing.ts';
import { FRAMING_SIZE, type Section, type SectionStart, TraceSections } from './trace-sections.ts';

const END_SIZE = 1;
const synced = promisify(fsync);

export class TraceFile {
  readonly path: string;
  readonly #file: OutputFile;
  readonly #descriptor: number;
  readonly #framing = new FramingV4();
  /** The size in bytes, including the end of the trace, which stands after each section until another follows. */
  size = 0;
  events = 0;

  /** @throws OutputError */
  constructor(path: string) {
    this.path = path;
    this.#file = new OutputFile(path, { isSalvageable: true });
    this.#descriptor = this.#file.descriptor;
  }

  /** How much a section takes, at most. */
  roomFor({ size, start }: Section): number {
    return size + END_SIZE + (this.size === 0 ? startSize(start) : 0);
  }

  /**
   * The file ends with this section, or if that fails, as before.
   *
   * @throws the system's error
   */
  append(section: Section, events: number): void {
    const framing = this.#framing;
    const taken = framing.taken;
    framing.beginPiece();
    if (taken === 0) writeStart(framing, section.start);
    for (const { kind, bytes } of section.blocks) framing.block(kind, bytes);
    const blocks = framing.piece();
    framing.taken += pieceSize(blocks);
    framing.beginPiece();
    framing.end();
    try {
      this.#write([...blocks, ...framing.piece()], taken);
    } catch (error) {
      framing.taken = taken;
      this.#endAt(taken);
      throw error;
    }
    this.size = framing.taken + END_SIZE;
    this.events += events;
  }

  /** Gives the file its name when the disk has it. @throws the system's error */
  async commit(): Promise<void> {
    try {
      await synced(this.#descriptor);
    } catch (error) {
      this.abandon();
      throw error;
    }
    this.#file.commit();
  }

  abandon(): void {
    this.#file.abandon();
  }

  #write(piece: Piece, at: number): void {
    let [left, position] = [piece, at];
    while (left.length > 0) {
      const written = writevSync(this.#descriptor, left as Uint8Array[], position);
      if (written === 0) throw Object.assign(new Error('Nothing was written.'), { code: 'ENOSPC' });
      position += written;
      left = after(left, written);
    }
  }

  /** Cuts off what was written of a section. */
  #endAt(taken: number): void {
    try {
      if (taken > 0) {
        this.#framing.beginPiece();
        this.#framing.end();
        this.#write(this.#framing.piece(), taken);
      }
      ftruncateSync(this.#descriptor, this.size);
    } catch {
      // The end was there before, and takes no more room now: only a broken disk comes here.
    }
  }
}

/** The parts that follow the first bytes. */
function after(piece: Piece, bytes: number): Piece {
  let skipped = bytes;
  let i = 0;
  for (; i < piece.length && (piece[i] as Uint8Array).length <= skipped; i++)
    skipped -= (piece[i] as Uint8Array).length;
  const [first, ...rest] = piece.slice(i);
  return first === undefined ? [] : [first.subarray(skipped), ...rest];
}

function writeStart(
  framing: FramingV4,
  { trace, metadata, metadataCount, sequencePoint }: SectionStart,
): void {
  framing.start();
  framing.block(trace.kind, trace.bytes);
  for (const { bytes } of metadata.slice(0, metadataCount)) framing.block(BlockKind.Metadata, bytes);
  if (sequencePoint !== undefined) framing.block(sequencePoint.kind, sequencePoint.bytes);
}

const MAGIC_SIZE = 32;

function startSize({ trace, metadata, metadataCount, sequencePoint }: SectionStart): number {
  const all = [
    trace,
    ...metadata.slice(0, metadataCount),
    ...(sequencePoint === undefined ? [] : [sequencePoint]),
  ];
  return all.reduce((sum, { bytes }) => sum + bytes.length + FRAMING_SIZE, MAGIC_SIZE);
}

/**
 * Completes a file that was being written when its writer was killed: it ends after its last whole section.
 *
 * @param partial its path, with its temporary name
 * @returns the whole file; undefined if there is nothing to keep, and the file is removed
 * @throws OutputError, as if it is not a file of this user; the system's error
 */
export async function salvageFile(partial: string): Promise<string | undefined> {
  const path = join(dirname(partial), nameOfPartial(basename(partial)) ?? '');
  const descriptor = openOwnFile(partial);
  try {
    const end = await endOfSections(descriptor);
    if (end === 0) {
      rmSync(partial);
      return undefined;
    }
    // Overwrites a byte, so this takes no room on a full disk.
    writevSync(descriptor, [Uint8Array.of(SerializationTag.NullReference)], end);
    ftruncateSync(descriptor, end + END_SIZE);
  } catch (error) {
    throw new OutputError(partial, error);
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, path);
  return path;
}

/** Returns where the last whole section ends; 0 if there is none. */
async function endOfSections(descriptor: number): Promise<number> {
  const sections = new TraceSections();
  let end = 0;
  let read = 0;
  const chunks = createReadStream('', { fd: descriptor, start: 0, autoClose: false });
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    const last = sections.push(chunk).at(-1);
    if (last !== undefined) end = read + last.end;
    read += chunk.length;
  }
  // The last section of a session may have no sequence point.
  return sections.isAtEnd ? read - END_SIZE : end;
}
