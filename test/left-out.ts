/** A reporter for `npm test` that ends with what did not run, and why. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { fullTests } from './tiers.ts';

function counted(reasons: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => `  ${String(count).padStart(4)}  ${reason}\n`).join('');
}

/** The reason in the name of a test or of its suite, or what the test said when it found out. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /\bskipped:? (.*?)\)(?:,| >|$)/.exec(test.fullName)?.[1];
}

/** Tests that the command line leaves out have no reason. */
const isFiltered = process.argv.some((arg) => /^(?:-t|--testNamePattern)\b/.test(arg));

export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      Array.from(module.children.allTests('skipped'), (test) => ({
        name: `${module.relativeModuleId}: ${test.fullName}`,
        reason: reasonOf(test),
      })),
    );
    const reasons = skipped.flatMap(({ reason }) => reason ?? []);
    if (reasons.length > 0) process.stdout.write(`\nTests skipped here, by reason:\n${counted(reasons)}`);
    const silent = skipped.filter(({ reason }) => reason === undefined);
    if (silent.length > 0 && !isFiltered) {
      process.stdout.write(`\nThese tests are skipped, and do not say why:\n`);
      for (const { name } of silent) process.stdout.write(`  ${name}\n`);
      process.exitCode = 1;
    }
    const ran = new Set(modules.map(({ relativeModuleId }) => relativeModuleId));
    const left = Array.from(fullTests).filter(([name]) => !ran.has(name));
    if (left.length === 0) return;
    process.stdout.write(
      `\nTest files left to "npm run test:all", by what they need; it also runs on other versions of Node.js:\n` +
        counted(left.map(([, need]) => need)),
    );
  }
}
