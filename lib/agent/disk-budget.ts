/** The agent's files and their total size: the oldest whole files make room for new ones, or new ones are refused. */
import { mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCounters } from './agent-counters.ts';
import { PARTIAL } from './trace-file.ts';

export interface DiskSettings {
  /** In bytes. */
  readonly limit: number;
  readonly whenFull: 'removeOldest' | 'refuseNew';
}

export class DiskBudget {
  readonly #settings: DiskSettings;
  readonly #counters: AgentCounters;
  /** Whole files by path, the oldest first. */
  readonly #files = new Map<string, number>();
  #used = 0;

  /**
   * @param folders of the files, which are created
   * @throws the system's error
   */
  constructor(folders: readonly string[], settings: DiskSettings, counters: AgentCounters) {
    this.#settings = settings;
    this.#counters = counters;
    counters.diskBudget = settings.limit;
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = folders.flatMap(filesIn).sort((a, b) => a.time - b.time);
    for (const { path, size } of found) this.add(path, size);
  }

  /** Takes room for so many more bytes of files that are being written. @returns false if there is none */
  take(bytes: number): boolean {
    const { limit, whenFull } = this.#settings;
    if (bytes > limit) return false;
    while (this.#used + bytes > limit) {
      if (whenFull === 'refuseNew' || !this.#removeOldest()) return false;
    }
    this.#use(bytes);
    return true;
  }

  /** Gives back what `take` took. */
  release(bytes: number): void {
    this.#use(-bytes);
  }

  /** A file is whole: it may be removed. */
  add(path: string, size: number): void {
    this.#use(size - (this.#files.get(path) ?? 0));
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
    this.#use(-size);
  }

  /** The oldest first. */
  get files(): Iterable<readonly [path: string, size: number]> {
    return [...this.#files];
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** The disk is full, though the budget is not. @returns whether there was a file to remove */
  makeRoom(): boolean {
    return this.#settings.whenFull === 'removeOldest' && this.#removeOldest();
  }

  #removeOldest(): boolean {
    const oldest = this.#files.keys().next().value;
    if (oldest === undefined) return false;
    this.remove(oldest);
    this.#counters.filesRemoved++;
    return true;
  }

  #use(bytes: number): void {
    this.#used += bytes;
    this.#counters.diskUsed = this.#used;
  }
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly time: number;
}

function filesIn(folder: string): FoundFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile() || entry.name.endsWith(PARTIAL)) return [];
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(path);
    return [{ path, size, time: mtimeMs }];
  });
}
