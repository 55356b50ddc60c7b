/** Definitions of a provider that come and go, on a real kernel. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

describe.skipIf(skipReason('uml') !== undefined)(
  suiteName('definitions', 'uml'),
  { timeout: 180_000 },
  () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    it('of one provider in two threads have one layout per id', async () => {
      const output = await runScript(
        `node two-definitions.mjs /run/records-definitions & program=$!
      until [ -e /sys/kernel/tracing/events/user_events/TwoDefinitions_L4K0 ]; do sleep 0.1; done
      perf record -q -a -k mono -e user_events:TwoDefinitions_L4K0 -o ${folder}/perf.data \\
        sh -c "touch /run/records-definitions; while kill -0 $program 2>/dev/null; do sleep 0.1; done"`,
        { rw: [folder] },
      );
      const events = await readEvents(join(folder, 'perf.data'));
      const shown = events.map(({ id, name, payload }) => `${id} ${name} ${Object.keys(payload)}`);
      expect(shown.sort()).toEqual(
        output.includes('Paid has the id 2')
          ? ['1 JobDone name,steps', '2 Paid amount,currency']
          : ['1 Paid amount,currency', '2 JobDone name,steps'],
      );
      expect(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')).toHaveLength(1);
    });

    it('can be closed and created again any number of times', async () => {
      expect(await runProgram('closed.mjs')).toEqual({
        lines: 2,
        stats: [
          [1, { closed: 2 }],
          [1, {}],
          [0, {}],
        ],
        id: 1,
      });
    });
  },
);
