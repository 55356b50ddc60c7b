// The libraries that the test has installed, out of the folder that it names first.
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const load = createRequire(join(process.argv[2], 'program.js'));
