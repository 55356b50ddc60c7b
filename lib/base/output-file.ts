/**
 * The one way to make a file. Its folder may belong to others, who plant links, pipes and files under the names that
 * they expect: so the file begins under a name that nobody can guess, which must be new, and then replaces whatever has
 * its final name; nothing that exists is opened, followed or written to. It is for its owner alone unless asked
 * otherwise, because traces contain what others must not see.
 */
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { systemCodeOf, systemCodeText } from './system-code.ts';
import { keep, removeAtExit, removeNow } from './temporaries.ts';

const PRIVATE = 0o600;
/** A temporary name, which ends in `.partial`, has this many random bytes. */
const RANDOM_BYTES = 6;
/** Windows has no such flag, and needs none: creating a link there takes privileges. */
const { O_NOFOLLOW = 0 } = constants;
/** Paths of what this process has been given open: they are links, and only the system makes them. */
const OWN_DESCRIPTOR = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** A file that cannot be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  /** The system's code, such as `ENOSPC`; undefined if the file is refused for another reason. */
  readonly code: string | undefined;
  /** The reason as it stands in the message's brackets. */
  readonly reason: string;

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof OutputError ? cause.reason : systemCodeText(cause);
    super(`${path} cannot be written (${reason}).`, { cause });
    this.reason = reason;
    this.code = systemCodeOf(cause);
  }
}

export interface OutputFileOptions {
  /** The mode before the umask; by default, only its owner may read it. */
  readonly mode?: number | undefined;
  /** Its owner, if that is not this user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Whether it stays under its temporary name if the process exits: somebody will complete it. */
  readonly isSalvageable?: boolean;
  /** Whether the name may be that of a pipe, whose opening waits for a reader; by default, it is refused. */
  readonly allowsPipe?: boolean;
}

export class OutputFile {
  readonly path: string;
  readonly descriptor: number;
  /** Its temporary name; empty once it has the final one, and for a device or a pipe, which is written to directly. */
  #part = '';
  #isOpen = true;

