/**
 * The public API must match the reports next to this file. `npm run api` updates them; commit them with a change of the
 * API, so that reviewers see it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryNames, packageEntries, reportFolder, writeApiReports } from '../../scripts/api-report.mjs';

describe('the public API', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    await writeApiReports(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(entryNames)('of %s matches its reviewed report', (name) => {
    const report = (from: string) => readFileSync(join(from, `${name}.api.md`), 'utf8');
    expect(report(folder)).toBe(report(reportFolder));
  });

  it('has a path in package.json for each entry', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(manifest).toMatchObject(packageEntries());
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(packageEntries().exports));
  });
});
