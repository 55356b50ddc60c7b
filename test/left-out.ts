/** A reporter for `npm test` that ends with what did not run, and why. */
import type { Reporter, TestModule } from 'vitest/node';
import { fullTests } from './tiers.ts';

function counted(reasons: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => `  ${String(count).padStart(4)}  ${reason}\n`).join('');
}

export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      Array.from(module.children.allTests('skipped'), ({ fullName }) => {
        return (
          /\bskipped:? (.*?)\)(?:,| >|$)/.exec(fullName)?.[1] ?? `${module.relativeModuleId}: ${fullName}`
        );
      }),
    );
    if (skipped.length > 0) process.stdout.write(`\nTests skipped here, by reason:\n${counted(skipped)}`);
    const ran = new Set(modules.map(({ relativeModuleId }) => relativeModuleId));
    const left = Array.from(fullTests).filter(([name]) => !ran.has(name));
    if (left.length === 0) return;
    process.stdout.write(
      `\nTest files left to "npm run test:all", by what they need; it also runs on other versions of Node.js:\n` +
        counted(left.map(([, need]) => need)),
    );
  }
}
