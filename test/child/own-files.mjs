/** Files of an application, to see whether somebody closes their descriptors, or writes to them. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** How many files are open at a time. */
const FILES = 40;
const MAX_FAULTS = 10;

export class OwnFiles {
  faults = [];
  opened = 0;
  #folder;
  #files = [];

  constructor(folder) {
    this.#folder = folder;
  }

  /** Replaces the oldest file, after a look at all. */
  turn() {
    for (const file of this.#files) this.#check(file);
    while (this.#files.length >= FILES) this.#attempt(() => closeSync(this.#files.shift().descriptor));
    const path = join(this.#folder, `own-${this.opened % (2 * FILES)}`);
    const content = Buffer.from(`The application's own file ${++this.opened}.`);
    const descriptor = openSync(path, 'w+');
    writeSync(descriptor, content, 0, content.length, 0);
    this.#files.push({ descriptor, content, inode: fstatSync(descriptor).ino, size: content.length });
  }

  close() {
    for (const { descriptor } of this.#files.splice(0)) this.#attempt(() => closeSync(descriptor));
  }

  #check({ descriptor, content, inode }) {
    this.#attempt(() => {
      const { ino, size } = fstatSync(descriptor);
      if (ino !== inode) throw new Error(`descriptor ${descriptor} is another file`);
      const read = Buffer.alloc(size);
      readSync(descriptor, read, 0, size, 0);
      if (!read.equals(content)) throw new Error(`descriptor ${descriptor} has another content`);
    });
  }

  #attempt(work) {
    try {
      work();
    } catch (error) {
      if (this.faults.length < MAX_FAULTS) this.faults.push(String(error));
    }
  }
}
