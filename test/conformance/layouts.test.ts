/** Runs the conformance layouts against the built library, like `npm run conformance`. */
import { describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from './data-folder.ts';
import { layouts } from './layouts.mjs';
import { Report } from './report.mjs';

describe('conformance data', () => {
  it(dataIsRequired ? 'is present, since TRACEWRIGHT_REQUIRE requires it' : 'may be absent', () => {
    if (dataIsRequired) expect(dataFolder).toBeDefined();
  });
});

describe.skipIf(dataFolder === undefined)(`every conformance case passes (${SKIP_REASON})`, () => {
  for (const layout of layouts) {
    it(layout.name, { timeout: 60_000 }, async (context) => {
      const folder = dataFolder as string;
      if (!layout.applies(folder)) context.skip(`${folder} holds no ${layout.name} data`);
      const report = new Report();
      await layout.run(folder, report);
      expect(report.failed).toEqual([]);
      expect(report.passed.length).toBeGreaterThan(0);
    });
  }
});
