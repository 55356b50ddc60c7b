// Compiles lib/ into dist/: first the package, then the page of its reports, which is a program for browsers, and
// puts beside that what the page is made of and needs no compiling.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, run } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const page = 'view/report/page';

/** @throws {import('./lib/run.mjs').ToolError} */
export function compile() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  for (const project of ['tsconfig.build.json', join('lib', page, 'tsconfig.build.json')]) {
    run(process.execPath, [compiler, '-p', project], { cwd: root });
  }
  for (const file of ['report.html', 'report.css']) {
    copyFileSync(join(root, 'lib', page, file), join(root, 'dist', page, file));
  }
}

if (process.argv[1] === import.meta.filename) {
  try {
    compile();
  } catch (error) {
    report(error);
  }
}
