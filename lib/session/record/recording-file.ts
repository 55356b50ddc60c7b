/** The perf.data file of a recording: begun, filled by the recorder, ended. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { RecorderError } from '../../platform/recorder-error.ts';
import type { RecordingFacts } from '../../wire/perf-data/write/features.ts';
import { fileEnd, HEADER_SIZE, UNFINISHED_HEADER } from '../../wire/perf-data/write/file.ts';
import { lastRecordEnd } from './last-record.ts';
import { keepOldFile } from './old-file.ts';

/** File systems give away whole blocks: room for an end that is larger by this is surely enough. */
const BLOCKS = 1 << 16;

export class RecordingFile {
  readonly path: string;
  readonly descriptor: number;

  /**
   * Creates the file. One that is there is renamed to FILE.old.
   *
   * @throws RecorderError
   */
  constructor(path: string) {
    this.path = path;
    try {
      keepOldFile(path);
      this.descriptor = openSync(path, 'w+', 0o600);
    } catch (error) {
      throw this.#unwritable(error);
    }
    this.append(UNFINISHED_HEADER);
  }

  /** @throws RecorderError */
  append(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /**
   * Writes what stands around the records, and closes the file. On a full disk the last records give way.
   *
   * @param last one more record, or nothing
   * @returns whether all records are in the file
   * @throws RecorderError
   */
  end(facts: RecordingFacts, last: Uint8Array): boolean {
    try {
      return this.#end(facts, last);
    } catch (error) {
      throw new RecorderError(`${this.path} could not be ended, and is of no use (${codeOf(error)}).`);
    } finally {
      closeSync(this.descriptor);
    }
  }

  #end(facts: RecordingFacts, last: Uint8Array): boolean {
    const size = fstatSync(this.descriptor).size;
    const { header, tail } = fileEnd(size + last.length - HEADER_SIZE, facts);
    try {
      this.#write(last, size);
      this.#write(tail, size + last.length);
      this.#write(header, 0);
      return true;
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
    }
    const read = (offset: number, buffer: Uint8Array) =>
      readSync(this.descriptor, buffer, 0, buffer.length, offset);
    const end = lastRecordEnd(read, HEADER_SIZE, size - tail.length - BLOCKS);
    ftruncateSync(this.descriptor, end);
    const shorter = fileEnd(end - HEADER_SIZE, facts);
    this.#write(shorter.tail, end);
    this.#write(shorter.header, 0);
    return false;
  }

  #unwritable(error: unknown): RecorderError {
    return new RecorderError(`${this.path} cannot be written (${codeOf(error)}).`);
  }

  #write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.descriptor, bytes, done, bytes.length - done, position + done);
    }
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
