/**
 * Runs the conformance cases in a data folder against the built library (`npm run build:ts` first).
 *
 *     npm run conformance -- [--data DIR]
 *
 * DIR defaults to the environment variable TRACEWRIGHT_DATA. Prints a line for each layout and each failure, and as its
 * last line `N passed, N failed`. Exit code: 0 all passed, 1 some failed, 2 usage.
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { layouts } from '../../test/conformance/layouts.mjs';
import { Report } from '../../test/conformance/report.mjs';

process.exitCode = await main();

async function main() {
  let dir;
  try {
    dir = parseArgs({ options: { data: { type: 'string' } } }).values.data ?? process.env.TRACEWRIGHT_DATA;
  } catch (error) {
    return usage(`${error.message}.`);
  }
  if (!dir) return usage('No data folder: give --data DIR or set TRACEWRIGHT_DATA.');
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return usage(`There is no folder "${dir}".`);

  let passed = 0;
  let failed = 0;
  for (const layout of layouts) {
    if (!layout.applies(dir)) {
      console.log(`${layout.name}: not in this folder`);
      continue;
    }
    const report = new Report();
    await report.tryAsync('cases', () => layout.run(dir, report));
    console.log(`${layout.name}: ${report.passed.length} passed, ${report.failed.length} failed`);
    for (const { id, difference } of report.failed) console.log(`  FAIL ${layout.name}/${id}: ${difference}`);
    passed += report.passed.length;
    failed += report.failed.length;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function usage(message) {
  console.error(message);
  return 2;
}
