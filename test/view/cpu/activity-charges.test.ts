import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { ActivityCharges } from '../../../lib/view/cpu/activity-charges.ts';
import { eventAt, switchedAt } from './events-at.ts';

const sample = (timeMs: number, parts: Partial<TraceEvent> = {}) =>
  eventAt(timeMs, { provider: 'perf', name: 'cpu-clock', ...parts });
const switched = (timeMs: number, activityId?: string, startedAgoMSec = 0, threadId = 1) =>
  switchedAt(timeMs, activityId, { startedAgoMSec, threadId });

function chargesOf(events: readonly TraceEvent[]) {
  const charged: [timeMs: number, activity: string | undefined][] = [];
  const charges = new ActivityCharges<string, number>(
    ({ activityId }) => activityId ?? 'none',
    (timeMs, run) => charged.push([timeMs, run?.activity]),
  );
  for (const each of events) {
    if (!charges.addSwitch(each)) charges.addSample(each, Number(each.timeSinceStart) / 1e6);
  }
  charges.end();
  return charged;
}

describe('A CPU sample', () => {
  it('is charged to the activity of the last switch on its thread', () => {
    const events = [
      switched(1, 'a'),
      sample(2),
      switched(3),
      sample(4),
      switched(5, 'b'),
      sample(6),
      sample(7),
    ];
    expect(chargesOf(events)).toEqual([
      [2, 'a'],
      [4, 'none'],
      [6, 'b'],
      [7, 'b'],
    ]);
  });

  it('is charged by switches in user_events, whose providers have other names', () => {
    const inTracepoints = { provider: 'Node_Runtime', name: 'ActivitySwitch', activityId: 'a' };
    expect(chargesOf([eventAt(1, inTracepoints), sample(2)])).toEqual([[2, 'a']]);
  });

  it('is charged to nobody before the first switch, and on other threads and processes', () => {
    const events = [
      sample(1),
      switched(2, 'a'),
      sample(3, { threadId: 2 }),
      sample(4, { processId: 43 }),
      sample(5, { processId: undefined, threadId: undefined }),
    ];
    expect(chargesOf(events)).toEqual([
      [1, undefined],
      [3, undefined],
      [4, undefined],
      [5, undefined],
    ]);
  });

  it('is charged to an activity whose switch is reported late', () => {
    const events = [
      switched(1, 'a'),
      sample(2),
      sample(4),
      sample(6),
      switched(7, 'b', 4),
      switched(7),
      sample(8),
    ];
    expect(chargesOf(events)).toEqual([
      [2, 'a'],
      [4, 'b'],
      [6, 'b'],
      [8, 'none'],
    ]);
  });

  it('is charged by time whatever a switch says about the past', () => {
    const broken = eventAt(3, {
      provider: 'Node.Runtime',
      name: 'ActivitySwitch',
      activityId: 'b',
      payload: {},
    });
    const events = [switched(1, 'a'), sample(2), broken, sample(4), switched(5, 'c', -1), sample(5)];
    expect(chargesOf(events)).toEqual([
      [2, 'a'],
      [4, 'b'],
      [5, 'c'],
    ]);
  });
});
