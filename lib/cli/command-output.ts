/** What a command writes as a whole: a file that gets its name when it is complete, or standard output. */
import { once } from 'node:events';
import { write } from 'node:fs';
import { promisify } from 'node:util';
import { OutputError, OutputFile } from '../base/output-file.ts';
import { printableLines } from '../base/printable.ts';
import { failOnOutput } from './messages.ts';
import { UsageError } from './parse-options.ts';
import { removeAtSignals } from './stop-request.ts';

export interface CommandOutput {
  /** @throws OutputError */
  write(piece: string | Uint8Array): Promise<void>;
  /** Bytes written; undefined for standard output. */
  readonly size: number | undefined;
  /** Completes the file. @throws OutputError */
  commit(): void;
  /** Gives the file up, and deletes what has been written. */
  abandon(): void;
}

interface RecordingOutput {
  /** Whether an existing file becomes FILE.old. */
  readonly keepsOld: boolean | undefined;
}

/**
 * Writes the output by `work`. Whatever prevents its completion, also a signal, leaves nothing behind.
 *
 * @param path `-` is standard output
 * @param recording given if what has been written is worth keeping: the file has its name from the first byte on
 * @throws OutputError, or what the work throws
 */
export async function withOutput<Result>(
  path: string,
  work: (output: CommandOutput) => Promise<Result>,
  recording?: RecordingOutput,
): Promise<Result> {
  return withTemporaries(async () => {
    const output = STANDARD_OUTPUT.test(path) ? new StandardOutput() : new NamedOutput(path, recording);
    try {
      const result = await work(output);
      output.commit();
      return result;
    } catch (error) {
      output.abandon();
      throw error;
    }
  });
}

/** Does work whose temporary files and folders must not remain if a signal ends the command meanwhile. */
export async function withTemporaries<Result>(work: () => Promise<Result>): Promise<Result> {
  const release = removeAtSignals();
  try {
    return await work();
  } finally {
    release();
  }
}

const writeAsync = promisify(write);
/** Standard output can also be named by its descriptor: it may be a socket, which cannot be opened again. */
const STANDARD_OUTPUT = /^(?:-|\/dev\/(?:stdout|fd\/1)|\/proc\/self\/fd\/1)$/;

/** Unlike lines, of which a reader may want the first ones only, it is complete or worth nothing. */
export class StandardOutput implements CommandOutput {
  readonly size = undefined;

  constructor() {
    process.stdout.prependListener('error', failOnOutput);
  }

  async write(piece: string | Uint8Array): Promise<void> {
    const written = process.stdout.isTTY === true ? shownOnTerminal(piece) : piece;
    if (written.length > 0 && !process.stdout.write(written)) await once(process.stdout, 'drain');
  }

  commit(): void {}

  abandon(): void {}
}

/** @throws UsageError for binary data */
function shownOnTerminal(piece: string | Uint8Array): string {
  if (typeof piece === 'string') return printableLines(piece.replaceAll('\r\n', '\n'));
  throw new UsageError(
    'A terminal cannot show binary data: name a file, or redirect standard output to one.',
  );
}

class NamedOutput implements CommandOutput {
  readonly #file: OutputFile;
  readonly #recording: RecordingOutput | undefined;
  size = 0;

  constructor(path: string, recording: RecordingOutput | undefined) {
    this.#file = new OutputFile(path, { allowsPipe: true });
    this.#recording = recording;
  }

  async write(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    try {
      if (this.size === 0 && this.#recording !== undefined) this.#file.take(this.#recording.keepsOld);
      for (let done = 0; done < bytes.length; ) {
        done += (await writeAsync(this.#file.descriptor, bytes, done)).bytesWritten;
      }
    } catch (error) {
      throw error instanceof OutputError ? error : new OutputError(this.#file.path, error);
    }
    this.size += bytes.length;
  }

  commit(): void {
    // A recording of nothing does not replace another.
    if (this.size === 0 && this.#recording !== undefined) this.#file.abandon();
    else this.#file.commit();
  }

  abandon(): void {
    this.#file.abandon();
  }
}
