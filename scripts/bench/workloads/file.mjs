// Whatever ends up in a file, until all of it is there. Each round writes a separate file: opening and closing it are
// part of the cost, and so is writing in the background.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BATCH_SIZE, byTurns } from './turns.mjs';

/** The path of a file whose folder is removed when the process ends. */
function temporaryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'events');
}

/**
 * @typedef {object} Recorder
 * @property {(work: (write: () => void) => Promise<void>) => Promise<void>} run lets `work` write
 * @property {() => Promise<number>} close resolves when everything is written, to the number of items in the file
 */

/**
 * @param {(path: string) => Recorder} open
 * @returns the loop, with the number of bytes that each item took in the last file
 */
export function fileLoop(open) {
  const path = temporaryFile();
  let bytesEach;
  const loop = async (iterations) => {
    const recorder = open(path);
    await recorder.run((write) => byTurns(iterations, BATCH_SIZE, write));
    const written = await recorder.close();
    if (written !== iterations) throw new Error(`${written} of ${iterations} are in the file.`);
    bytesEach = statSync(path).size / iterations;
    return iterations;
  };
  return Object.assign(loop, { bytesEach: () => bytesEach });
}

export function linesOf(path) {
  let lines = 0;
  for (const byte of readFileSync(path)) if (byte === 10) lines++;
  return lines;
}
