/**
 * The agent's files and their total size: whole files make room for new ones, or new ones are refused. A process that
 * writes more than its share makes room with files of its own, so that it does not remove those of all others.
 */
import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolders } from '../base/folders.ts';
import { nameOfPartial } from '../base/output-file.ts';
import type { AgentCounters } from './agent-counters.ts';

interface DiskSettings {
  /** The limit is in bytes. */
  readonly limit: number;
  readonly whenFull: 'removeOldest' | 'refuseNew';
}

export class DiskBudget {
  readonly #settings: DiskSettings;
  readonly #counters: AgentCounters;
  /** Whole files by path, the oldest first. */
  readonly #files = new Map<string, number>();
  #used = 0;
  /** The key is the process, the value its bytes. */
  readonly #useOf = new Map<string, number>();

  /**
   * @param folders of the files, which are created
   * @throws the system's error
   */
  constructor(folders: readonly string[], settings: DiskSettings, counters: AgentCounters) {
    this.#settings = settings;
    this.#counters = counters;
    counters.diskBudget = settings.limit;
    for (const folder of folders) makeFolders(folder, 0o700);
    const found = folders.flatMap(filesIn).sort((a, b) => a.time - b.time);
    for (const { path, size } of found) this.add(path, size);
  }

  /**
   * Takes room for so many more bytes of a file that is being written, or of what is made of it.
   *
   * @returns false if there is none
   */
  take(path: string, bytes: number): boolean {
    const { limit, whenFull } = this.#settings;
    if (bytes > limit) return false;
    if (whenFull === 'refuseNew') {
      // Nothing is ever removed: while there are others, each leaves as much free for them as it has.
      const own = this.#counters.processes > 1 ? this.#usedBy(path) + bytes : 0;
      if (this.#used + bytes + own > limit) return false;
    } else {
      while (this.#used + bytes > limit) if (!this.#removeFor(path)) return false;
    }
    this.#use(path, bytes);
    return true;
  }

  /** Gives back what `take` took. */
  release(path: string, bytes: number): void {
    this.#use(path, -bytes);
  }

  /** A file is whole: it may be removed. */
  add(path: string, size: number): void {
    this.#use(path, size - (this.#files.get(path) ?? 0));
    this.#files.delete(path);
    this.#files.set(path, size);
  }

  /** A file is no longer needed. */
  remove(path: string): void {
    const size = this.#files.get(path) ?? 0;
    this.#files.delete(path);
    try {
      unlinkSync(path);
    } catch {
      // Somebody has removed or moved it.
    }
    this.#use(path, -size);
  }

  /** The oldest first. */
  get files(): Iterable<readonly [path: string, size: number]> {
    return [...this.#files];
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** The disk is full for a file, though the budget is not. @returns whether there was a file to remove */
  makeRoom(path: string): boolean {
    return this.#settings.whenFull === 'removeOldest' && this.#removeFor(path);
  }

  /**
   * Removes the oldest file of the same process, if this one has more than its share; otherwise of those that have
   * more; otherwise of all.
   */
  #removeFor(path: string): boolean {
    const share = this.#settings.limit / Math.max(1, this.#counters.processes);
    const isOver = (file: string) => this.#usedBy(file) > share;
    const owner = ownerOf(path);
    const files = [...this.#files.keys()];
    const own = isOver(path) ? files.find((file) => ownerOf(file) === owner) : undefined;
    const victim = own ?? files.find(isOver) ?? files[0];
    if (victim === undefined) return false;
    this.remove(victim);
    this.#counters.filesRemoved++;
    return true;
  }

  #usedBy(path: string): number {
    return this.#useOf.get(ownerOf(path)) ?? 0;
  }

  #use(path: string, bytes: number): void {
    this.#used += bytes;
    this.#counters.diskUsed = this.#used;
    const owner = ownerOf(path);
    const used = this.#usedBy(path) + bytes;
    if (used === 0) this.#useOf.delete(owner);
    else this.#useOf.set(owner, used);
  }
}

/** The service and process in the name of a file, which is also in those of its tables: `shop@4711`. */
function ownerOf(path: string): string {
  return /^[^@]*@\d+/.exec(basename(path))?.[0] ?? '';
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly time: number;
}

function filesIn(folder: string): FoundFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile() || nameOfPartial(entry.name) !== undefined) return [];
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(path);
    return [{ path, size, time: mtimeMs }];
  });
}