  /** @throws OutputError */
  constructor(
    path: string,
    { mode = PRIVATE, owner, isSalvageable, allowsPipe = false }: OutputFileOptions = {},
  ) {
    this.path = path;
    try {
      const direct = openDirectly(path, allowsPipe);
      if (direct !== undefined) {
        this.descriptor = direct;
        return;
      }
      this.#part = temporaryName(path);
      this.descriptor = createFile(this.#part, mode);
      if (isSalvageable === true) keep(this.#part);
    } catch (error) {
      throw error instanceof OutputError ? error : new OutputError(path, error);
    }
    try {
      if (owner !== undefined) fchownSync(this.descriptor, owner.uid, owner.gid);
    } catch (error) {
      this.abandon();
      throw new OutputError(path, error);
    }
  }

  /** Writes all of it. @throws OutputError */
  write(bytes: Uint8Array, position: number | null = null): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        const at = position === null ? null : position + done;
        done += writeSync(this.descriptor, bytes, done, bytes.length - done, at);
      }
    } catch (error) {
      throw new OutputError(this.path, error);
    }
  }

  /**
   * Gives an open file its final name already: what will have been written if the process is killed is worth keeping.
   *
   * @param keepsOld whether an existing file becomes FILE.old, as with perf
   * @throws OutputError
   */
  take(keepsOld = false): void {
    if (this.#part === '') return;
    const part = this.#part;
    const rename = () => renameSync(part, this.path);
    try {
      if (keepsOld) replacingFile(this.path, rename, () => renameSync(this.path, part));
      else rename();
    } catch (error) {
      throw new OutputError(this.path, error);
    }
    this.#part = '';
    keep(part);
  }

  /** Closes the file, and gives it its final name. @throws OutputError if it could not be written after all */
  commit(): void {
    try {
      this.#close();
      this.take();
    } catch (error) {
      this.abandon();
      throw error instanceof OutputError ? error : new OutputError(this.path, error);
    }
  }

  /** Closes the file, and removes it unless it has its final name. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // Nobody misses what it lacks.
    }
    if (this.#part !== '') removeNow(this.#part, unlinkSync);
    this.#part = '';
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.descriptor);
  }
}

/**
 * Writes a small file as a whole.
 *
 * @throws OutputError
 */
export function writeOutput(path: string, content: string | Uint8Array, options?: OutputFileOptions): void {
  const file = new OutputFile(path, options);
  try {
    file.write(typeof content === 'string' ? Buffer.from(content) : content);
  } catch (error) {
    file.abandon();
    throw error;
  }
  file.commit();
}

/**
 * Creates a file that does not exist, and is removed at the latest when the process exits, unless it is kept.
 *
 * @returns its descriptor, for reading and writing
 * @throws OutputError, or the system's error
 */
export function createFile(path: string, mode = PRIVATE): number {
  const descriptor = openSync(
    path,
    constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW,
    mode,
  );
  removeAtExit(path, unlinkSync);
  try {
    // On a file system that stores no owners, or others, the file would be somebody else's.
    requireOwn(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    removeNow(path, unlinkSync);
    throw error;
  }
}

/**
 * Opens a file that this user has created before, for reading and writing: no link, nobody else's, under no second name.
 *
 * @throws OutputError, or the system's error
 */
export function openOwnFile(path: string): number {
  const descriptor = openSync(path, constants.O_RDWR | O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    requireOwn(path, stats);
    if (!stats.isFile()) throw refusal(path, 'it is not a regular file');
    if (stats.nlink !== 1) throw refusal(path, 'it has other names, too');
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Opens a file in place of an existing one, which becomes FILE.old once the new one is open. If this throws, FILE and
 * FILE.old are unchanged.
 *
 * @param open creates the file
 * @param discard closes what was opened, because FILE.old cannot be replaced
 * @throws what `open` throws, or the system's error
 */
export function replacingFile<Opened>(
  path: string,
  open: () => Opened,
  discard: (opened: Opened) => void,
): Opened {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return open();
  const aside = `${path}.${process.pid}.old`;
  renameSync(path, aside);
  let opened: { readonly it: Opened } | undefined;
  try {
    opened = { it: open() };
    renameSync(aside, `${path}.old`);
    return opened.it;
  } catch (error) {
    if (opened !== undefined) discard(opened.it);
    renameSync(aside, path);
    throw error;
  }
}

/** FILE.TIME, for one of several: local time like in perf's names, down to milliseconds. */
export function dumpName(path: string): string {
  const time = new Date();
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return `${path}.${local.toISOString().replaceAll(/\D/g, '')}`;
}

/** The temporary file is in the same folder: only there can it be renamed. */
function temporaryName(path: string): string {
  // Not imported: see `providerGuid`.
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  return `${path}.${randomBytes(RANDOM_BYTES).toString('hex')}.partial`;
}

/** The final name of a file that was left behind incomplete; undefined if the name is none of ours. */
export function nameOfPartial(name: string): string | undefined {
  return /^(.+?)(?:\.[\da-f]{12})?\.partial$/s.exec(name)?.[1];
}

/** @returns undefined for a file; devices and pipes are written to, not replaced */
function openDirectly(path: string, allowsPipe: boolean): number | undefined {
  const { O_WRONLY, O_RDWR } = constants;
  if (OWN_DESCRIPTOR.test(path)) return openSync(path, O_WRONLY);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  if (found.isCharacterDevice()) return openSync(path, O_RDWR | O_NOFOLLOW);
  if (found.isFIFO() && !allowsPipe) throw refusal(path, 'it is a pipe');
  if (found.isFIFO()) {
    requireOwn(path, found);
    const descriptor = openSync(path, O_WRONLY | O_NOFOLLOW);
    requireOwn(path, fstatSync(descriptor));
    return descriptor;
  }
  const isFolder = (stats: Stats | undefined) => stats?.isDirectory() === true;
  if (isFolder(found) || isFolder(statSync(path, { throwIfNoEntry: false }))) {
    throw refusal(path, 'it is a folder');
  }
  if (found.isSymbolicLink()) return undefined;
  throw refusal(path, 'it is neither a file nor a device nor a pipe');
}

function requireOwn(path: string, { uid }: Stats): void {
  if (uid === (process.geteuid?.() ?? uid)) return;
  throw refusal(path, `it belongs to another user, ${uid}`);
}

function refusal(path: string, reason: string): OutputError {
  return new OutputError(path, { toString: () => reason });
}
