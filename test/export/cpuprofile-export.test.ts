/** CPU samples as a .cpuprofile, read as DevTools and VS Code read it. */
import { describe, expect, it } from 'vitest';
import { CpuprofileExport } from '../../lib/export/cpuprofile-export.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { eventAt, switchedAt } from '../view/cpu/events-at.ts';
import { checkCpuprofile } from './cpuprofile-rules.ts';
import { exportEvents } from './exported.ts';
import { sampleAt, serverEvents } from './profiled-events.ts';

function exported(events: readonly TraceEvent[]) {
  const { text, notices } = exportEvents(events, (trace) => new CpuprofileExport(trace, new FrameNames()));
  return { ...checkCpuprofile(text), notices };
}

describe('a .cpuprofile', () => {
  it('has the time of each function on a processor, and idle time around it', () => {
    const { self, paths, durationUs, notices } = exported(serverEvents());
    expect(Object.fromEntries(self)).toEqual({ '(idle)': 11_000, serve: 1000, burn: 4000 });
    expect(paths).toEqual(new Set(['(idle)', 'serve', 'serve/burn', 'serve/ask/burn']));
    expect({ durationUs, notices }).toEqual({ durationUs: 16_000, notices: [] });
  });

  it('says where functions of JavaScript are, with lines from 0', () => {
    const { frames } = exported(serverEvents());
    expect(frames).toContainEqual({
      functionName: 'burn',
      scriptId: '0',
      url: '/srv/app.mjs',
      lineNumber: 11,
      columnNumber: 4,
    });
  });

  it('has the part of a sample that was on a processor', () => {
    const { self } = exported([
      switchedAt(0, undefined, { threadCpuMSec: 0 }),
      sampleAt(0, [1n]),
      sampleAt(10, [2n]),
      switchedAt(20, undefined, { threadCpuMSec: 5 }),
      sampleAt(20, [3n]),
      switchedAt(21, undefined, { threadCpuMSec: 5 }),
    ]);
    expect(self.get('0x1')).toBe(2500);
    expect(self.get('0x2')).toBe(2500);
  });

  it('has the busiest thread, and says how many samples of others it lacks', () => {
    const { self, notices } = exported([
      ...[1, 2, 3].map((at) => sampleAt(at, [1n], { threadId: 7 })),
      ...[4, 5].map((at) => sampleAt(at, [2n], { threadId: 8 })),
    ]);
    expect([...self.keys()].sort()).toEqual(['(idle)', '0x1']);
    expect(notices).toEqual([
      'A .cpuprofile has one thread, here 7 of 42: 2 CPU samples of others are omitted.',
    ]);
  });

  it('loses no time of samples that overlap', () => {
    const perf = (at: number) =>
      eventAt(at, { provider: 'perf', name: 'cpu-clock', stack: [1n], payload: { period: 1_000_000n } });
    const { self } = exported([perf(1), perf(1.5), perf(2.9), perf(9), eventAt(12)]);
    expect(self.get('0x1')).toBe(4000);
  });

  it('is JSON whatever functions are called', () => {
    const hostile = '\0</script>"\\\n\ud800\u2028'.repeat(1000);
    const { frames } = exported(serverEvents(hostile));
    expect(frames.map(({ functionName }) => functionName)).toContain(hostile);
  });

  it('has only idle time without samples, and says so', () => {
    const { self, notices } = exported([eventAt(3)]);
    expect(Object.fromEntries(self)).toEqual({ '(idle)': 3000 });
    expect(notices).toEqual(['The profile is empty: the trace has no CPU samples.']);
  });
});
