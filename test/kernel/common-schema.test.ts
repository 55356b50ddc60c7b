/** Spans and log lines in Common Schema, as agents find them: tracepoints at once, events with parts A to C. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

describe.skipIf(skipReason('uml') !== undefined)(suiteName('Common Schema', 'uml'), () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync('/tmp/tracewright-test-');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is recorded through its tracepoints, which exist before the first event', {
    timeout: 120_000,
  }, async () => {
    const levels = [1, 2, 3, 4, 5].map((level) => `Test_Logs_L${level}K1`);
    const all = [...levels, 'Test_Traces_L4K1'];
    const exist = all.map((name) => `[ -e /sys/kernel/tracing/events/user_events/${name} ]`).join(' && ');
    await runScript(
      `node common-schema.mjs >&2 & program=$!
      until ${exist}; do sleep 0.05; done
      perf record -q -a ${all.map((name) => `-e user_events:${name}`).join(' ')} -o ${folder}/perf.data \\
        sh -c "while kill -0 $program 2>/dev/null; do sleep 0.1; done" >&2
      wait $program`,
      { rw: [folder] },
    );
    const events = await readEvents(join(folder, 'perf.data'));
    const [span, log] = ['Span', 'Log'].map((name) => events.find((each) => each.name === name));
    expect(span).toMatchObject({ provider: 'Test_Traces', level: 4, keywords: 1n });
    expect(log).toMatchObject({ provider: 'Test_Logs', level: 4, keywords: 1n });
    expect(span?.payload).toEqual({
      __csver__: 1024,
      PartA: {
        time: '2023-11-14T22:13:21.000000000Z',
        ext_dt_traceId: 'a'.repeat(32),
        ext_dt_spanId: 'b'.repeat(16),
        ext_cloud_role: 'shop',
      },
      PartB: {
        _typeName: 'Span',
        name: 'order',
        parentId: '',
        startTime: '2023-11-14T22:13:20.000000000Z',
        success: true,
        kind: 2,
        dbSystem: 'mysql',
      },
      PartC: { rows: 3n },
    });
    expect(log?.payload).toMatchObject({
      __csver__: 1024,
      PartB: {
        _typeName: 'Log',
        body: expect.stringContaining('hello'),
        severityNumber: 9,
        severityText: 'info',
      },
    });
  });
});
