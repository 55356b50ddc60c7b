/** What the kernel tells of its tracepoints, in the files of tracefs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecorderError, RecorderPermissionError } from '../../platform/recorder-error.ts';
import type { Tracepoint } from './selection.ts';

const USUAL_ROOT = '/sys/kernel/tracing';

export interface TracepointFiles {
  /** What perf events know it by. */
  readonly id: number;
  readonly format: Uint8Array;
}

export class Tracefs {
  readonly #root: string;

  /** @throws RecorderError if it is not there, or this user may not read it */
  constructor() {
    this.#root = tracefsRoot();
    try {
      // Of all files a recording needs, this one is always there.
      this.read('events/header_page');
    } catch (error) {
      throw this.#error(error);
    }
  }

  /** The names of a system's tracepoints; none where the system has none yet. */
  names(system: string): readonly string[] {
    try {
      const entries = readdirSync(join(this.#root, 'events', system), { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    } catch {
      return [];
    }
  }

  /** `undefined` where there is no such tracepoint. */
  files({ system, name }: Tracepoint): TracepointFiles | undefined {
    try {
      const folder = join('events', system, name);
      return { id: Number(this.read(`${folder}/id`).toString()), format: this.read(`${folder}/format`) };
    } catch {
      return undefined;
    }
  }

  /** @param path from the root of tracefs */
  read(path: string): Buffer {
    return readFileSync(this.path(path));
  }

  /** @param path from the root of tracefs */
  path(path: string): string {
    return join(this.#root, path);
  }

  #error(error: unknown): RecorderError {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === 'ENOENT') {
      return new RecorderError(
        `There are no tracepoints in ${this.#root}. As root: mount -t tracefs nodev ${USUAL_ROOT}`,
      );
    }
    const group = process.getgid?.();
    return new RecorderPermissionError(
      `This user may not read the tracepoints in ${this.#root} (${code}). ` +
        `As root: mount -o remount,mode=755,gid=${group} ${this.#root}`,
    );
  }
}

/** Where tracefs is mounted; the usual place where nothing else is known. */
export function tracefsRoot(): string {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const roots = mounts.flatMap((line) => {
    const [, folder, type] = line.split(' ');
    return type === 'tracefs' && folder !== undefined ? [folder] : [];
  });
  return roots.includes(USUAL_ROOT) ? USUAL_ROOT : (roots[0] ?? USUAL_ROOT);
}
