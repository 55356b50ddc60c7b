import { describe, expect, it } from 'vitest';
import { activityKey } from '../../../lib/view/activity-key.ts';
import type { ActivityTime } from '../../../lib/view/explain/activity-time.ts';
import { ExplainedActivities } from '../../../lib/view/explain/explained-activities.ts';
import { STATES, type State } from '../../../lib/view/explain/states.ts';
import { type WrittenEvent, written } from '../written-events.ts';
import { random, SimulatedLoop, type Truth } from './simulated-loop.ts';

function explained(events: readonly WrittenEvent[]): ActivityTime[] {
  const times: ActivityTime[] = [];
  const activities = new ExplainedActivities({ take: (time) => times.push(time) });
  for (const event of events) activities.add(written(event));
  activities.end();
  return times;
}

/** What an account says for certain, and what may be. */
function boundsOf({ account }: ActivityTime, state: State, what?: string): [atLeast: number, atMost: number] {
  let [atLeast, atMost] = [0, 0];
  for (const entry of account.entries) {
    if (entry.state !== state || (what !== undefined && entry.what !== what)) continue;
    atLeast += entry.atLeastNs;
    atMost += entry.atMostNs;
  }
  return [atLeast, atMost];
}

const SEEDS = Array.from({ length: 150 }, (_, index) => index + 1);
/** Each time of an event is rounded to whole nanoseconds. */
const ROUNDED_NS = 2000;

describe('The account of a simulated activity', () => {
  it('adds up to its duration, and its bounds contain the truth', () => {
    for (const seed of SEEDS) {
      const { events, truths } = new SimulatedLoop(seed).simulate(12);
      const times = explained(events);
      const seen = new Set<string>();
      for (const time of times) {
        const { activity, account } = time;
        expect(account.totalNs).toBe((activity.endNs as number) - activity.startNs);
        const truth = truthOf(time, truths);
        if (truth === undefined) continue;
        seen.add(activity.id);
        for (const state of STATES) {
          const [atLeast, atMost] = boundsOf(time, state);
          const true_ = truth.get(state) ?? 0;
          const about = `seed ${seed}, ${activity.task} at ${activity.startNs}, ${state}`;
          expect(atLeast, about).toBeLessThanOrEqual(true_ + ROUNDED_NS);
          expect(atMost, about).toBeGreaterThanOrEqual(true_ - ROUNDED_NS);
        }
        expect(boundsOf(time, 'unknown')[1], `seed ${seed}`).toBeLessThanOrEqual(ROUNDED_NS);
      }
      expect(seen.size).toBe(truths.size);
    }
  });

  it('says nothing wrong when events are missing', () => {
    for (const seed of SEEDS) {
      const { events, truths } = new SimulatedLoop(seed).simulate(12);
      const next = random(seed + 1000);
      const kept = events.filter(() => next(6) !== 0);
      for (const time of explained(kept)) {
        const { activity, account } = time;
        expect(account.totalNs).toBe((activity.endNs as number) - activity.startNs);
        const truth = truthOf(time, truths);
        if (truth === undefined) continue;
        const about = `seed ${seed}, ${activity.task} at ${activity.startNs}`;
        for (const state of ['running', 'timer', 'threadPool'] as const) {
          expect(boundsOf(time, state)[0], `${about}, ${state}`).toBeLessThanOrEqual(
            (truth.get(state) ?? 0) + ROUNDED_NS,
          );
        }
        for (const { state, what } of account.entries) {
          if (state !== 'held') continue;
          const isNamed = truth.has(`held ${what}`) || /^Work|^code/.test(what);
          expect(boundsOf(time, 'held', what)[0], `${about}, held by ${what}`).toBeLessThanOrEqual(
            (truth.get(isNamed ? `held ${what}` : 'held') ?? 0) + ROUNDED_NS,
          );
        }
        // Without its start, a call is the socket that it used.
        const outside = boundsOf(time, 'child')[0] + boundsOf(time, 'otherSide')[0];
        const true_ = (truth.get('child') ?? 0) + (truth.get('otherSide') ?? 0);
        expect(outside, `${about}, outside`).toBeLessThanOrEqual(true_ + ROUNDED_NS);
      }
    }
  });
});

/** Of activities at the top. */
function truthOf({ activity }: ActivityTime, truths: ReadonlyMap<string, Truth>): Truth | undefined {
  return activity.depth > 0 ? undefined : truths.get(activityKey(activity.id, 4321)?.text ?? '');
}
