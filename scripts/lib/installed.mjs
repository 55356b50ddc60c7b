// Finds out which of a script's required programs are missing.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The programs that are in no folder of the PATH.
 * @param {readonly string[]} programs
 * @returns {string[]}
 */
export function missingPrograms(programs) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}
