/** A small disk, so that one can test what happens when it is full. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Why there can be none here; undefined where there can. */
export const noSmallDisk = mountProblem();

/** A write of more than fits takes what fits; then smaller ones may find room that has just become free. */
const PIECES = [1 << 16, 1 << 12];

export class SmallDisk {
  /** @readonly */
  path;
  #ballast = 0;
  #size = 0;

  /**
   * @param {string} path a folder, which is made if there is none; what it contains is hidden until `remove`
   * @param {string} size as for mount: 64k
   */
  constructor(path, size) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  }

  /** @param {string} size */
  resize(size) {
    execFileSync('mount', ['-o', `remount,size=${size}`, this.path]);
  }

  /** Takes room until there is none, or so many bytes are taken: what others remove is taken as well, at the next call. */
  fill(most = Number.POSITIVE_INFINITY) {
    if (this.#ballast === 0) this.#ballast = openSync(join(this.path, '.ballast'), 'w', 0o600);
    for (const piece of PIECES) {
      try {
        while (this.#size + piece <= most)
          this.#size += writeSync(this.#ballast, Buffer.alloc(piece), 0, piece, this.#size);
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      }
    }
  }

  /** Gives back what `fill` took. */
  free() {
    if (this.#ballast !== 0) ftruncateSync(this.#ballast, 0);
    this.#size = 0;
  }

  /** @throws Error if anybody has a file open on it: whoever wrote has closed all of them, even those that failed */
  remove() {
    if (this.#ballast !== 0) closeSync(this.#ballast);
    execFileSync('umount', [this.path]);
  }
}

function mountProblem() {
  if (process.platform !== 'linux') return 'only Linux has small disks';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'this user may not mount a small disk';
  }
}
