// The libraries that the test has installed in the folder given as the first argument.
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const load = createRequire(join(process.argv[2], 'program.js'));
