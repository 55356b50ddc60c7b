/**
 * The TraceLogging conformance covers every function of Microsoft's traceloggingdynamic (Python), its descriptor, tags
 * and provider groups: `all-types` has a case for each, produced by that library's code, not by ours.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layouts } from './layouts.mjs';
import { Report } from './report.mjs';

it('passes a case for every function, out type, form of a tag, struct, descriptor and group', async () => {
  const report = new Report();
  const layout = layouts.find(({ name }) => name === 'tracelogging');
  await layout?.run(join(import.meta.dirname, 'all-types'), report);
  expect(report.failed).toEqual([]);
  expect(report.passed).toHaveLength(60);
});
