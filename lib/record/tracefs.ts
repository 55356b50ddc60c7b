/** What the kernel reports about its tracepoints, in the files of tracefs. */
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf, systemCodeText } from '../base/system-code.ts';
import { loadAddon } from '../platform/addon.ts';
import { OwnedDescriptor } from '../platform/owned-descriptor.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { type Tracepoint, USER_EVENTS } from './tracepoint-selection.ts';

const USUAL_ROOT = '/sys/kernel/tracing';
/** TRACEFS_MAGIC of Linux `magic.h`. */
const TRACEFS_MAGIC = 0x74726163;
/** The largest file that is read, saved_cmdlines of all possible processors, has about 100 MB. */
const MAX_FILE_SIZE = 128 << 20;
const CHUNK_SIZE = 64 << 10;
/** A name that a file can have. */
const FILE_NAME = /^(?!\.{1,2}$)[^/\0]+$/;

interface TracepointFiles {
  /** The id by which perf events identify it. */
  readonly id: number;
  readonly format: Uint8Array;
}

export class Tracefs {
  /** The layout of the kernel's pages and events. */
  readonly headerPage: Uint8Array;
  readonly headerEvent: Uint8Array;
  readonly #root: string;

  /** @throws RecorderError if it does not exist, or this user may not read it */
  constructor() {
    this.#root = tracefsRoot();
    try {
      // Of the files that a recording needs, these always exist.
      this.headerPage = this.read('events/header_page');
      this.headerEvent = this.read('events/header_event');
    } catch (error) {
      throw this.#error(error);
    }
  }

  /**
   * The names of a system's tracepoints; none if the system has none yet.
   *
   * @throws RecorderError if the kernel does not list them
   */
  names(system: string): readonly string[] {
    try {
      const entries = readdirSync(this.path(`events/${system}`), { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      // If one tracepoint has a "/" in its name, the kernel lists none: EIO on Linux 6.12, EINVAL on 7.3.
      if (system === USER_EVENTS) return this.#registeredNames();
      throw unlisted(system, error);
    }
  }

  /** `undefined` if there is no such tracepoint. */
  files({ system, name }: Tracepoint): TracepointFiles | undefined {
    if (!FILE_NAME.test(system) || !FILE_NAME.test(name)) return undefined;
    try {
      const folder = `events/${system}/${name}`;
      const id = this.read(`${folder}/id`).toString();
      return /^\d+\n$/.test(id) ? { id: Number(id), format: this.read(`${folder}/format`) } : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * The content of a file of tracefs, and of no other file that has taken its place.
   *
   * @param path from the root of tracefs
   * @throws the system's error
   */
  read(path: string): Buffer {
    // Does not follow a link, or open a pipe that waits for a writer.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(this.path(path), flags);
    try {
      if (statfsSync(`/proc/self/fd/${descriptor}`).type !== TRACEFS_MAGIC) {
        throw new RecorderError(`${this.path(path)} is not a file of tracefs.`);
      }
      return readAll(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * A descriptor of the kernel's tracer, for registering tracepoints and writing to them.
   *
   * @throws RecorderError
   */
  openUserEventsData(): OwnedDescriptor {
    const path = this.path('user_events_data');
    try {
      return new OwnedDescriptor(openSync(path, constants.O_RDWR | constants.O_NOFOLLOW));
    } catch (error) {
      throw new RecorderError(`${path} could not be opened (${systemCodeText(error)}).`);
    }
  }

  /** @param path from the root of tracefs */
  path(path: string): string {
    return join(this.#root, path);
  }

  /**
   * Returns the names of user_events from the only other file that lists them: one name per line, and who records it.
   */
  #registeredNames(): readonly string[] {
    try {
      const lines = this.read('user_events_status').toString().split('\n');
      return lines.map((line) => line.split(' ', 1)[0] ?? '').filter((name) => name !== '');
    } catch (error) {
      throw unlisted(USER_EVENTS, error);
    }
  }

  #error(error: unknown): RecorderError {
    if (error instanceof RecorderError) return error;
    const code = systemCodeText(error);
    if (code === 'ENOENT') {
      return new RecorderError(
        `There are no tracepoints in ${this.#root}. As root: mount -t tracefs nodev ${USUAL_ROOT}`,
      );
    }
    const group = process.getgid?.();
    return new RecorderError(
      `This user may not read the tracepoints in ${this.#root} (${code}). ` +
        `As root: mount -o remount,mode=755,gid=${group} ${this.#root}`,
      code,
    );
  }
}

/** What a recording needs of it. */
export type TracefsFiles = Pick<
  Tracefs,
  'headerPage' | 'headerEvent' | 'names' | 'files' | 'read' | 'openUserEventsData'
>;

/** A recording that does without tracefs has these. */
export const NO_TRACEFS: TracefsFiles = {
  headerPage: new Uint8Array(0),
  headerEvent: new Uint8Array(0),
  names: () => [],
  files: () => undefined,
  read: () => Buffer.alloc(0),
  openUserEventsData: () => {
    throw new RecorderError('This recording has no access to the tracer of the kernel.');
  },
};

/** The sizes that tracefs reports for its files are meaningless. */
function readAll(descriptor: number): Buffer {
  const chunks: Buffer[] = [];
  for (let size = 0; size < MAX_FILE_SIZE; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_SIZE);
    const read = readSync(descriptor, chunk, 0, CHUNK_SIZE, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  return Buffer.concat(chunks);
}

function unlisted(system: string, error: unknown): RecorderError {
  return new RecorderError(
    `The kernel does not list the tracepoints of ${system} (${systemCodeText(error)}).`,
  );
}

/** The mount point of tracefs; the usual one if no other is known. */
function tracefsRoot(): string {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const roots = mounts.flatMap((line) => {
    const [, folder, type] = line.split(' ');
    return type === 'tracefs' && folder !== undefined ? [folder] : [];
  });
  return roots.includes(USUAL_ROOT) ? USUAL_ROOT : (roots[0] ?? USUAL_ROOT);
}

/**
 * What is missing if no permission would help, as a sentence, or nothing. A missing permission is reported when the
 * recording starts, with the command that grants it.
 */
export function missingTracer(): string | undefined {
  if (process.platform !== 'linux') return `There is no tracer for user_events on ${process.platform}.`;
  const addon = loadAddon();
  if ('reason' in addon) return addon.reason;
  const root = tracefsRoot();
  if (isMissing(join(root, 'events'))) return `There are no tracepoints in ${root}: tracefs is not mounted.`;
  if (isMissing(join(root, 'user_events_data'))) return 'This kernel has no user_events.';
  return undefined;
}

/** What cannot be examined may exist. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT';
  }
}
