// What is missing of the programs that a script calls.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The programs that no folder of the PATH has.
 * @param {readonly string[]} programs
 * @returns {string[]}
 */
export function missingPrograms(programs) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}
