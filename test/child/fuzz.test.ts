/** A short run of `npm run fuzz`, long enough to find what any kind of damage would reveal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';

it.skipIf(dataFolder === undefined && !dataIsRequired)(
  `damage to a trace causes only errors that describe it (${SKIP_REASON})`,
  { timeout: 120_000 },
  () => {
    const finds = mkdtempSync(join(tmpdir(), 'tracewright-finds-'));
    const script = join(import.meta.dirname, '../../scripts/fuzz/run.mjs');
    const args = [script, '--inputs', '3000', '--seed', '11', '--finds', finds, '--data', dataFolder ?? ''];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout).toMatch(/^3000 inputs in \d+ s, seed 11: 0 finds\n$/);
    expect(status).toBe(0);
    rmSync(finds, { recursive: true });
  },
);
