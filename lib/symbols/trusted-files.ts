/**
 * Opens files that a trace names. A trace is not trusted: only regular files are opened, in given folders, without
 * following links out of them, and only those that nobody but this user, root or the recorded process can have written.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** Larger files are not what they claim to be. */
const MAX_FILE_SIZE = 4 * 2 ** 30;
const MAX_TEXT_SIZE = 128 << 20;
const PIECE_SIZE = 1 << 20;
const WRITABLE_BY_ALL = 0o002;

/** Calls `read` with the file, if it may be opened. */
export function openIn<T>(
  folder: string,
  path: string,
  read: (descriptor: number) => T | undefined,
  processId?: number,
): T | undefined {
  try {
    const root = realpathSync(folder);
    const real = realpathSync(join(root, path));
    return real.startsWith(root.endsWith(sep) ? root : root + sep)
      ? openRegular(real, read, (stats) => isTrusted(real, stats, processId))
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws the system's error */
export function openRegular<T>(
  path: string,
  read: (descriptor: number) => T | undefined,
  mayRead: (stats: Stats) => boolean,
): T | undefined {
  const descriptor = openSync(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && stats.size <= MAX_FILE_SIZE && mayRead(stats) ? read(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether a file is by this user or root, as perf demands of maps; or put into a folder of theirs, such as symbols of
 * another machine; or by the user whose process it describes. In folders such as /tmp, everybody can give functions
 * any name.
 */
function isTrusted(path: string, { uid }: Stats, processId: number | undefined): boolean {
  if (isOurs(uid)) return true;
  const folder = statSync(dirname(path));
  if (isOurs(folder.uid) && (folder.mode & WRITABLE_BY_ALL) === 0) return true;
  return processId !== undefined && statSync(`/proc/${processId}`).uid === uid;
}

/** Windows has no such numbers. */
function isOurs(uid: number): boolean {
  return uid === 0 || uid === (process.getuid?.() ?? uid);
}

export function readText(descriptor: number): string | undefined {
  return readBytes(descriptor)?.toString('utf8');
}

/** The kernel's files have no size. */
export function readBytes(descriptor: number): Buffer | undefined {
  if (fstatSync(descriptor).size > MAX_TEXT_SIZE) return undefined;
  const pieces: Buffer[] = [];
  for (let size = 0; size < MAX_TEXT_SIZE; ) {
    const piece = Buffer.allocUnsafe(PIECE_SIZE);
    const count = readSync(descriptor, piece, 0, PIECE_SIZE, null);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
    size += count;
  }
  return undefined;
}
