/** CPU samples as profiles of pprof. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PprofExport } from '../../lib/export/pprof-export.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { named } from '../platforms.ts';
import { eventAt, switchedAt } from '../view/cpu/events-at.ts';
import { exportEvents, exportTrace } from './exported.ts';
import { checkPprof, NO_PPROF } from './pprof-rules.ts';
import { SPAN, sampleAt, serverEvents, TRACE } from './profiled-events.ts';

const INFO = {
  format: 'nettrace',
  startTime: 1_700_000_000_000_000_000n,
  hasWallTime: true,
  pointerSize: 8,
  properties: {},
} as const;

function exported(events: readonly TraceEvent[]) {
  const { bytes, notices } = exportEvents(events, (trace) => new PprofExport(trace, new FrameNames()), {
    info: INFO,
    processNames: new Map([[42, 'server']]),
  });
  return { ...checkPprof(bytes), notices };
}

describe.skipIf(NO_PPROF !== undefined)(named('a profile of pprof', NO_PPROF), () => {
  it('has samples with the activities that they are charged to', () => {
    const thread = { process: 'server', process_id: '42', thread_id: '1' };
    const request = {
      ...thread,
      route: 'GET /orders/:id',
      activity: 'Node.Http/Request',
      activity_path: '//1/1',
    };
    const ids = { trace_id: TRACE, span_id: SPAN };
    const { samples, notices } = exported(serverEvents());
    expect(notices).toEqual([]);
    expect(samples).toHaveLength(4);
    expect(samples).toEqual(
      expect.arrayContaining([
        { functions: ['app.mjs.serve'], count: 1, cpuNs: 1e6, labels: thread },
        {
          functions: ['app.mjs.burn', 'app.mjs.serve'],
          count: 2,
          cpuNs: 2e6,
          labels: { ...request, ...ids },
        },
        {
          functions: ['app.mjs.burn', 'app.mjs.ask', 'app.mjs.serve'],
          count: 2,
          cpuNs: 2e6,
          // What is inside a request belongs to its route, and to its span.
          labels: { ...request, activity: 'App/Ask', activity_path: '//1/1/1', ...ids },
        },
        // The thread was outside of JavaScript: as in the tables of view --cpu, it is a sample, but not CPU time.
        { functions: ['0x9'], count: 2, cpuNs: 0, labels: thread },
      ]),
    );
  });

  it('says what its values are, when it began, and where functions are', () => {
    const { sampleTypes, defaultSampleType, period, timeNanos, durationNanos, functions } = exported(
      serverEvents(),
    );
    expect({ sampleTypes, defaultSampleType, period }).toEqual({
      sampleTypes: ['samples/count', 'cpu/nanoseconds'],
      defaultSampleType: 'cpu',
      period: '1000000 cpu/nanoseconds',
    });
    expect({ timeNanos, durationNanos }).toEqual({ timeNanos: INFO.startTime, durationNanos: 16e6 });
    expect(functions).toContain('app.mjs.burn /srv/app.mjs:12');
  });

  it('counts what was on a processor, and rounds so that the sum remains', () => {
    const stacks = Array.from({ length: 200 }, (_, i) => [1n, BigInt(i + 2)]);
    const events = [
      switchedAt(0, undefined, { threadCpuMSec: 0 }),
      ...stacks.map((stack, i) => sampleAt(i, stack)),
      // A quarter of the time.
      switchedAt(200, undefined, { threadCpuMSec: 50 }),
      sampleAt(200, [1n]),
      switchedAt(201, undefined, { threadCpuMSec: 50 }),
    ];
    const { samples } = exported(events);
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    // Nothing is known of the last one, which counts.
    expect(sum(samples.map(({ count }) => count))).toBe(51);
    expect(sum(samples.map(({ cpuNs }) => cpuNs)) / 1e6).toBeCloseTo(51, 1);
  });

  it('has only what perf counted first, and says so', () => {
    const perf = (at: number, name: string) =>
      eventAt(at, { provider: 'perf', name, stack: [1n], payload: { period: 250_000n } });
    const { samples, notices } = exported([
      perf(1, 'cpu-clock'),
      perf(2, 'page-faults'),
      perf(3, 'cpu-clock'),
    ]);
    expect(samples).toMatchObject([{ count: 2, cpuNs: 500_000 }]);
    expect(notices).toEqual([
      'Omitted 1 sample of something else than what the first one counts.',
      expect.stringMatching(/^No CPU sample can be charged to an activity of the trace: it has no activity/),
    ]);
  });

  it('has any name as a text, and nothing else of it', () => {
    const hostile = '\0\u001b[2J"\\\n\ud800 \u{1f4a9}{{x}}'.repeat(1000);
    const { samples } = exported(serverEvents(hostile));
    const names = new Set(samples.flatMap(({ functions }) => functions));
    expect(names).toContain(`app.mjs.${hostile.replaceAll('\ud800', '\ufffd')}`);
    expect(names.size).toBe(4);
  });

  it('is empty without samples, and says so', () => {
    const { samples, notices } = exported([eventAt(1)]);
    expect(samples).toEqual([]);
    expect(notices).toEqual(['The profile is empty: the trace has no CPU samples.']);
  });

  describe.skipIf(dataFolder === undefined && !dataIsRequired)(`of a real trace (${SKIP_REASON})`, () => {
    const exportFile = async (file: string) => {
      const path = join(dataFolder ?? '', file);
      const { bytes, notices } = await exportTrace(path, (trace) => new PprofExport(trace, new FrameNames()));
      return { ...checkPprof(bytes), notices };
    };

    it('of .NET has its methods', async () => {
      const { samples } = await exportFile('nettrace/only_managed_samples.nettrace');
      expect(samples.reduce((sum, { count }) => sum + count, 0)).toBe(7423);
      expect(samples.map(({ functions }) => functions[0])).toEqual(
        expect.arrayContaining(['NoNativeStacks.Program.FindByte', 'NoNativeStacks.Program.InnerLoop']),
      );
    });

    it('of Windows has the samples of all processes', { timeout: 120_000 }, async () => {
      const { samples } = await exportFile('etl/net.4.5.2.x64.etl');
      expect(new Set(samples.map(({ labels }) => labels.process_id)).size).toBeGreaterThan(1);
    });

    it('of perf that recorded no samples is empty', async () => {
      const { samples, notices } = await exportFile('perf-data/perf.data');
      expect(samples).toEqual([]);
      expect(notices).toEqual(['The profile is empty: the trace has no CPU samples.']);
    });
  });
});
