/** The folder of one agent: nobody else uses it, and what a killed agent left there is completed. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../base/folders.ts';
import { isAlive } from '../base/is-alive.ts';
import { nameOfPartial, OutputError } from '../base/output-file.ts';
import { systemCodeOf } from '../base/system-code.ts';
import { startTimeKey } from '../wire/diagnostics-ipc/port-name.ts';
import { salvageFile } from './trace-file.ts';

const LOCK = 'agent.lock';

/**
 * @returns releases the folder
 * @throws Error with a sentence if another agent has it; OutputError; the system's error
 */
export function lockFolder(folder: string): () => void {
  makeFolders(folder, 0o700);
  const path = join(folder, LOCK);
  for (;;) {
    try {
      const descriptor = openSync(path, 'wx', 0o600);
      try {
        writeSync(descriptor, `${process.pid} ${startOf(process.pid)}`);
      } catch (error) {
        rmSync(path, { force: true });
        throw new OutputError(path, error);
      } finally {
        closeSync(descriptor);
      }
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      const [holder = 0, start] = readFileSync(path, 'utf8').split(' ').map(Number);
      if (holder > 0 && holder !== process.pid && isAlive(holder) && startOf(holder) === start) {
        throw new Error(`Process ${holder} is an agent with the same folder, ${folder}.`);
      }
      rmSync(path, { force: true });
    }
  }
}

/** 0 where the system does not say it. */
function startOf(processId: number): number {
  try {
    return Number(startTimeKey(readFileSync(`/proc/${processId}/stat`, 'utf8')));
  } catch {
    return 0;
  }
}

/**
 * Completes the files that were being written when an agent was killed.
 *
 * @returns how many there were
 * @throws the system's error
 */
export async function salvageFolder(folder: string): Promise<number> {
  makeFolders(folder, 0o700);
  let salvaged = 0;
  for (const name of readdirSync(folder)) {
    if (nameOfPartial(name) !== undefined && (await salvageFile(join(folder, name))) !== undefined)
      salvaged++;
  }
  return salvaged;
}
