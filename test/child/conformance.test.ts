/** `npm run conformance` over a folder with files that are not even traces. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('reports traces that are rejected on opening like any other failure, and continues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-conformance-'));
  const write = (path: string, content: string) => {
    const [subfolder = ''] = path.split('/');
    mkdirSync(join(folder, subfolder), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('nettrace/refused.nettrace', 'no trace');
  write('nettrace/refused.expected.jsonl', '{"header":{"fileFormatVersion":6}}\n');
  write('nettrace/wanted.nettrace', 'no trace');
  write('nettrace/wanted.error.json', '{"message":"Another sentence."}');
  write('perf-data/refused.data', 'no trace');
  write('perf-data/refused.data.linux.json', '[\n]\n');
  write('etl/refused.etl', 'no trace');
  const script = join(import.meta.dirname, '../../scripts/conformance/run.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--data', folder], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(stderr).toBe('');
  expect(status).toBe(1);
  for (const id of [
    'nettrace/refused/end',
    'nettrace/wanted/end',
    'perf-data/refused.data/',
    'etl/refused.etl',
  ]) {
    expect(stdout).toContain(`FAIL ${id}`);
  }
  expect(stdout).toMatch(/\n\d+ passed, \d+ failed\n$/);
});
