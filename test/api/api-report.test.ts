/**
 * The public API must match the reports next to this file. `npm run api` updates them; commit them with a change of the
 * API, so that reviewers see it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiReport, entryNames, reportFolder } from '../../scripts/api-report.mjs';

describe('the public API', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(entryNames)('of %s matches its reviewed report', { timeout: 120_000 }, async (name) => {
    const reviewed = readFileSync(join(reportFolder, `${name}.api.md`), 'utf8');
    expect(await apiReport(name, folder)).toBe(reviewed);
  });
});
