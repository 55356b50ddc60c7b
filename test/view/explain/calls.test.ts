/** What the activities inside another were. */
import { describe, expect, it } from 'vitest';
import { type Calls, countCall } from '../../../lib/view/explain/calls.ts';
import type { TracedActivity } from '../../../lib/view/traced-activity.ts';

function callsOf(...times: readonly (readonly [startNs: number, endNs: number])[]): Calls | undefined {
  const calls: Calls[] = [];
  for (const [startNs, endNs] of times) {
    const activity = { startNs, endNs, isFailed: false } as TracedActivity;
    countCall(calls, { activity, label: 'GET /', startedAt: undefined });
  }
  return calls[0];
}

describe('Calls', () => {
  it('are in turn even if each is closed a moment after the next one has started', () => {
    expect(callsOf([0, 100], [99, 200], [199, 300])?.inTurn).toBe(3);
  });

  it('are not in turn if they overlap', () => {
    expect(callsOf([0, 100], [50, 150], [60, 160])?.inTurn).toBe(1);
  });
});
