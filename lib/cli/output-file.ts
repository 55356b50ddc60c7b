/** A file that a command writes; it gets its name only when it is complete. */
import { once } from 'node:events';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { printableLines } from '../base/printable.ts';
import { UsageError } from './parse-options.ts';

export interface OutputFile {
  write(piece: string | Uint8Array): Promise<void>;
  /** Bytes written; undefined for standard output. */
  readonly size: number | undefined;
  /** Completes the file. */
  commit(): Promise<void>;
  /** Gives the file up, and deletes what has been written. */
  abandon(): Promise<void>;
}

/** @param path `-` is standard output */
export async function openOutput(path: string): Promise<OutputFile> {
  if (path === '-') return new StandardOutput();
  const isOther = (await stat(path).catch(() => undefined))?.isFile() === false;
  // Devices and pipes are written to, not replaced.
  if (isOther) return new NamedOutput(await open(path, 'w'), path, path);
  const target = await realpath(path).catch(() => path);
  const part = `${target}.part`;
  return new NamedOutput(await open(part, 'w'), part, target);
}

class StandardOutput implements OutputFile {
  readonly size = undefined;

  async write(piece: string | Uint8Array): Promise<void> {
    const written = process.stdout.isTTY === true ? shownOnTerminal(piece) : piece;
    if (written.length > 0 && !process.stdout.write(written)) await once(process.stdout, 'drain');
  }

  async commit(): Promise<void> {}

  async abandon(): Promise<void> {}
}

/** @throws UsageError for binary data */
function shownOnTerminal(piece: string | Uint8Array): string {
  if (typeof piece === 'string') return printableLines(piece.replaceAll('\r\n', '\n'));
  throw new UsageError(
    'A terminal cannot show binary data: name a file, or redirect standard output to one.',
  );
}

class NamedOutput implements OutputFile {
  readonly #handle: FileHandle;
  readonly #part: string;
  readonly #target: string;
  size = 0;

  constructor(handle: FileHandle, part: string, target: string) {
    this.#handle = handle;
    this.#part = part;
    this.#target = target;
  }

  async write(piece: string | Uint8Array): Promise<void> {
    if (piece.length === 0) return;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    await this.#handle.writeFile(bytes);
    this.size += bytes.length;
  }

  async commit(): Promise<void> {
    await this.#handle.close();
    if (this.#part !== this.#target) await rename(this.#part, this.#target);
  }

  async abandon(): Promise<void> {
    await this.#handle.close();
    if (this.#part !== this.#target) await rm(this.#part, { force: true });
  }
}
