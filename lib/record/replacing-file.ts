/** Replaces a file, and keeps the existing one as FILE.old, like perf; and the names of dumps. */
import { renameSync, statSync } from 'node:fs';

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
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return open();
  const aside = `${path}.${process.pid}.old`;
  renameSync(path, aside);
  let opened: Opened | undefined;
  try {
    opened = open();
    renameSync(aside, `${path}.old`);
    return opened;
  } catch (error) {
    if (opened !== undefined) discard(opened);
    renameSync(aside, path);
    throw error;
  }
}

/** FILE.TIME: local time like in perf's names, down to milliseconds. */
export function dumpName(path: string): string {
  const time = new Date();
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return `${path}.${local.toISOString().replaceAll(/\D/g, '')}`;
}
