/**
 * The sockets that processes open in the folders of diagnostic ports: each start is noticed, so that processes that live
 * for less than the time between two searches are found, or counted.
 */
import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '../diagnostics/port-folders.ts';
import { parsePortName } from '../wire/diagnostics-ipc/port-name.ts';

/** Those of containers are watched as well, once a process has been found there. */
const MAX_FOLDERS = 256;
/** Anyone can create files with such names. */
const MAX_KNOWN = 8192;
/** A process that has not been found by then is not there to be found. */
const PATIENCE_MS = 60_000;

export class PortWatch {
  readonly #onStart: () => void;
  readonly #onMissed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Sockets in order of their coming: what has become of their processes, or since when these have to be found. */
  readonly #known = new Map<string, 'found' | 'missed' | number>();

  /** @param onMissed called for each process that has started and can no longer be found */
  constructor(onStart: () => void, onMissed: () => void) {
    this.#onStart = onStart;
    this.#onMissed = onMissed;
    this.#watchFolder(temporaryFolder());
  }

  /** The process has been found at this address, even if it does not answer. */
  found(address: string): void {
    const folder = dirname(address);
    this.#watchFolder(folder);
    this.#note(`${identityOf(folder)} ${basename(address)}`, 'found');
  }

  /** Gives up those that have not been found for long. To be called from time to time. */
  tick(): void {
    const oldest = performance.now() - PATIENCE_MS;
    for (const [key, state] of this.#known) if (typeof state === 'number' && state < oldest) this.#miss(key);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #watchFolder(folder: string): void {
    const identity = identityOf(folder);
    if (identity === undefined || this.#watchers.has(identity) || this.#watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#notice(folder, identity, name));
      // The folder of a container that ends: searches still find what comes in another.
      const forget = () => {
        watcher.close();
        this.#watchers.delete(identity);
      };
      watcher.on('error', forget);
      this.#watchers.set(identity, watcher);
      // Searches find those that still have a process.
      for (const name of readdirSync(folder)) if (isPort(name)) this.#note(`${identity} ${name}`, 'found');
    } catch {
      // Without watching, searches find what lives long enough.
    }
  }

  #notice(folder: string, identity: string, name: string | null): void {
    if (name === null || !isPort(name)) return;
    const key = `${identity} ${name}`;
    const state = this.#known.get(key);
    if (lstatSync(join(folder, name), { throwIfNoEntry: false }) === undefined) {
      if (state === undefined || typeof state === 'number') this.#miss(key);
    } else if (state === undefined) {
      this.#note(key, performance.now());
      this.#onStart();
    }
  }

  #miss(key: string): void {
    this.#note(key, 'missed');
    this.#onMissed();
  }

  #note(key: string, state: 'found' | 'missed' | number): void {
    this.#known.set(key, state);
    if (this.#known.size <= MAX_KNOWN) return;
    const [oldest, before] = this.#known.entries().next().value as [string, string | number];
    this.#known.delete(oldest);
    if (typeof before === 'number') this.#onMissed();
  }
}

function isPort(name: string): boolean {
  return parsePortName(name)?.key !== undefined;
}

/** Containers see the same folder at different paths. */
function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
