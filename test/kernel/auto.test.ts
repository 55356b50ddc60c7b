/** Automatic activities in the kernel: of a server under load that nobody has changed, from its first request on. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const check = new URL('../auto/programs/soak-check.mjs', import.meta.url).href;

interface Happened {
  readonly came: readonly number[];
  readonly done: readonly (readonly [number, { readonly calls: number }])[];
}

interface Checked {
  readonly totals: { readonly activities: number; readonly stops: number; readonly inside: number };
  readonly examples: readonly string[];
}

const kernels: readonly { kernel: KernelKind; requests: number }[] = [
  { kernel: 'uml', requests: 2000 },
  { kernel: 'qemu', requests: 300 },
];

for (const { kernel, requests } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('automatic activities', kernel), () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('are one for each request, with its calls inside, and all of them end', {
      timeout: 180_000,
    }, async () => {
      await runScript(
        `node ${main} record -o ${folder}/perf.data -- node --import tracewright/auto \
          auto-requests.mjs ${requests} 50 ${folder}/happened.json >&2`,
        { kernel, rw: [folder], timeout: 170 },
      );
      const { came, done } = JSON.parse(readFileSync(join(folder, 'happened.json'), 'utf8')) as Happened;
      const { faultsOf } = await import(check);
      const checked = (await faultsOf(join(folder, 'perf.data'), came, new Map(done))) as Checked;

      expect(checked.examples).toEqual([]);
      // Every twentieth client hangs up, some of them before their request has come.
      expect(came.length).toBeGreaterThanOrEqual(requests * 0.95);
      expect(checked.totals.stops).toBe(checked.totals.activities);
      expect(checked.totals.inside).toBe(done.reduce((sum, [, { calls }]) => sum + calls, 0));
    });
  });
}
