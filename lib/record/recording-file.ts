/**
 * The perf.data file of a recording: created, filled by the recorder, completed. Until it is complete it has perf's
 * pipe format, which is valid wherever it stops: a killed recording keeps everything it had. Completing it turns it
 * into a file as perf writes it.
 */
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { viewOf } from '../base/bytes.ts';
import { OutputError, OutputFile, type OutputFileOptions } from '../base/output-file.ts';
import { isFull, systemCodeText } from '../base/system-code.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { RECORD_HEAD_SIZE } from '../wire/perf-data/constants.ts';
import { DESCRIPTIONS_SIZE, Descriptions } from '../wire/perf-data/write/descriptions.ts';
import type { RecordedEvent, RecordingFacts, StartFacts } from '../wire/perf-data/write/features.ts';
import { fileEnd } from '../wire/perf-data/write/file.ts';
import { passedRecords, recordingStart } from '../wire/perf-data/write/pipe.ts';
import type { TracingData } from '../wire/perf-data/write/tracing-data.ts';

/** File systems allocate whole blocks: this much more room for the end is certainly enough. */
const BLOCKS = 1 << 16;

export type FileOwner = NonNullable<OutputFileOptions['owner']>;

export class RecordingFile {
  readonly path: string;
  readonly descriptor: number;
  readonly #file: OutputFile;
  /** The records start here. */
  #start = 0;
  #descriptions: Descriptions | undefined;
  /** What is between the records only for readers of a pipe. */
  readonly #announcements: { readonly position: number; readonly size: number }[] = [];

  /**
   * Creates the file under a temporary name; `take` gives it the final one. Only its owner can read it.
   *
   * @param owner if different from this user
   * @throws RecorderError
   */
  constructor(path: string, owner?: FileOwner) {
    this.path = path;
    try {
      this.#file = new OutputFile(path, { owner });
    } catch (error) {
      throw this.#unwritable(error);
    }
    this.descriptor = this.#file.descriptor;
    const stats = fstatSync(this.descriptor);
    if (stats.isFile() || stats.isCharacterDevice()) return;
    this.abandon();
    throw this.#unwritable('it is neither a file nor a device');
  }

  /**
   * Writes what precedes the records.
   *
   * @throws RecorderError
   */
  begin(facts: StartFacts): void {
    const start = recordingStart(facts);
    // The header of the completed file replaces it, and is far larger.
    this.#start = start.length + DESCRIPTIONS_SIZE;
    this.#descriptions = new Descriptions(start.length);
    this.append(start);
    this.append(new Uint8Array(DESCRIPTIONS_SIZE));
  }

  /**
   * Makes the events known to readers, whenever the recording ends.
   *
   * @returns false if there is no room for so many
   * @throws RecorderError
   */
  describe(events: readonly RecordedEvent[], formats: TracingData): boolean {
    const pieces = this.#descriptions?.describe(events, formats);
    try {
      for (const { position, bytes } of pieces ?? []) this.#file.write(bytes, position);
    } catch (error) {
      throw this.#unwritable(error);
    }
    return pieces !== undefined;
  }

  /** Takes its final name; an existing file becomes FILE.old. @throws RecorderError */
  take(): void {
    try {
      this.#file.take(true);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** @returns their position @throws RecorderError */
  append(bytes: Uint8Array): number {
    try {
      const { size } = fstatSync(this.descriptor);
      this.#file.write(bytes);
      return size;
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** Registers an announcement that has been appended. */
  hasAnnouncement(position: number, size: number): void {
    this.#announcements.push({ position, size });
  }

  /** Closes the file, and deletes it unless it has taken its name. */
  abandon(): void {
    this.#file.abandon();
  }

  /**
   * Writes what surrounds the records, and closes the file. On a full disk, the last records are sacrificed.
   *
   * @param last one more record, or nothing
   * @returns whether all records are in the file
   * @throws RecorderError
   */
  end(facts: RecordingFacts, last: Uint8Array): boolean {
    try {
      return this.#end(facts, last);
    } catch (error) {
      throw new RecorderError(
        `${this.path} could not be completed (${systemCodeText(error)}), and may lack events.`,
      );
    } finally {
      this.#file.commit();
    }
  }

  #end(facts: RecordingFacts, last: Uint8Array): boolean {
    const size = fstatSync(this.descriptor).size;
    const { header, tail } = fileEnd(this.#start, size + last.length - this.#start, facts);
    try {
      this.#file.write(last, size);
      this.#file.write(tail, size + last.length);
      this.#file.write(header, 0);
      this.#passAnnouncements();
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    // From here on, only the end describes the events.
    this.#passAnnouncements();
    const read = (offset: number, buffer: Uint8Array) =>
      readSync(this.descriptor, buffer, 0, buffer.length, offset);
    const end = lastRecordEnd(read, this.#start, size - tail.length - BLOCKS);
    ftruncateSync(this.descriptor, end);
    const shorter = fileEnd(this.#start, end - this.#start, facts);
    this.#file.write(shorter.tail, end);
    this.#file.write(shorter.header, 0);
    return false;
  }

  /** Makes readers of the completed file skip the descriptions that precede it. */
  #passAnnouncements(): void {
    for (const { position, size } of this.#announcements) {
      for (const { offset, head } of passedRecords(size)) this.#file.write(head, position + offset);
    }
  }

  #unwritable(error: unknown): RecorderError {
    return new RecorderError(new OutputError(this.path, error).message);
  }
}

/** Where the records of a perf.data file can be cut. */
const CHUNK_SIZE = 1 << 20;
/** The position of the size in a record header. */
const SIZE_OFFSET = 6;

/**
 * The end of the last record that ends at `limit` or before.
 *
 * @param read fills the buffer from this offset, and returns the number of bytes
 * @param start of the first record; the result if the limit is before its end
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
