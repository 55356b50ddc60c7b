/** The accounts of the activities of real traces, of .NET, Windows and Linux, add up to their durations. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/index.ts';
import { ExplainedActivities } from '../../../lib/view/explain/explained-activities.ts';
import { dataFolder } from '../../conformance/data-folder.ts';

const FORMATS = ['etl', 'nettrace', 'perf-data'];
const TRACE = /\.(?:etl|nettrace|netperf|data)$/;

const traces = FORMATS.flatMap((format) =>
  dataFolder === undefined
    ? []
    : readdirSync(join(dataFolder, format))
        .filter((name) => TRACE.test(name))
        .map((name) => join(dataFolder as string, format, name)),
);

describe.skipIf(dataFolder === undefined)(
  'The accounts of recorded activities (skipped unless TRACEWRIGHT_DATA is set)',
  () => {
    it('add up to their durations', { timeout: 120_000 }, async () => {
      let count = 0;
      for (const path of traces) {
        const explained = new ExplainedActivities({
          take: ({ activity, account }) => {
            count++;
            expect(account.totalNs, `${path}, ${activity.label}`).toBe(activity.durationNs);
          },
        });
        const trace = await openTrace(path, { onDamage: 'warning' });
        for await (const event of trace) explained.add(event);
        explained.end();
      }
      expect(count).toBeGreaterThan(40);
    });
  },
);
